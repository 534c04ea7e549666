import { statfs } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** Bytes that may still be written where the path is, or will be; null where the system does not say. */
export async function freeDiskBytes(path: string): Promise<number | null> {
  const folder = nearestFolder(path);
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    // Some network and in-memory file systems do not answer; the doctor then says that it is not shown.
    return null;
  }
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}
