import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Case } from '../core/model/case.ts';
import type { Presence } from '../core/model/device.ts';
import type { Job } from '../core/model/plan.ts';
import type { Outcome } from '../core/model/trial.ts';
import { setting } from '../core/store/fixtures/example.ts';
import type { StageNews } from '../core/store/run-setting.ts';
import { openStore, type Store } from '../core/store/store.ts';
import {
  aCase,
  aFoundDevice,
  aJob,
  aMachine,
  aMissingDevice,
  aQuarantinedTrial,
  aRecord,
  aTrial,
} from './builders.ts';
import { aFolder } from './folder.ts';

/** A script in texts that a device or a page can give. */
export const hostile = `=1+1<script>window.owned=1</script><img src=x onerror="window.owned=1">\u202e"'`;

const presences: readonly Presence[] = [
  aFoundDevice('chromium', { driver: 'playwright' }),
  aFoundDevice('firefox', { browser: 'firefox', driver: 'puppeteer', name: hostile }),
  aMissingDevice('safari'),
];

interface NightFacts {
  readonly startedAt: string;
  /** Factor of every value. */
  readonly slower?: number;
  readonly blocks?: number;
  readonly finished?: boolean;
  /** How many of its cells have an outcome; all when left out. */
  readonly measured?: number;
  readonly suite?: string;
  /** How far the run is, by its own farm. */
  readonly news?: StageNews;
}

const cases: readonly Case[] = [10, 11, 12].flatMap((n) => [
  aCase(n, 'syncFib'),
  aCase(n, 'asyncFib'),
]);

/** Makes the jobs of a night: every case on both browsers, in blocks. */
export function nightJobs(blocks: number): readonly Job[] {
  const jobs: Job[] = [];
  for (let block = 0; block < blocks; block += 1) {
    for (const one of cases) {
      for (const deviceId of ['chromium', 'firefox']) {
        jobs.push(aJob({ block, case: one, deviceId, ordinal: jobs.length }));
      }
    }
  }
  return jobs;
}

/**
 * Stores a night in which the first trial of Firefox failed and its second is quarantined; Firefox
 * takes twice as long as Chromium. Returns the run's number.
 */
export async function storeNight(
  store: Store,
  { slower = 1, blocks = 3, finished = true, measured, news, ...facts }: NightFacts,
): Promise<number> {
  const jobs = nightJobs(blocks);
  const { run } = aRecord(presences, []);
  const made = { ...run, machine: aMachine, ...facts, presences, jobs };
  const id = await store.createRun({ ...made, setting: { farm: 'a farm', document: setting } });
  let ofFirefox = 0;
  for (const job of jobs.slice(0, measured)) {
    const n = Number(job.case.parameters['n']);
    const ms = n * slower * (job.deviceId === 'firefox' ? 2 : 1) + job.block;
    if (job.deviceId === 'firefox') ofFirefox += 1;
    const odd = job.deviceId === 'firefox' && ofFirefox <= 2;
    if (!odd) await store.writeTrial(id, aTrial(job, [ms - 0.5, ms, ms + 0.5]));
    else if (ofFirefox === 1) await store.writeTrial(id, aTrial(job, failure));
    else await store.writeTrial(id, aQuarantinedTrial(job, [1_000]));
  }
  if (news !== undefined) await store.keepStage(id, news);
  if (finished) await store.finishRun(id, 'finished', '2026-11-22T02:00:00.000Z');
  return id;
}

const failure: Outcome = {
  kind: 'failed',
  failure: { code: 'page-error', message: `The page says: ${hostile}` },
};

let twoNights: Buffer | undefined;

/**
 * Makes a database with two finished nights, alone in a folder: created once in a process, then copied.
 */
export async function aStoredHistory(): Promise<string> {
  const path = join(await aFolder(), 'farm.db');
  twoNights ??= await makeTwoNights(path);
  await writeFile(path, twoNights);
  return path;
}

async function makeTwoNights(path: string): Promise<Buffer> {
  const store = await openStore(path);
  try {
    await storeNight(store, { startedAt: '2026-11-20T00:00:00.000Z' });
    await storeNight(store, { startedAt: '2026-11-21T00:00:00.000Z', slower: 2 });
  } finally {
    await store.close();
  }
  return readFile(path);
}
