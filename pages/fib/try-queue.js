/**
 * The queue of the visitor's page: its curves, in the order in which they are measured. It draws
 * nothing, and measures by the function that it is given.
 *
 * @import { TrialResult } from '../protocol.d.ts'
 *
 * @typedef {{ function: string, n: number, place: 'worker' | 'main' }} Call
 *
 * @typedef {object} Point
 * @property {number} n
 * @property {number} ms of one call: the mean over the timed window
 * @property {TrialResult} result
 * @property {number} beganAt by the page's clock, in milliseconds
 * @property {number} wallMs of the whole trial
 *
 * @typedef {object} Order
 * @property {string} name of the function
 * @property {'worker' | 'main'} place
 * @property {readonly number[]} ns arguments, in their order
 * @property {boolean} together true if it may run at one time with others of the kind, each in its own worker
 *
 * @typedef {'queued' | 'running' | 'finished' | 'cancelled' | 'failed'} State
 *
 * @typedef {Order & { state: State, points: Point[], note: string, shared: boolean, kept: number | null }} Curve
 *   `shared`: another curve ran meanwhile; `kept`: the run in which it is stored.
 */

/** A call of this duration ends the curve: the next would take longer still. */
const longestMs = 20_000;

export class Queue {
  /** @type {Curve[]} */
  #curves = [];
  /** @type {Map<Curve, AbortController>} */
  #running = new Map();
  #measure;
  #onChange;
  #most;

  /**
   * @param {object} options
   * @param {(call: Call, signal: AbortSignal) => Promise<Point>} options.measure rejects with the signal's reason when it aborts
   * @param {() => void} options.onChange called after each change of a curve
   * @param {number} options.most curves that run at one time, at most
   */
  constructor({ measure, onChange, most }) {
    this.#measure = measure;
    this.#onChange = onChange;
    this.#most = most;
  }

  /** @returns {readonly Curve[]} all of them, the first one first */
  get curves() {
    return this.#curves;
  }

  /** @param {readonly Order[]} orders */
  add(orders) {
    for (const order of orders) {
      this.#curves.push({
        ...order,
        state: 'queued',
        points: [],
        note: '',
        shared: false,
        kept: null,
      });
    }
    this.#advance();
  }

  /**
   * Ends a curve. A worker ends at once; on the main thread the call under way goes on to its end.
   * @param {Curve} curve
   */
  cancel(curve) {
    const running = this.#running.get(curve);
    if (running !== undefined) {
      if (curve.place === 'main') curve.note = 'stops after this call';
      running.abort();
    } else if (curve.state === 'queued') curve.state = 'cancelled';
    this.#advance();
  }

  cancelAll() {
    // Those that wait first, so that none of them begins when a running one ends.
    for (const curve of this.#curves.toReversed()) this.cancel(curve);
  }

  /** Says that something of a curve was changed from outside. */
  change() {
    this.#onChange();
  }

  #advance() {
    for (const curve of this.#curves.filter(({ state }) => state === 'queued')) {
      if (!this.#fits(curve)) break;
      void this.#run(curve);
    }
    this.#onChange();
  }

  /** @param {Curve} curve */
  #fits(curve) {
    const running = [...this.#running.keys()];
    if (running.length === 0) return true;
    return (
      running.length < this.#most &&
      [curve, ...running].every(({ together, place }) => together && place === 'worker')
    );
  }

  /** @param {Curve} curve */
  async #run(curve) {
    const stop = new AbortController();
    this.#running.set(curve, stop);
    curve.state = 'running';
    if (this.#running.size > 1) for (const one of this.#running.keys()) one.shared = true;
    try {
      await this.#measureAll(curve, stop.signal);
      curve.state = 'finished';
    } catch (cause) {
      curve.state = stop.signal.aborted ? 'cancelled' : 'failed';
      curve.note = stop.signal.aborted
        ? ''
        : cause instanceof Error
          ? cause.message
          : String(cause);
    }
    this.#running.delete(curve);
    this.#advance();
  }

  /**
   * @param {Curve} curve
   * @param {AbortSignal} signal
   */
  async #measureAll(curve, signal) {
    const { name, place, ns, points } = curve;
    for (const n of ns) {
      const point = await this.#measure({ function: name, n, place }, signal);
      points.push(point);
      this.#onChange();
      if (point.ms > longestMs) {
        curve.note = `ended at n = ${String(n)}, whose call took more than ${String(longestMs / 1000)} s`;
        return;
      }
    }
  }
}

/**
 * Every n up to the largest where there are few; else some of them, the last among them.
 * @param {number} largest
 * @returns {readonly number[]}
 */
export function chooseSteps(largest) {
  const step = Math.max(1, Math.ceil(largest / 60));
  const ns = Array.from({ length: largest }, (_, i) => i + 1);
  return ns.filter((n) => n === largest || n % step === 0);
}
