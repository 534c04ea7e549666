import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { backupPath, pruneBackups, removeHalfFiles } from './night-folder.ts';

const night = (day: number) => ({
  id: `2026-01-0${String(day)}T02-30-00Z`,
  startedAt: `2026-01-0${String(day)}T02:30:00.000Z`,
});

const before = '2026-01-04T00:00:00.000Z';

async function aFolderOf(...days: readonly number[]): Promise<string> {
  const folder = await aFolder();
  for (const day of days) await writeFile(backupPath(folder, night(day).id), 'copy');
  return folder;
}

test('old backups of these nights go, and nothing else of the folder', async () => {
  const folder = await aFolderOf(1, 2, 3, 4, 5);
  await writeFile(join(folder, 'farm-of-somebody-else.db'), 'mine');
  const nights = [5, 4, 3, 2, 1].map(night);
  const gone = await pruneBackups(nights, { folder, before });
  expect(gone).toEqual([3, 2, 1].map((day) => backupPath(folder, night(day).id)));
  expect((await readdir(folder)).sort()).toEqual([
    'farm-2026-01-04T02-30-00Z.db',
    'farm-2026-01-05T02-30-00Z.db',
    'farm-of-somebody-else.db',
  ]);
});

test('the newest two stay, however old they are', async () => {
  const folder = await aFolderOf(1, 2, 3);
  const nights = [5, 4, 3, 2, 1].map(night);
  expect(await pruneBackups(nights, { folder, before })).toEqual([backupPath(folder, night(1).id)]);
});

async function aFile(folder: string, name: string, { hoursOld = 5 } = {}): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, 'half');
  const then = new Date(Date.now() - hoursOld * 3_600_000);
  await utimes(path, then, then);
}

test('abandoned half files are removed; those being written, and all other files, stay', async () => {
  const folder = await aFolder();
  await aFile(folder, 'farm.db.0a1b2c3d.half');
  await aFile(folder, 'farm.db.0a1b2c3d.half-journal');
  await aFile(folder, 'farm.db.ffffffff.half', { hoursOld: 0 });
  await aFile(folder, 'farm.db');
  await aFile(folder, 'my.half');
  await mkdir(join(folder, 'nights'));
  await aFile(join(folder, 'nights'), 'night.json.00000000.half');
  const folders = [folder, join(folder, 'nights'), join(folder, 'nowhere'), folder];
  expect(await removeHalfFiles(folders)).toBe(3 * 'half'.length);
  expect((await readdir(folder)).sort()).toEqual(
    ['farm.db', 'farm.db.ffffffff.half', 'my.half', 'nights'].sort(),
  );
  expect(await readdir(join(folder, 'nights'))).toEqual([]);
});
