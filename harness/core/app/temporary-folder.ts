import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { farmMark, isOfDeadFarm } from '../session/farm-mark.ts';
import { startWatchdog } from '../session/watchdog.ts';

const prefix = 'crossfarm-versions-';

/** In each folder: whose it is. */
const markFile = '.farm-mark';

/**
 * Makes a folder for as long as `use` lasts. Should the farm be killed meanwhile, what it had started is
 * ended at once, and the folder removed by the next farm that makes one.
 */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  await sweepTemporaryFolders();
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const watchdog = startWatchdog(folder);
  try {
    await writeFile(join(folder, markFile), farmMark());
    return await use(folder);
  } finally {
    watchdog.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes the folders of farms that have died. Others' are left alone: their marks may say anything. */
async function sweepTemporaryFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(tmpdir(), name);
    const found = await lstat(folder).catch(() => null);
    if (found?.isDirectory() !== true || found.uid !== (process.getuid?.() ?? found.uid)) continue;
    const mark = await readFile(join(folder, markFile), 'utf8').catch(() => '');
    // The next farm tries again to remove the rest.
    if (isOfDeadFarm(mark))
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
