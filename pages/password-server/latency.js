/**
 * Statistics of the latencies of one load. The percentile is a value that was measured (nearest
 * rank), the deviation that of a sample (n − 1), as `ab` gives it.
 *
 * @param {readonly number[]} latencies
 * @returns {{ mean: number, sd: number, p99: number }}
 */
export function summarizeLatencies(latencies) {
  const count = latencies.length;
  if (count === 0) throw new Error('There are no latencies to summarize.');
  const mean = latencies.reduce((sum, one) => sum + one, 0) / count;
  const squares = latencies.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const sorted = [...latencies].sort((a, b) => a - b);
  return {
    mean,
    sd: count === 1 ? 0 : Math.sqrt(squares / (count - 1)),
    p99: sorted[Math.ceil(0.99 * count) - 1] ?? NaN,
  };
}

/**
 * The table that `ab` prints of a load: of each phase the least, mean, deviation, median and largest,
 * in milliseconds; of a generator that gives no phases the total alone. The median is the lower one of
 * two in the middle, as `ab` takes it.
 *
 * @param {import('./load.js').Load} load
 * @returns {Record<string, number>}
 */
export function tableOf({ latencies, phases, bytes, elapsedMs }) {
  const rows = Object.entries({ ...phases, total: latencies }).flatMap(([phase, times]) => {
    const sorted = [...times].sort((a, b) => a - b);
    const { mean, sd } = summarizeLatencies(times);
    return Object.entries({
      min: sorted[0] ?? NaN,
      mean,
      sd,
      median: sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN,
      max: sorted.at(-1) ?? NaN,
    }).map(([statistic, value]) => [`${phase}-${statistic}`, value]);
  });
  // Of 1,024 bytes, as ab counts them.
  return { ...Object.fromEntries(rows), bytes, kbytesPerSecond: bytes / 1024 / (elapsedMs / 1000) };
}
