import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Makes a folder and those above it; one that is there stays as it is. A new `.farm` gets a
 * `.gitignore`, so that its databases, builds and reports are not committed by accident. Not
 * `mkdir` with `recursive`, which never returns where a parent exists and yet nothing can be made
 * in it (seen in Node.js 20.20 for a path below /proc): it tries the two in turn without end.
 * @param mode of each folder that is made
 * @throws the file system's error, also for a file of that name
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    if (readCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await makeOne(path, mode);
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Of a root or a mount that is there, systems do not all say EEXIST.
    const isThere = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isThere) return;
    throw error;
  }
  if (basename(path) !== '.farm') return;
  // A file of another farm stays, and a failure to write is not a reason to stop.
  await writeFile(join(path, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => undefined);
}

function readCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
