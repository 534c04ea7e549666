import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';

/**
 * Bounds of a confined program: a benchmark that goes wild, or is meant to, takes neither the machine's
 * memory, processes nor disk with it. They are wide enough for what is measured: none of the farm's own
 * benchmarks comes near one.
 */
const bounds = {
  /** Processes and threads. A server or a pool of workers has some dozens. */
  processes: 4_096,
  /** Of one file; the disk as a whole is watched by the farm. */
  fileBytes: 2 ** 30,
  /** Of each folder in memory. */
  memoryFolderBytes: 2 ** 28,
  /** Share of the machine's memory that one process may write to, and all of a session where the system counts it. */
  memoryShare: 0.5,
} as const;

/** Arguments of bubblewrap: a folder in memory that everybody may write to, and how much there. */
export function memoryFolder(path: string): readonly string[] {
  return ['--perms', '1777', '--size', String(bounds.memoryFolderBytes), '--tmpfs', path];
}

/** Limits of a confined session's processes on the machine's memory, in bytes. */
export function memoryBound(): number {
  return Math.floor(totalmem() * bounds.memoryShare);
}

/**
 * Bytes that a product reserves as its own to write to when it begins, which a bound of one process must
 * leave it: 6 GiB were seen of Bun 1.3, 0.6 of Deno, 0.02 of SpiderMonkey 102. JavaScriptCore reserves 67 GiB
 * where it may, and works without its cage where it may not: what it writes to is watched instead, as of
 * all products that are not here.
 */
const reservedBytes: Readonly<Record<string, number>> = {
  node: 0,
  deno: 2 ** 30,
  bun: 2 ** 33,
  native: 0,
  wasmtime: 0,
  spidermonkey: 2 ** 30,
};

function reservedBy(browser: string): number | undefined {
  return Object.hasOwn(reservedBytes, browser) ? reservedBytes[browser] : undefined;
}

/** The memory in bytes that a confined session is watched to keep to; 0 where each process is held to it. */
export function watchedBytes(browser: string): number {
  return reservedBy(browser) === undefined ? memoryBound() : 0;
}

/** Stands in front of the program: sets the limits of it and of its children. */
export function buildLimits(browser: string): readonly string[] {
  const reserved = reservedBy(browser);
  return [
    // When memory runs out all the same, the kernel ends this first, and not the farm.
    ...ifThere('choom', ['-n', '1000', '--']),
    ...ifThere('prlimit', [
      `--nproc=${String(bounds.processes)}`,
      `--fsize=${String(bounds.fileBytes)}`,
      '--core=0',
      ...(reserved === undefined ? [] : [`--data=${String(memoryBound() + reserved)}`]),
      '--',
    ]),
  ];
}

/** Both come with util-linux, as setpriv does, which a root farm needs anyway. */
function ifThere(program: string, args: readonly string[]): readonly string[] {
  const path = [`/usr/bin/${program}`, `/bin/${program}`].find((one) => existsSync(one));
  return path === undefined ? [] : [path, ...args];
}
