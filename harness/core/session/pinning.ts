import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DriverError } from '../../../drivers/driver.ts';
import { parseAllowedCores } from '../procfs.ts';
import { describeRemedy } from '../system-packages.ts';

const taskset = ['/usr/bin/taskset', '/bin/taskset'].find((path) => existsSync(path));

/** Why a browser cannot be pinned to some of the cores here; null when it can. */
export function whyNoPinning(platform: NodeJS.Platform = process.platform): string | null {
  if (platform !== 'linux') {
    return `a browser is pinned to some cores by Linux's taskset, and this is ${platform}`;
  }
  return taskset === undefined
    ? `a browser is pinned to some cores by taskset, which is not installed (${describeRemedy('taskset')})`
    : null;
}

/**
 * The cores that this process may run on: in a container or under a cpuset they are fewer than the
 * machine has, and need not begin at 0. Empty where the system does not say.
 */
export function allowedCores(): readonly number[] {
  return parseAllowedCores(readStatus() ?? '');
}

function readStatus(): string | null {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return null;
  }
}

/**
 * An executable that starts the given one on the first allowed cores. A script in its stead and not
 * a change of the farm's own affinity: every driver takes an executable, its process keeps its pid
 * (exec), its children inherit the cores, and the farm itself stays free to watch from any.
 * @throws DriverError `not-supported` where cores cannot be chosen, or are not there.
 */
export async function pinnedExecutable(
  executable: string,
  { cores, directory }: { readonly cores: number; readonly directory: string },
): Promise<string> {
  const reason = whyNoPinning();
  if (reason !== null || taskset === undefined) {
    throw new DriverError('not-supported', reason ?? 'there is no taskset');
  }
  const allowed = allowedCores();
  if (allowed.length < cores) {
    throw new DriverError(
      'not-supported',
      `A browser cannot be pinned to ${String(cores)} cores: ${String(allowed.length)} may be used here`,
    );
  }
  const path = join(directory, 'pinned.sh');
  const list = allowed.slice(0, cores).join(',');
  await writeFile(path, `#!/bin/sh\nexec ${taskset} -c ${list} ${quoted(executable)} "$@"\n`, {
    mode: 0o700,
  });
  return path;
}

/** For a shell's command line. */
export function quoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
