import { randomBytes } from 'node:crypto';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { requireOwnLinks } from '../../own-path.ts';
import { makeFolder } from '../../farm-folder.ts';

/**
 * Writes a file, with the folders above it, whole or not at all: a reader
 * meanwhile, or after a full disk, finds the old one. A pipe or a device is written to as it is.
 * @throws FarmError `cannot-write` for another user's link, or Error of the file system; then nothing of it is left behind.
 */
export async function writeWholeFile(path: string, data: string | Uint8Array): Promise<void> {
  requireOwnLinks(path);
  await makeFolder(dirname(path));
  const there = await kindOfFile(path);
  if (there === 'special') {
    await writeFile(path, data);
    return;
  }
  // A link stays a link: what it names is replaced.
  const place = there === 'file' ? await realpath(path) : path;
  const half = `${place}.${randomBytes(4).toString('hex')}.half`;
  try {
    await writeFile(half, data, { flag: 'wx' });
    await rename(half, place);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}

/** `special`: renaming a file over /dev/null, which root may, would take it from everybody. */
async function kindOfFile(path: string): Promise<'none' | 'file' | 'special'> {
  try {
    return (await stat(path)).isFile() ? 'file' : 'special';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none';
    throw error;
  }
}
