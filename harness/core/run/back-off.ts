import { setTimeout as rest } from 'node:timers/promises';
import type { Limits } from './limits.ts';

export interface Pause {
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number;
  readonly rest?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Lets a target that died come to rest before its browser is started again: a machine that reboots, a
 * server that restarts and a disk that is swept need a moment, and a browser that dies at once would
 * use up its tries within a second. The rest begins with the failure, so that the trials of other
 * targets in between count.
 */
export class BackOff {
  private readonly inARow = new Map<string, number>();
  private readonly until = new Map<string, number>();
  private readonly limits: Pick<Limits, 'restMs' | 'longestRestMs'>;
  private readonly now: () => number;
  private readonly rest: NonNullable<Pause['rest']>;

  constructor(
    limits: Pick<Limits, 'restMs' | 'longestRestMs'>,
    { now = () => performance.now(), rest: pause = restUnlessAborted }: Pause = {},
  ) {
    this.limits = limits;
    this.now = now;
    this.rest = pause;
  }

  /** After an attempt on the target, which died of it or not. */
  note(deviceId: string, died: boolean): void {
    const count = died ? (this.inARow.get(deviceId) ?? 0) + 1 : 0;
    this.inARow.set(deviceId, count);
    const { restMs, longestRestMs } = this.limits;
    const ms = died ? Math.min(restMs * 2 ** (count - 1), longestRestMs) : 0;
    this.until.set(deviceId, this.now() + ms);
  }

  /** Returns when the target may be started, and at once when the run is aborted. */
  async wait(deviceId: string, signal: AbortSignal): Promise<void> {
    const ms = (this.until.get(deviceId) ?? 0) - this.now();
    if (ms > 0) await this.rest(ms, signal);
  }
}

async function restUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await rest(ms, undefined, { signal });
  } catch (error) {
    // The waiting code checks the signal next.
    if (!signal.aborted) throw error;
  }
}
