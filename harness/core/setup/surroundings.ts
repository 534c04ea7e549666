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

const tenthMs = 100;

/**
 * Times one piece of work again and again for two seconds. Recursion, because it keeps the whole of a
 * core busy: a chain of additions would not notice who shares it.
 * @returns how long a piece took in each tenth of a second, in milliseconds
 */
export async function timeSameWork(): Promise<readonly number[]> {
  const fib = (n: number): number => (n < 2 ? n : fib(n - 1) + fib(n - 2));
  const tenths: number[] = [];
  // The first tenth is for the compiler.
  for (let tenth = 0; tenth <= 20; tenth += 1) {
    const began = performance.now();
    let pieces = 0;
    for (; performance.now() - began < tenthMs; pieces += 1) fib(20);
    if (tenth > 0) tenths.push((performance.now() - began) / pieces);
    // Signals are heard in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return tenths;
}
