/** A counter that had risen when it was read. */
export interface LogEntry {
  readonly atMs: number;
  readonly thread: number;
  readonly onCpuNs: number;
}

/** What a sampler saw. Numbers in typed arrays, which make no garbage; they double when they are full. */
export class CounterLog {
  #instants = new Float64Array(256);
  #ticks = 0;
  /** Three numbers an entry: tick, thread, nanoseconds. */
  #entries = new Float64Array(3 * 1024);
  #length = 0;

  begin(atMs: number): void {
    if (this.#ticks === this.#instants.length) this.#instants = doubled(this.#instants);
    this.#instants[this.#ticks] = atMs;
    this.#ticks += 1;
  }

  add(thread: number, onCpuNs: number): void {
    if (this.#length === this.#entries.length) this.#entries = doubled(this.#entries);
    this.#entries[this.#length] = this.#ticks - 1;
    this.#entries[this.#length + 1] = thread;
    this.#entries[this.#length + 2] = onCpuNs;
    this.#length += 3;
  }

  instants(): readonly number[] {
    return [...this.#instants.subarray(0, this.#ticks)];
  }

  steps(): readonly LogEntry[] {
    return Array.from({ length: this.#length / 3 }, (_, index) => {
      const [tick = 0, thread = 0, onCpuNs = 0] = this.#entries.subarray(3 * index, 3 * index + 3);
      return { atMs: this.#instants[tick] ?? 0, thread, onCpuNs };
    });
  }
}

function doubled(full: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * full.length);
  larger.set(full);
  return larger;
}
