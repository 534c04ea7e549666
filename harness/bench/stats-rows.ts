import type { BenchRow } from './row.ts';
import { statsBench, type StatsBenchRow } from './stats.ts';

const seed = 1;

/** The farm's test beside a fixed-size one and the common "50, then 10 more", by simulation. */
export function statsRows(): Promise<readonly BenchRow[]> {
  return Promise.resolve(statsBench(seed).map(rowOf));
}

function rowOf(row: StatsBenchRow): BenchRow {
  const { noise, spread, difference, method, medianBlocks, blocksFor90, falseAlarms } = row;
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return {
    bench: 'stats',
    figure: `${noise} ${percent(spread)}, ${difference === 0 ? 'equivalent' : percent(difference)}: ${method}`,
    value: medianBlocks ?? Infinity,
    unit: 'blocks',
    ratio: null,
    detail: `nine of ten by ${blocksFor90 === null ? 'never' : String(blocksFor90)}; false alarms ${percent(falseAlarms.rate)} (${percent(falseAlarms.low)} … ${percent(falseAlarms.high)})`,
  };
}
