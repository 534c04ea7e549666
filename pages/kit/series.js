import { slowestCalm } from './reference.js';

/** @import { Segment } from './segments.js' */

/** Every iteration from the very first call on. */
export class Series {
  /** @type {number[]} of one operation */
  ms = [];
  /** @type {number[]} since the first call began */
  endMs = [];
  /** @type {number[]} operations in each iteration */
  repeats = [];
  /** Operations in all. */
  calls = 0;
  /** @type {number[]} of the reference work after each iteration; 0 where it was not done */
  readings = [];
  /**
   * @param {number} durationMs of the iteration
   * @param {{ endMs: number, repeats: number, reading: number }} facts
   */
  add(durationMs, { endMs, repeats, reading }) {
    this.ms.push(durationMs / repeats);
    this.endMs.push(endMs);
    this.repeats.push(repeats);
    this.calls += repeats;
    this.readings.push(reading);
  }

  /** How long these iterations have lasted, and how many operations they made. */
  during(/** @type {Pick<Segment, 'from' | 'to'>} */ { from, to }) {
    let [ms, calls] = [0, 0];
    for (let i = from; i < to; i++) {
      const repeats = this.repeats[i] ?? 0;
      ms += (this.ms[i] ?? 0) * repeats;
      calls += repeats;
    }
    return { ms, calls };
  }

  /**
   * The iterations during which the machine ran at its own speed: the reference work was not slow
   * before them nor after them. Compilers, clocks and segments are judged by these alone.
   */
  calm() {
    const limit = slowestCalm(this.readings);
    const calm = new Series();
    /** @type {number[]} */
    const places = [];
    /** @type {number[]} */
    let since = [];
    let wasCalm = true;
    this.readings.forEach((reading, i) => {
      since.push(i);
      if (reading === 0) return;
      const isCalm = reading <= limit;
      if (isCalm && wasCalm) places.push(...since);
      since = [];
      wasCalm = isCalm;
    });
    if (wasCalm) places.push(...since);
    for (const i of places) {
      const [endMs = 0, repeats = 1, ms = 0] = [this.endMs[i], this.repeats[i], this.ms[i]];
      calm.add(ms * repeats, { endMs, repeats, reading: 0 });
    }
    return { calm, places };
  }
}

/** Most points that are kept from before the window. */
const mostKept = 600;

/**
 * Adjacent values are joined until few enough are left. The first call stays as it was.
 * @param {{ ms: number[], endMs: number[] }} early
 */
export function thinned({ ms: [first = 0, ...ms], endMs: [firstEnd = 0, ...endMs] }) {
  while (ms.length > mostKept) {
    ms = paired(ms, (one, other) => (one + other) / 2);
    endMs = paired(endMs, (_, other) => other);
  }
  return { ms: [first, ...ms], endMs: [firstEnd, ...endMs] };
}

/**
 * @param {readonly number[]} values
 * @param {(one: number, other: number) => number} join
 */
function paired(values, join) {
  const pairs = [];
  for (let i = 0; i < values.length; i += 2) {
    const one = values[i] ?? 0;
    pairs.push(join(one, values[i + 1] ?? one));
  }
  return pairs;
}
