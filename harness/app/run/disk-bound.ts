import { setTimeout as pause } from 'node:timers/promises';
import type { RunnerSession } from '../../run/session-keeper.ts';

export interface DiskBound {
  /** Bytes that may still be written where the profile is; null where that is not known. */
  readonly freeBytes: () => Promise<number | null>;
  readonly everyMs: number;
}

/** Space that is left for the database and for everybody else. */
const leastBytes = 512 * 2 ** 20;

/**
 * A session that counts as dead once its disk is almost full, so that the runner ends it, its
 * profile goes, and the run goes on: a page can write gigabytes within one trial. A disk that was as
 * full when the session began is not its fault, and bounds nothing.
 */
export function boundByDisk(session: RunnerSession, bound: DiskBound): RunnerSession {
  const watching = new AbortController();
  return {
    ...session,
    ended: Promise.race([session.ended, untilFull(bound, watching.signal)]),
    close: async () => {
      watching.abort();
      await session.close();
    },
  };
}

/** Resolves with a sentence when the disk is almost full, and else never. */
async function untilFull({ freeBytes, everyMs }: DiskBound, signal: AbortSignal): Promise<string> {
  const isFull = (bytes: number | null): bytes is number => bytes !== null && bytes < leastBytes;
  if (isFull(await freeBytes())) return never();
  while (!signal.aborted) {
    // It rejects when the session is closed, which the loop then sees.
    await pause(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    const bytes = await freeBytes();
    if (!signal.aborted && isFull(bytes)) {
      const left = `${String(Math.round(bytes / 2 ** 20))} MiB`;
      return `its profile filled the disk, or something else did: ${left} were left`;
    }
  }
  return never();
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
