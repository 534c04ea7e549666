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

  /**
   * The same bytes, as they come over the line. Resolves when the first could have arrived.
   * @param free bytes of a text that take no time: the farm put them there
   */
  async send(payload: unknown, free = 0): Promise<unknown> {
    await pause(this.#condition.latencyMs);
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
      const bytes = Buffer.from(payload);
      const [first, rest] = [bytes.subarray(0, free), bytes.subarray(free)];
      return Readable.from(this.#pieces([rest], first));
    }
    return payload instanceof Readable ? Readable.from(this.#pieces(payload)) : payload;
  }

  async *#pieces(
    source: Iterable<Buffer> | AsyncIterable<Buffer>,
    first = Buffer.alloc(0),
  ): AsyncGenerator<Buffer> {
    if (first.length > 0) yield first;
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
