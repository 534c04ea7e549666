/** A database of nights as if they had been measured, on builds that can really run. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findBenchmark, loadCatalog } from '../core/plan/catalog/catalog.ts';
import { expandCases } from '../core/plan/catalog/expansion.ts';
import { fastMeasurement } from '../core/plan/catalog/measurement.ts';
import type { Case } from '../core/model/case.ts';
import type { Presence } from '../core/model/device.ts';
import { farmVersion, pagesFolder } from '../core/project.ts';
import { describeMachine } from '../core/setup/machine.ts';
import { seededGenerator } from '../core/analysis/stats/random.ts';
import { openStore, type Store } from '../core/store/store.ts';
import { aDevice, aResult, aTrial } from './builders.ts';

/** Makes a build of Node.js: the running one, under another version, with these flags. */
async function aBuild(folder: string, version: string, flags = ''): Promise<Presence> {
  const path = join(folder, 'builds', version, 'node');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(
    path,
    `#!/bin/sh\n[ "$1" = --version ] && echo v${version} && exit\nexec '${process.execPath}' ${flags} "$@"\n`,
  );
  await chmod(path, 0o755);
  const device = aDevice('node', { browser: 'node', driver: 'process' });
  const target = { device, browser: { name: 'node', version }, executable: path };
  return { status: 'found', device, target, capabilities: [] };
}

async function theCase(): Promise<Case> {
  const control = findBenchmark(await loadCatalog(pagesFolder()), 'control');
  const [one] = expandCases(control, { rounds: 300_000 });
  if (one === undefined) throw new Error('control has a case');
  return one;
}

interface Night {
  readonly case: Case;
  readonly day: number;
  readonly median: number;
  readonly presence: Presence;
}

/** A night of one trial. */
async function storeNight(
  store: Store,
  { case: one, day, median, presence }: Night,
): Promise<number> {
  const job = { ordinal: 0, block: 0, case: one, deviceId: 'node', sessionKey: 'a' };
  const startedAt = new Date(Date.UTC(2026, 0, day)).toISOString();
  const run = await store.createRun({
    suite: 'nightly',
    seed: day,
    isolation: 'session',
    command: 'npx crossfarm nightly',
    farmVersion: farmVersion(),
    machine: describeMachine(),
    startedAt,
    presences: [presence],
    jobs: [job],
    setting: {
      farm: 'a test',
      document: {
        // A test's re-measurement does not wait for a quiet machine.
        measurement: fastMeasurement,
        repeatQuarantined: false,
        endsEarly: false,
        pages: pagesFolder(),
        deadlineMs: 30_000,
        // Nothing is quarantined without the environment probe, so a busy machine decides as well.
        probes: false,
        probe: [],
      },
    },
  });
  const metric = one.benchmark.metrics[0]?.id ?? 'duration';
  const samples = [{ metric, unit: 'ms', warmUp: [], timed: [median] }];
  const browser = presence.status === 'found' ? presence.target.browser : null;
  const trial = aTrial(job, {
    kind: 'completed',
    result: aResult([], { samples }),
    readings: [],
    quarantine: [],
  });
  await store.writeTrial(run, { ...trial, browser, startedAt });
  await store.finishRun(run, 'finished', startedAt);
  return run;
}

interface ChangedFarm {
  readonly database: string;
  /** The newest night. */
  readonly run: number;
  /** Executable of the old build. */
  readonly older: string;
}

/**
 * Stores twenty nights with an old build of Node.js, then some with a new one, which take half as
 * long again.
 */
export async function aChangedFarm(folder: string, newNights = 3): Promise<ChangedFarm> {
  const database = join(folder, '.farm', 'farm.db');
  const old = await aBuild(folder, '20.0.1');
  // Without compilers for JavaScript: an interpreter takes several times as long on any machine.
  // Not --jitless, which removes WebAssembly, which fetch needs.
  const slow = await aBuild(folder, '20.0.2', '--no-opt --no-sparkplug');
  const generator = seededGenerator(61);
  const measured = await theCase();
  const store = await openStore(database);
  let run = 0;
  for (let day = 1; day <= 20 + newNights; day += 1) {
    const isOld = day <= 20;
    const median = (isOld ? 10 : 15) * Math.exp(0.01 * generator.normal());
    const presence = isOld ? old : slow;
    run = await storeNight(store, { case: measured, day, median, presence });
  }
  await store.close();
  return { database, run, older: old.status === 'found' ? old.target.executable : '' };
}
