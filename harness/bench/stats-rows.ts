import { formatPercent } from '../../reports/html/number.ts';
import type { BenchRow } from './row.ts';
import { statsBench, type StatsBenchRow } from './stats.ts';

const seed = 1;

/** The farm's test beside a fixed-size one and the common "50, then 10 more", by simulation. */
export function statsRows(): Promise<readonly BenchRow[]> {
  return Promise.resolve(statsBench(seed).map(rowOf));
}

function rowOf(row: StatsBenchRow): BenchRow {
  const { noise, spread, difference, method, medianBlocks, blocksFor90, falseAlarms } = row;
  return {
    bench: 'stats',
    figure: `${noise} ${formatPercent(spread, 1)}, ${difference === 0 ? 'equivalent' : formatPercent(difference, 1)}: ${method}`,
    value: medianBlocks ?? Infinity,
    unit: 'blocks',
    ratio: null,
    detail: `nine of ten by ${blocksFor90 === null ? 'never' : String(blocksFor90)}; false alarms ${formatPercent(falseAlarms.rate, 1)} (${formatPercent(falseAlarms.low, 1)} … ${formatPercent(falseAlarms.high, 1)})`,
  };
}
