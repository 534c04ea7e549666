import { setTimeout as pause } from 'node:timers/promises';
import { FarmError } from '../../errors.ts';
import type { Caller } from '../caller.ts';

const minuteMs = 60_000;

/** Someone who makes room, or a program that holds the database, mostly needs less than an hour. */
const restsMs: readonly number[] = [1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs);

/** Its signal ends the rests: what is not done by then stays undone. */
export interface Retrying<T> extends Caller {
  /** Goes on with what was begun; null when there is nothing to go on with. */
  readonly again: () => (() => Promise<T>) | null;
  readonly rest?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Does something that may fail for want of a disk, and goes on with it after a rest, longer each
 * time. What failed for another reason would fail again.
 * @throws the last failure.
 */
export async function retryLater<T>(
  first: () => Promise<T>,
  { again, say, signal, rest = restUnlessAborted }: Retrying<T>,
): Promise<T> {
  let work = first;
  for (const ms of restsMs) {
    try {
      return await work();
    } catch (error) {
      const next = mayPass(error) ? again() : null;
      if (next === null || signal.aborted) throw error;
      say(`${(error as Error).message} The run goes on in ${String(ms / minuteMs)} min.`);
      await rest(ms, signal);
      if (signal.aborted) throw error;
      work = next;
    }
  }
  return work();
}

function mayPass(error: unknown): boolean {
  return error instanceof FarmError && ['cannot-write', 'disk-full'].includes(error.code);
}

async function restUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  // It rejects when it is aborted, which whoever waits looks at next.
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
