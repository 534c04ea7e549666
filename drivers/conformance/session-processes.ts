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
 * A launch that was given up may still start its process: one look that finds nothing proves
 * nothing, so four looks in a row over 1.5 s must agree.
 */
export async function expectNothingComes(mark: string): Promise<void> {
  let looks = 0;
  const seen = (): string => {
    const there = findMarked(mark).map(commandOf);
    looks = there.length === 0 ? looks + 1 : 0;
    return there.length > 0 ? there.join('\n') : looks >= 4 ? 'nothing' : 'nothing yet';
  };
  await expect.poll(seen, { timeout: goneMs, intervals: [500] }).toBe('nothing');
}

/** Describes a process that stayed, for the test's message. */
function commandOf(pid: number): string {
  try {
    const [status, command] = ['status', 'cmdline'].map((name) =>
      readFileSync(`/proc/${String(pid)}/${name}`, 'utf8'),
    );
    const parent = /^PPid:\s*(\d+)/m.exec(status ?? '')?.[1] ?? '?';
    const line = (command ?? '').replaceAll('\0', ' ').slice(0, 400);
    return `process ${String(pid)} of ${parent}: ${line}`;
  } catch {
    return `process ${String(pid)}, which has just ended`;
  }
}
