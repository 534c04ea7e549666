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
