import { expect, test } from '@playwright/test';
import { openHistory } from '../../core/store/history/history.ts';
import { openStore } from '../../core/store/store.ts';
import { storeNight } from '../../testing/stored-history.ts';
import { progressOf } from './run-progress.ts';

const startedAt = '2026-11-22T00:00:00.000Z';

test('what is left is what the farm of the run said last, less the time since then', async () => {
  const path = test.info().outputPath('farm.db');
  const [store, history] = [await openStore(path), await openHistory(path)];
  let now = Date.parse(startedAt);
  const progress = progressOf(history, () => now);
  const stage = {
    at: startedAt,
    leftMs: 60_000,
    endsEarly: true,
    blocks: 3,
    most: { trials: 404, blocks: 101 },
    looked: 2,
  };
  const night = { startedAt, blocks: 1, finished: false, measured: 0 };
  const run = await storeNight(store, { ...night, news: { stage } });
  expect(await progress(run)).toMatchObject({ status: 'running', leftMs: 60_000, stage });
  now += 20_000;
  expect(await progress(run)).toMatchObject({ leftMs: 40_000 });
  now += 80_000;
  expect(await progress(run)).toMatchObject({ leftMs: 0 });
  await store.keepStage(run, { stage: { ...stage, leftMs: null } });
  expect(await progress(run)).toMatchObject({ leftMs: null });
  await store.finishRun(run, 'interrupted', startedAt);
  expect(await progress(run)).toMatchObject({ status: 'interrupted', leftMs: null, stage: null });
  // Of a run of an older farm nothing is known.
  const older = await storeNight(store, night);
  expect(await progress(older)).toMatchObject({ leftMs: null, stage: null });
  expect(await progress(99)).toBeNull();
  await history.close();
  await store.close();
});
