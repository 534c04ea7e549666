import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DriverError } from '../../drivers/driver.ts';

const taskset = '/usr/bin/taskset';

/**
 * An executable that starts the given one on the first so many cores. A script in its stead and not
 * a change of the farm's own affinity: every driver takes an executable, its process keeps its pid
 * (exec), its children inherit the cores, and the farm itself stays free to watch from any core.
 * @throws DriverError `not-supported` where cores cannot be chosen.
 */
export async function pinnedExecutable(
  executable: string,
  { cores, directory }: { readonly cores: number; readonly directory: string },
): Promise<string> {
  if (process.platform !== 'linux' || !existsSync(taskset)) {
    throw new DriverError(
      'not-supported',
      `A browser is pinned to ${String(cores)} core(s) by taskset, which this machine does not have`,
    );
  }
  const path = join(directory, 'pinned.sh');
  const list = cores === 1 ? '0' : `0-${String(cores - 1)}`;
  await writeFile(path, `#!/bin/sh\nexec ${taskset} -c ${list} ${quoted(executable)} "$@"\n`, {
    mode: 0o700,
  });
  return path;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
