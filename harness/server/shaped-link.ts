import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { NetworkCondition } from '../model/case.ts';

/** Small, so that answers that are under way together share the line evenly. */
const pieceBytes = 4_096;

/**
 * A line with a round-trip time and a rate, which all answers over it share. Requests wait for the
 * round trip once; that of a new connection is not added.
 */
export class ShapedLink {
  readonly #condition: NetworkCondition;
  /** When the last piece that was sent has arrived. */
  #freeAtMs = 0;

  constructor(condition: NetworkCondition) {
    this.#condition = condition;
  }

  /** The same bytes, as they come over the line. Resolves when the first could have arrived. */
  async send(payload: unknown): Promise<unknown> {
    await pause(this.#condition.latencyMs);
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
      return Readable.from(this.#pieces([Buffer.from(payload)]));
    }
    return payload instanceof Readable ? Readable.from(this.#pieces(payload)) : payload;
  }

  async *#pieces(source: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      for (let from = 0; from < chunk.length; from += pieceBytes) {
        const piece = chunk.subarray(from, from + pieceBytes);
        await this.#arrival(piece.length);
        yield piece;
      }
    }
  }

  async #arrival(bytes: number): Promise<void> {
    const now = performance.now();
    const takesMs = (8 * bytes) / this.#condition.kbitPerSecond;
    this.#freeAtMs = Math.max(now, this.#freeAtMs) + takesMs;
    await pause(this.#freeAtMs - now);
  }
}
