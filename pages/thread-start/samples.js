/**
 * The parameters that all hosts share, and the samples from a list of times.
 *
 * @import { Parameters } from '../protocol.d.ts'
 */

/** @typedef {{ threads: number, order: 'sequential' | 'parallel' }} Order */

/** @typedef {{ metric: string, unit: string, values: number[] }} AlsoMeasured */

export const mostThreads = 1000;

/** Number at the end that is averaged separately, as the source did. */
const last = 10;

/**
 * @param {Parameters} parameters
 * @returns {Order}
 * @throws {Error} when they are not what benchmark.json declares.
 */
export function refuseParameters({ threads, order }) {
  const isCount = typeof threads === 'number' && Number.isInteger(threads);
  if (!isCount || threads < 1 || threads > mostThreads) {
    throw new Error(`threads cannot be ${String(threads)}: it is 1 to ${String(mostThreads)}.`);
  }
  if (order === 'sequential' || order === 'parallel') return { threads, order };
  throw new Error(`order cannot be ${String(order)}: it is sequential or parallel.`);
}

/**
 * Where the times of a run go: all of them under their own metric, and their mean under another; of
 * first instructions one after the other, when there are more than ten, the last ten's mean as well.
 *
 * @param {Order} order
 * @param {readonly ('first-instruction' | 'first-message')[]} metrics
 * @returns {{ also: readonly AlsoMeasured[], add: (metric: string, times: readonly number[]) => void }}
 */
export function means({ threads, order }, metrics) {
  const hasLast = order === 'sequential' && threads > last;
  const names = [
    ...metrics.flatMap((metric) => [metric, `${metric}-mean`]),
    ...(hasLast ? ['last-10-mean'] : []),
  ];
  const also = names.map((metric) => ({
    metric,
    unit: 'µs',
    values: /** @type {number[]} */ ([]),
  }));
  const push = (/** @type {string} */ metric, /** @type {readonly number[]} */ values) => {
    also.find((one) => one.metric === metric)?.values.push(...values.map(round));
  };
  return {
    also,
    add(metric, times) {
      push(metric, times);
      push(`${metric}-mean`, [mean(times)]);
      if (metric === 'first-instruction') push('last-10-mean', [mean(times.slice(-last))]);
    },
  };
}

/** @param {readonly number[]} values */
export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** To a nanosecond: no clock here is finer. */
function round(/** @type {number} */ value) {
  return Math.round(value * 1000) / 1000;
}
