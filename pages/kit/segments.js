/**
 * Where a series of iterations changed its speed: a change-point search on the logarithms, after
 * Barrett, Bolz-Tereick, Killick, Mount and Tratt, “Virtual machine warmup blows hot and cold”
 * (OOPSLA 2017).
 *
 * @import { Steadiness } from '../protocol.d.ts'
 *
 * @typedef {object} Series
 * @property {readonly number[]} ms of one operation in each iteration, oldest first
 */

/**
 * @typedef {object} Segment
 * @property {number} from index of its first iteration
 * @property {number} to index after its last one
 * @property {number} level geometric mean of its (binned) iterations, in ms
 */

/** Smaller changes of level are ignored: a speed is shown to within a few percent. */
export const tolerance = 0.04;

/** Most bins that are searched: the search is quadratic, and runs next to the measured code. */
const mostBins = 160;

/** Fewest bins of a segment, so that a pause of the machine makes no segment. */
const fewestBins = 4;

/**
 * Price of one change in units of the noise's variance times ln n. At 4, independent noise of
 * 1 to 13 % is cut in fewer than 1 % of series (`segments.test.ts`).
 */
const price = 4;

/** No series is quieter than this: below it, rounding by the clock would look like changes. */
const leastNoise = 0.002;

/**
 * Splits a series into segments of one level each. The least sum of squares around the means of the
 * segments, plus a price for each change (optimal partitioning, Jackson et al. 2005: the exact
 * minimum that PELT finds faster), on the logarithms of bins; then adjacent segments that differ by
 * up to `tolerance` are joined, the most alike first.
 *
 * A bin is the median of up to n / 160 iterations, so that one that was preempted does not count.
 * The noise is estimated from the differences of adjacent bins, which a change hardly touches.
 *
 * @param {Series} series
 * @returns {readonly Segment[]} in order, covering the series; empty for an empty one
 */
export function findSegments({ ms }) {
  const width = widthOf(ms);
  const { cuts, bins } = cut(ms, width);
  return joinAlike(cuts, bins).map(({ from, to, level }) => ({
    from: from * width,
    to: Math.min(ms.length, to * width),
    level: Math.exp(level),
  }));
}

/**
 * The largest change of level, as a share. It is the change between adjacent stretches before they
 * are joined, and of two divisions into bins: a change of a few bins is seen or not by where they
 * begin. Of 115 windows on a busy machine that one division and joining found steady, PELT of
 * `ruptures` found a change of more than 5 % in 12; of the 95 that are left by this at 5 %, in 3.
 *
 * @param {Series} series
 */
export function largestStep({ ms }) {
  const width = widthOf(ms);
  const steps = [0, width >> 1].flatMap((offset) => {
    const { cuts } = cut(ms.slice(offset), width);
    return cuts.slice(1).map(({ level }, i) => Math.abs(level - (cuts[i]?.level ?? level)));
  });
  return Math.expm1(Math.max(0, ...steps));
}

/** @param {readonly number[]} ms */
function widthOf(ms) {
  return Math.max(1, Math.ceil(ms.length / mostBins));
}

/**
 * @param {readonly number[]} ms
 * @param {number} width of a bin, in iterations
 * @returns {{ cuts: Cut[], bins: readonly number[] }} none for an empty series
 */
function cut(ms, width) {
  const raw = binned(ms, width);
  if (raw.length === 0) return { cuts: [], bins: [] };
  const noise = noiseOf(raw);
  const bins = drawnIn(raw, noise);
  return { cuts: optimalCuts(bins, price * noise ** 2 * Math.log(bins.length)), bins };
}

/**
 * The classes of Barrett et al. (2017), for a series whose last segment holds the window.
 * @param {readonly Segment[]} segments neighbours differ; at least one
 * @returns {Steadiness}
 */
export function classOf(segments) {
  if (segments.length === 1) return 'flat';
  const last = segments.at(-1)?.level ?? 0;
  return segments.some(({ level }) => level < last / (1 + tolerance)) ? 'slowdown' : 'warm-up';
}

/**
 * Fewest iterations after which a speed counts as seen: a coarse clock shows the first ones as 0.
 */
const fewestSeen = 4;

/**
 * The fastest speed. A compiler changes code in one direction only, so the code was different
 * before; slower stretches after it are the operation's own, since it came back, or will.
 * @param {readonly Segment[]} segments
 * @returns {{ from: number, level: number, returns: number } | null} the iteration that reached it, and
 * how often the work came back to it; null where no speed lasted
 */
export function fastestSpeed(segments) {
  const seen = segments.filter(({ from, to }) => to - from >= fewestSeen);
  const level = Math.min(...seen.map((one) => one.level));
  const isFast = (/** @type {Segment} */ one) => one.level <= level * (1 + tolerance);
  const first = seen.find(isFast);
  if (first === undefined) return null;
  const since = seen.slice(seen.indexOf(first));
  const returns = since.filter((one, i) => i > 0 && isFast(one) && !isFast(since[i - 1] ?? one));
  return { from: first.from, level, returns: returns.length };
}

