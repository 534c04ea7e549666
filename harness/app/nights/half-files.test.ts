import { expect, test } from '@playwright/test';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aFolder } from '../../testing/folder.ts';
import { removeHalfFiles } from './backups.ts';

async function aFile(folder: string, name: string, { hoursOld = 5 } = {}): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, 'half');
  const then = new Date(Date.now() - hoursOld * 3_600_000);
  await utimes(path, then, then);
}

test('half files that nobody will finish go; those being written, and all else, stay', async () => {
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
