import { expect } from '@playwright/test';
import { readdirSync, readFileSync } from 'node:fs';
import { isLiving } from '../shared/child-program.ts';

/** Processes of a session, found by its mark: the folder that is in the environment of each. */

const goneMs = 60_000;

/** Ends a process, unless it has just ended by itself. */
export function kill(pid: number | undefined): void {
  if (pid === undefined || !isLiving(pid)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Living processes whose environment or command line names this test's folder. */
export function findMarked(mark: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && names(pid, mark) && isLiving(pid));
}

function names(pid: number, mark: string): boolean {
  try {
    const files = ['environ', 'cmdline'];
    return files.some((file) =>
      readFileSync(`/proc/${String(pid)}/${file}`, 'utf8').includes(mark),
    );
  } catch {
    return false;
  }
}

/** Helpers notice the end of their browser a moment later than we do. */
export async function expectNothingLeft(mark: string): Promise<void> {
  await expect.poll(() => findMarked(mark), { timeout: goneMs }).toEqual([]);
}

/**
 * A launch that nobody waits for any more may have its process still to come: one look that finds
 * nothing proves nothing, so four looks in a row over 1.5 s must agree.
 */
export async function expectNothingComes(mark: string): Promise<void> {
  let looks = 0;
  const quietLooks = (): number => {
    looks = findMarked(mark).length === 0 ? looks + 1 : 0;
    return looks;
  };
  await expect.poll(quietLooks, { timeout: goneMs, intervals: [500] }).toBeGreaterThanOrEqual(4);
}
