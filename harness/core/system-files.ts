import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Small files of the system, read at once. A file or process that is gone gives null, never an error. */
export interface SystemFiles {
  read(path: string): string | null;
  /** Names inside a folder; none when it is gone. */
  list(path: string): readonly string[];
}

/**
 * ENOENT: no such file here; ESRCH: the process ended between open and read; EACCES and EPERM: the
 * file belongs to another user; EINVAL, EIO, ENODEV, EBUSY, EOPNOTSUPP: the kernel has no answer (a
 * core that is offline, pressure accounting that is switched off).
 */
const absent: ReadonlySet<string> = new Set([
  ...['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'],
  ...['EINVAL', 'EIO', 'ENODEV', 'EBUSY', 'EOPNOTSUPP'],
]);

/** True if an error of the file system only says that the kernel has no value here. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && absent.has(String(error.code));
}

function unlessAbsent<Value>(work: () => Value, otherwise: Value): Value {
  try {
    return work();
  } catch (error) {
    if (isAbsent(error)) return otherwise;
    throw error;
  }
}

/** The running system's own files. One read of a file in /proc was seen to take about 12 µs. */
export const realFiles: SystemFiles = {
  read: (path) => unlessAbsent<string | null>(() => readFileSync(path, 'utf8'), null),
  list: (path) => unlessAbsent<readonly string[]>(() => readdirSync(path), []),
};

let known: number | null = null;

/**
 * USER_HZ, the unit of times in /proc, in ticks per second; asked once per process, because
 * starting `getconf` takes milliseconds. It is 100 on every common build of Linux, which is also
 * what is taken where `getconf` is not installed or answers nonsense.
 */
export function clockTicksPerSecond(): number {
  known ??= askGetconf();
  return known;
}

function askGetconf(): number {
  try {
    const answer = execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8', timeout: 2_000 });
    const ticks = Number(answer);
    return Number.isInteger(ticks) && ticks > 0 ? ticks : 100;
  } catch (error) {
    if (error instanceof Error) return 100;
    throw error;
  }
}