/**
 * Where the last speed was reached: the first segment at it after which no segment was faster.
 * Slower ones in between are interruptions: a busy machine makes them, and the work came back.
 * @param {readonly Segment[]} segments at least one
 * @returns {readonly Segment[]} that one, and all later ones at the same speed; never empty
 */
export function atLastSpeed(segments) {
  const last = segments.at(-1)?.level ?? 0;
  /** @type {Segment[]} */
  let same = [];
  for (const segment of segments) {
    if (segment.level < last / (1 + tolerance)) same = [];
    else if (segment.level <= last * (1 + tolerance)) same.push(segment);
  }
  return same;
}

/**
 * Logarithms of the medians of groups of adjacent values. A zero, which a coarse clock may show,
 * counts as a millionth of a ms.
 * @param {readonly number[]} ms
 * @param {number} width
 */
function binned(ms, width) {
  const bins = [];
  for (let from = 0; from < ms.length; from += width) {
    bins.push(Math.log(Math.max(medianOf(ms.slice(from, from + width)), 1e-6)));
  }
  return bins;
}

/**
 * Bins with their outliers drawn in: none lies further than three standard deviations from the
 * median of the seven around it, so that a pause of the machine is no change of level.
 * @param {readonly number[]} bins
 * @param {number} noise
 */
function drawnIn(bins, noise) {
  return bins.map((bin, i) => {
    const middle = medianOf(bins.slice(Math.max(0, i - 3), i + 4));
    return Math.min(middle + 3 * noise, Math.max(middle - 3 * noise, bin));
  });
}

/**
 * Standard deviation of the noise, from the median absolute difference of adjacent bins, which a
 * change of level hardly touches.
 * @param {readonly number[]} bins
 */
function noiseOf(bins) {
  if (bins.length < 2) return leastNoise;
  const steps = bins.slice(1).map((bin, i) => Math.abs(bin - (bins[i] ?? bin)));
  return Math.max(leastNoise, (1.4826 * medianOf(steps)) / Math.SQRT2);
}

/** @typedef {{ from: number, to: number, level: number }} Cut a run of bins; its level is a logarithm */

/**
 * @param {readonly number[]} bins
 * @param {number} penalty
 * @returns {Cut[]}
 */
function optimalCuts(bins, penalty) {
  const n = bins.length;
  const sum = new Float64Array(n + 1);
  const squares = new Float64Array(n + 1);
  bins.forEach((bin, i) => {
    sum[i + 1] = at(sum, i) + bin;
    squares[i + 1] = at(squares, i) + bin * bin;
  });
  const cost = (/** @type {number} */ from, /** @type {number} */ to) => {
    const total = at(sum, to) - at(sum, from);
    return at(squares, to) - at(squares, from) - (total * total) / (to - from);
  };
  const best = new Float64Array(n + 1).fill(Infinity);
  const before = new Int32Array(n + 1);
  best[0] = -penalty;
  for (let to = 1; to <= n; to++) {
    // The first segment may be shorter: the very first call often has its own level.
    for (let from = 0; from <= Math.max(0, to - fewestBins); from++) {
      const total = at(best, from) + cost(from, to) + penalty;
      if (total < at(best, to)) {
        best[to] = total;
        before[to] = from;
      }
    }
  }
  /** @type {Cut[]} */
  const cuts = [];
  for (let to = n; to > 0; to = at(before, to)) {
    const from = at(before, to);
    cuts.unshift({ from, to, level: (at(sum, to) - at(sum, from)) / (to - from) });
  }
  return cuts;
}

/** @type {(numbers: Float64Array | Int32Array, index: number) => number} */
const at = (numbers, index) => numbers[index] ?? NaN;

/**
 * @param {readonly Cut[]} cuts
 * @param {readonly number[]} bins
 * @returns {Cut[]}
 */
function joinAlike(cuts, bins) {
  const joined = [...cuts];
  for (;;) {
    let least = Math.log1p(tolerance);
    let place = -1;
    for (let i = 0; i + 1 < joined.length; i++) {
      const step = Math.abs((joined[i]?.level ?? 0) - (joined[i + 1]?.level ?? 0));
      if (step <= least) [least, place] = [step, i];
    }
    const [one, other] = place < 0 ? [] : joined.slice(place, place + 2);
    if (one === undefined || other === undefined) return joined;
    const { from } = one;
    const { to } = other;
    joined.splice(place, 2, { from, to, level: mean(bins.slice(from, to)) });
  }
}

/** @param {readonly number[]} values */
function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** @param {readonly number[]} values not empty */
export function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}
