import { expect, test } from '@playwright/test';
import { openHistory } from '../../core/store/history/history.ts';
import { openStore } from '../../core/store/store.ts';
import { aTrial } from '../../testing/builders.ts';
import { nightJobs, storeNight } from '../../testing/stored-history.ts';
import { progressOf } from './run-progress.ts';

const startedAt = '2026-11-22T00:00:00.000Z';

test('estimates the time left from the trials of this and earlier runs', async () => {
  const path = test.info().outputPath('farm.db');
  const [store, history] = [await openStore(path), await openHistory(path)];
  const progress = progressOf(history, store);
  const jobs = nightJobs(1);
  const run = await storeNight(store, { startedAt, blocks: 1, finished: false, measured: 0 });
  // Nothing is known of such trials.
  expect(await progress(run)).toMatchObject({ status: 'running', leftMs: null });
  const [first, second] = jobs;
  await store.writeTrial(run, aTrial(first!, [1]));
  expect(await progress(run)).toMatchObject({ leftMs: 11_000, counts: { completed: 1 } });
  await store.writeTrial(run, { ...aTrial(second!, [1]), wallMs: 3_000 });
  // Five trials of the first device and five of the second are to come, in turns.
  expect(await progress(run)).toMatchObject({ leftMs: 5 * 1_000 + 5 * 3_000 });
  // The same trials are not reckoned twice.
  expect(await progress(run)).toMatchObject({ leftMs: 20_000 });
  await store.addJobs(run, [{ ...first!, block: 1, ordinal: jobs.length }]);
  expect(await progress(run)).toMatchObject({ leftMs: 21_000 });
  await store.finishRun(run, 'interrupted', startedAt);
  expect(await progress(run)).toMatchObject({ status: 'interrupted', leftMs: null });
  // Of a run that begins after it those trials are known already.
  const next = await storeNight(store, { startedAt, blocks: 1, finished: false, measured: 0 });
  expect((await progress(next))?.leftMs).toBeGreaterThan(0);
  expect(await progress(99)).toBeNull();
  await history.close();
  await store.close();
});
