import type { Cell, Findings, SteadyCell } from '../findings.ts';
import type { PairVerdict } from '../findings/verdicts.ts';
import type { CpuCase } from './cpu.ts';
import { cpuData } from './cpu-data.ts';

/** The findings as they are embedded: every trial, with no digit that only floating point put there. */
export function embeddedFindings(findings: Findings, cases: readonly CpuCase[]): unknown {
  return {
    format: 'crossfarm-findings-1',
    ...findings,
    rows: findings.rows.map((row) => ({ ...row, cells: row.cells.map(roundedCell) })),
    verdicts: { ...findings.verdicts, pairs: findings.verdicts.pairs.map(roundedPair) },
    ...(findings.steady !== undefined && {
      steady: {
        cells: findings.steady.cells.map(shortened),
        verdicts: findings.steady.verdicts.map(roundedPair),
      },
    }),
    growth: findings.growth.map((chart) => ({ ...chart, points: chart.points.map(roundedPoint) })),
    crossover: findings.crossover.map((chart) => ({
      ...chart,
      points: chart.points.map(roundedPoint),
    })),
    cpu: cpuData(cases),
  };
}

/** Numbers to five digits, however deep. */
function shortened(cell: SteadyCell): unknown {
  return JSON.parse(
    JSON.stringify(cell, (_, value: unknown) =>
      typeof value === 'number' ? Number(value.toPrecision(5)) : value,
    ),
  );
}

/** Ratios to five digits: a hundredth of a percent. */
function roundedPair(pair: PairVerdict): PairVerdict {
  const short = (value: number): number => Number(value.toPrecision(5));
  const { ratio, low, high } = pair;
  return {
    ...pair,
    ratio: short(ratio),
    low: low === null ? null : short(low),
    high: high === null ? null : short(high),
  };
}

/** The exact values stand in the rows. */
function roundedPoint<T extends { y: number; low: number; high: number }>(point: T): T {
  const short = (value: number): number => Number(value.toPrecision(5));
  return { ...point, y: short(point.y), low: short(point.low), high: short(point.high) };
}

function roundedCell(cell: Cell): Cell {
  if (cell.kind === 'missing') return cell;
  const { median, low, high, values, quarantined, resolution } = cell;
  return {
    ...cell,
    median: rounded(median, resolution),
    low: rounded(low, resolution),
    high: rounded(high, resolution),
    values: values.map((value) => rounded(value, resolution)),
    ...(quarantined !== undefined && {
      quarantined: quarantined.map((value) => rounded(value, resolution)),
    }),
    resolution: Number(resolution.toPrecision(6)),
  };
}

/** To a tenth of the resolution, and to nine digits where there is none. */
function rounded(value: number, resolution: number): number {
  const short = Number(value.toPrecision(9));
  if (!(resolution > 0)) return short;
  const decimals = 1 - Math.floor(Math.log10(resolution));
  return decimals < 0 || decimals > 15 ? short : Number(value.toFixed(decimals));
}
