import { setTimeout as pause } from 'node:timers/promises';
import { FarmError } from '../../core/errors.ts';
import type { FarmServer } from './server.ts';

/** Between two tries of what failed: a server that is away, a full disk. */
export const againMs = 5_000;

/** A server that may be away for a while. */
export class ServerLink {
  readonly server: FarmServer;
  readonly #say: (sentence: string) => void;
  readonly #meanwhile: string;
  #isAway = false;

  /** @param meanwhile sentence that says what happens while it is away */
  constructor(server: FarmServer, say: (sentence: string) => void, meanwhile: string) {
    this.server = server;
    this.#say = say;
    this.#meanwhile = meanwhile;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Does something with the server; `away` where it cannot be reached. */
  async reach<T>(work: () => Promise<T>): Promise<T | 'away'> {
    try {
      const result = await work();
      if (this.#isAway) this.#say(`${this.server.name} is back`);
      this.#isAway = false;
      return result;
    } catch (error) {
      if (!(error instanceof FarmError) || error.code !== 'farm-unreachable') throw error;
      if (!this.#isAway) this.#say(`${error.message} ${this.#meanwhile}`);
      this.#isAway = true;
      return 'away';
    }
  }

  /** The same, again and again until it can be reached; null where the signal aborts before. */
  async reachAtLast<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
    while (!signal.aborted) {
      const result = await this.reach(work);
      if (result !== 'away') return result;
      // It rejects where the signal aborts, which the loop then sees.
      await pause(againMs, undefined, { signal }).catch(() => undefined);
    }
    return null;
  }
}
