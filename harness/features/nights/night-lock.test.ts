import { expect, test } from '@playwright/test';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { farmMark } from '../../core/session/farm-mark.ts';
import { aFolder } from '../../testing/folder.ts';
import { lockNight, type LockOptions } from './night-lock.ts';

/** Marks of farms that only the test knows; `dead` has ended. */
const play = (mark: string): LockOptions => ({ mark, isDead: (other) => other === 'dead' });

async function aDatabase(): Promise<{ folder: string; database: string }> {
  const folder = await aFolder();
  return { folder, database: join(folder, 'farm.db') };
}

test('a night holds its database until it is released, and leaves nothing behind', async () => {
  const { folder, database } = await aDatabase();
  const lock = await lockNight(database, play('one'));
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^farm\.db\.night-\d{15}-/)]);
  await lock.release();
  expect(await readdir(folder)).toEqual([]);
  await (await lockNight(database, play('two'))).release();
});

test('a second night of the same database is refused with the holder’s name, and the first keeps it', async () => {
  const { folder, database } = await aDatabase();
  const lock = await lockNight(database);
  await expect(lockNight(database)).rejects.toMatchObject({
    code: 'night-in-progress',
    message: expect.stringContaining(`farm process ${String(process.pid)}`),
  });
  expect(await readdir(folder)).toHaveLength(1);
  await (await lockNight(join(folder, 'other.db'))).release();
  await lock.release();
});

test('the lock of a dead farm is removed', async () => {
  const { folder, database } = await aDatabase();
  await lockNight(database, play('dead'));
  const lock = await lockNight(database, play('one'));
  expect(await readdir(folder)).toHaveLength(1);
  await lock.release();
});

test('a process with the pid of a dead farm is not taken for it: the start counts, too', async () => {
  const { database } = await aDatabase();
  const [pid, , place] = farmMark().split(/:(.*):/s);
  await lockNight(database, { mark: `${pid}:long ago:${place}` });
  await (await lockNight(database)).release();
});

test('a night of another machine or container is never taken for dead; the message names the file to remove', async () => {
  const { folder, database } = await aDatabase();
  await lockNight(database, { mark: '7:1:elsewhere/pid-1' });
  const refused = lockNight(database);
  await expect(refused).rejects.toThrow(/another machine.*elsewhere/);
  const [claim = ''] = await readdir(folder);
  await expect(refused).rejects.toMatchObject({ next: expect.stringContaining(claim) });
});

test('exactly one of many simultaneous nights gets the lock', async () => {
  const { folder, database } = await aDatabase();
  for (let round = 0; round < 10; round += 1) {
    const contenders = Array.from({ length: 8 }, (_, index) =>
      lockNight(database, play(`farm ${String(index)}`)),
    );
    const settled = await Promise.allSettled(contenders);
    const won = settled.filter((one) => one.status === 'fulfilled');
    expect(won).toHaveLength(1);
    await won[0]!.value.release();
    expect(await readdir(folder)).toEqual([]);
  }
});

test('a night after the clock was set back is refused', async () => {
  const { folder, database } = await aDatabase();
  await writeFile(`${database}.night-${'9'.repeat(15)}-00000000`, 'later\n');
  const refused = lockNight(database, { ...play('one'), pause: () => Promise.resolve() });
  await expect(refused).rejects.toMatchObject({ code: 'night-in-progress' });
  expect(await readdir(folder)).toHaveLength(1);
});

test('refuses the lock with a sentence if nothing can be written', async () => {
  const { folder } = await aDatabase();
  await writeFile(join(folder, 'file'), '');
  const refused = lockNight(join(folder, 'file', 'farm.db'));
  await expect(refused).rejects.toMatchObject({ code: 'cannot-write' });
});
