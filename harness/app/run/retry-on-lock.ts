import { setTimeout as pause } from 'node:timers/promises';
import { wasLocked } from '../../store/failures.ts';

export interface WritingPatience {
  /** How long a lock is waited for in all, in milliseconds. */
  readonly lockMs: number;
  /** The same once the run was told to end: nobody watches Ctrl-C do nothing for minutes. */
  readonly lastMs: number;
  /** Between two tries, each of which waits at the database for some seconds by itself. */
  readonly pauseMs: number;
}

const usualPatience: WritingPatience = { lockMs: 600_000, lastMs: 60_000, pauseMs: 1_000 };

interface Waiting {
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
}

/**
 * Writes to the store again while another process has it locked: a trial that was measured is worth
 * minutes of waiting. It is told once; the run measures nothing meanwhile.
 */
export class PatientWriting {
  #told = false;
  readonly #waiting: Waiting;
  readonly #patience: WritingPatience;

  constructor(waiting: Waiting, patience: WritingPatience = usualPatience) {
    this.#waiting = waiting;
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
        this.#tell();
      }
      await pause(this.#patience.pauseMs);
    }
  }

  #patienceMs(): number {
    const { lockMs, lastMs } = this.#patience;
    return this.#waiting.signal.aborted ? lastMs : lockMs;
  }

  #tell(): void {
    if (this.#told) return;
    this.#told = true;
    const { lockMs } = this.#patience;
    this.#waiting.say(
      `another process has the database locked; nothing is measured until the last trial is stored, for at most ${String(Math.round(lockMs / 60_000))} minutes`,
    );
  }
}
