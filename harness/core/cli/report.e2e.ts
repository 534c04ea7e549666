import { expect, test } from '@playwright/test';
import { openStore } from '../store/store.ts';
import { startFarm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { aStoredHistory, storeNight } from '../../testing/stored-history.ts';

async function storeLongNight(database: string): Promise<number> {
  const store = await openStore(database);
  try {
    const startedAt = '2026-11-22T00:00:00.000Z';
    return await storeNight(store, { startedAt, blocks: 40, finished: false });
  } finally {
    await store.close();
  }
}

test('a database that another process writes is reported meanwhile, without colours', async () => {
  const database = await aStoredHistory();
  const writing = storeLongNight(database);
  const reading = startFarm(await aFolder(), [
    'report',
    '1',
    '2',
    '--database',
    database,
    '--terminal',
  ]);
  const { exitCode, stdout } = await reading;
  expect(exitCode).toBe(0);
  expect(stdout).toContain('chromium, run 2');
  expect(stdout).not.toContain('\u001b');
  await writing;
});
