import { expect, test } from '@playwright/test';
import { join } from 'node:path';
import type { RunRecord, RunSetting, RunStatus } from '../../model/run.ts';
import { farmMark } from '../../session/farm-mark.ts';
import { openStore } from '../../store/store.ts';
import { aFolder } from '../../testing/folder.ts';
import {
  after,
  aRemeasuring,
  askedTest,
  begunTest,
  itsSetting,
  swinging,
} from '../../testing/remeasured.ts';
import { findStoredTest } from './stored-test.ts';

interface Stored {
  readonly record: RunRecord;
  readonly status?: RunStatus;
  readonly farm?: string;
  readonly setting?: RunSetting;
  readonly suite?: string;
}

const undecided = aRemeasuring(swinging);

/** Puts these runs into a database, and looks there for the one to go on with. */
async function find(...runs: readonly Stored[]) {
  const database = join(await aFolder(), 'farm.db');
  const store = await openStore(database);
  for (const {
    record: { run, presences, jobs, trials },
    status = 'finished',
    farm = farmMark(),
    setting = itsSetting,
    suite = 'compare',
  } of runs) {
    const facts = { ...run, suite, presences, jobs, setting: { farm, document: setting } };
    const id = await store.createRun(facts);
    for (const trial of trials) await store.writeTrial(id, trial);
    if (status !== 'running') await store.finishRun(id, status, run.startedAt);
  }
  await store.close();
  return findStoredTest(askedTest, database);
}

test('the newest run of the same test is found, behind those of other questions', async () => {
  const newer = { ...after, target: { ...after.target, executable: '/opt/158/chrome' } };
  const ofOtherBuilds = { ...undecided, presences: [newer, ...undecided.presences.slice(1)] };
  const ofOtherMetric = { ...itsSetting, test: { ...begunTest, metric: 'firstCall' } };
  const found = await find(
    { record: aRemeasuring(swinging, 6) },
    { record: undecided },
    { record: ofOtherBuilds },
    { record: undecided, setting: ofOtherMetric },
    { record: undecided, suite: 'nightly' },
  );
  expect(found).toMatchObject({
    carried: { run: 2, blocks: 8, alpha: begunTest.alpha },
    record: { run: { id: 2 } },
    stored: { farm: farmMark() },
  });
});

test('where the newest is decided, an older one is not gone on with', async () => {
  expect(await find({ record: undecided }, { record: aRemeasuring(() => 1.5, 12) })).toBeNull();
  expect(await find()).toBeNull();
});

test('one that was broken off is gone on with, and one that is being carried out is not', async () => {
  const deadFarm = farmMark().replace(/^(\d+):[^:]*/, '$1:1');
  const dead = await find({ record: undecided, status: 'running', farm: deadFarm });
  expect(dead?.carried).toMatchObject({ run: 1, blocks: 8 });
  const stopped = await find({ record: undecided, status: 'interrupted' });
  expect(stopped?.carried).toMatchObject({ run: 1, blocks: 8 });
  expect(await find({ record: undecided, status: 'running' })).toBeNull();
});
