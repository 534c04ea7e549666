import { readdirSync, readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '../../session/process-table.ts';
import { ProcessTree } from '../../session/process-tree.ts';
import type { Leftovers } from './state.ts';

export interface Watched {
  /** Everything that the farm writes lies in here. */
  readonly folder: string;
  /** Its database; files beside it that begin with its name are its own, too. */
  readonly database: string;
  /** `NAME=value` in the environment of all that is started. */
  readonly mark: string;
  /** The farm itself, which is no leftover. */
  readonly farm: number;
}

/** What a run has left behind. */
export async function lookForLeftovers(watched: Watched): Promise<Leftovers> {
  const { bytes, files } = await measureFolder(watched);
  const tree = new ProcessTree({ roots: [], mark: watched.mark, profile: watched.folder });
  const processes = tree.find().filter(({ pid }) => pid !== watched.farm).length;
  return { diskBytes: bytes, diskFiles: files, processes, staleDisplays: countStaleDisplays() };
}

async function measureFolder({
  folder,
  database,
}: Watched): Promise<{ readonly bytes: number; readonly files: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(database));
  const sizes = await Promise.all(paths.map(sizeOf));
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: paths.length };
}

/** What goes away while it is looked at has no size. */
function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Null when it went since it was listed: other farms' displays come and go. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** An X server that was killed leaves its lock file, and its number is lost to all that follow. */
export function countStaleDisplays(folder = tmpdir()): number {
  return readdirSync(folder).filter((name) => {
    if (!/^\.X\d+-lock$/.test(name)) return false;
    const text = readIfThere(join(folder, name));
    return text !== null && identify(Number(text)) === null;
  }).length;
}
