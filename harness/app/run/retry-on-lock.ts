import { setTimeout as pause } from 'node:timers/promises';
import { wasLocked } from '../../store/failures.ts';
import type { Caller } from '../caller.ts';

export interface LockPatience {
  /** How long a lock is waited for in all, in milliseconds. */
  readonly lockMs: number;
  /** The same after Ctrl-C, which should not take minutes. */
  readonly lastMs: number;
  /** Between two tries, each of which waits at the database for some seconds by itself. */
  readonly pauseMs: number;
}

const usualPatience: LockPatience = { lockMs: 600_000, lastMs: 60_000, pauseMs: 1_000 };

/**
 * Writes to the store again while another process has it locked: a trial that was measured is worth
 * minutes of waiting. A message says it once; the run measures nothing meanwhile.
 */
export class RetryOnLock {
  #said = false;
  readonly #caller: Caller;
  readonly #patience: LockPatience;

  constructor(caller: Caller, patience: LockPatience = usualPatience) {
    this.#caller = caller;
    this.#patience = patience;
  }

  /** @throws what `act` throws, a lock only when it lasted for longer than there is patience. */
  async write<T>(act: () => Promise<T>): Promise<T> {
    const began = performance.now();
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!wasLocked(error) || performance.now() - began >= this.#patienceMs()) throw error;
        this.#sayOnce();
      }
      await pause(this.#patience.pauseMs);
    }
  }

  #patienceMs(): number {
    const { lockMs, lastMs } = this.#patience;
    return this.#caller.signal.aborted ? lastMs : lockMs;
  }

  #sayOnce(): void {
    if (this.#said) return;
    this.#said = true;
    const { lockMs } = this.#patience;
    this.#caller.say(
      `another process has the database locked; nothing is measured until the last trial is stored, for at most ${String(Math.round(lockMs / 60_000))} minutes`,
    );
  }
}
