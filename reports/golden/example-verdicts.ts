import type { CaseRow, Cell } from '../../harness/core/results/index.ts';
import type { Course } from '../../harness/core/results/verdicts.ts';
import type { Verdicts } from '../../harness/core/results/verdicts.ts';
import type { PairVerdict } from '../../harness/core/results/verdicts.ts';

type MeasuredCell = Extract<Cell, { kind: 'measured' }>;

const margin = 0.02;
const smallestBlocks = 8;

/** Verdicts as the farm gives them, by a plain rule: the interval is 4.5 standard errors wide to each side. */
export function makeVerdicts(rows: readonly CaseRow[], baselineTargetId: string): Verdicts {
  const pairs = rows.flatMap((row) => {
    const measured = row.cells.filter((cell) => cell.kind === 'measured');
    const baseline = measured.find((cell) => cell.targetId === baselineTargetId);
    if (baseline === undefined) return [];
    return measured
      .filter((cell) => cell !== baseline)
      .map((cell) => aPair({ row, a: cell, b: baseline }));
  });
  return { baselineTargetId, margin, alpha: 0.05, smallestBlocks, pairs, course: null };
}

interface PairFacts {
  readonly row: CaseRow;
  readonly a: MeasuredCell;
  readonly b: MeasuredCell;
}

export function aPair({ row, a, b }: PairFacts): PairVerdict {
  const ratios = ratiosOf(a, b);
  const { mean, reach } = spreadOf(ratios);
  const blocks = ratios.length;
  const known = blocks >= smallestBlocks;
  const [low, high] = [Math.exp(mean - reach), Math.exp(mean + reach)];
  const significant = known && (low > 1 || high < 1);
  const side = (targetId: string) => ({ targetId, caseName: row.caseName });
  const isWorse = mean > 0 === (row.direction === 'lower');
  const verdict = significant ? (isWorse ? 'slower' : 'faster') : 'undecided';
  return {
    a: side(a.targetId),
    b: side(b.targetId),
    metric: row.metric,
    unit: row.unit,
    direction: row.direction,
    verdict,
    ratio: Math.exp(mean),
    low: known ? low : null,
    high: known ? high : null,
    blocks,
    significant,
    relevant: significant && (low > 1 + margin || high < 1 / (1 + margin)),
    discovery: significant,
    because: significant ? null : known ? 'too-wide' : 'too-few-blocks',
    moreBlocks: significant ? null : 12,
  };
}

function ratiosOf(a: MeasuredCell, b: MeasuredCell): readonly number[] {
  return a.values
    .slice(0, b.values.length)
    .map((value, block) => value / (b.values[block] ?? value));
}

function spreadOf(ratios: readonly number[]): { mean: number; reach: number } {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, one) => sum + one, 0) / logs.length;
  const squares = logs.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return { mean, reach: (4.5 * Math.sqrt(squares)) / logs.length };
}

/** The course of one pair: from block 8 on, the interval that the same rule gives. */
export function makeCourse(a: MeasuredCell, b: MeasuredCell): Course {
  const ratios = ratiosOf(a, b);
  const looks = ratios.flatMap((_, i) => {
    if (i + 1 < smallestBlocks) return [];
    const { mean, reach } = spreadOf(ratios.slice(0, i + 1));
    return [{ blocks: i + 1, low: Math.exp(mean - reach), high: Math.exp(mean + reach) }];
  });
  const carryOver = {
    a: { ratio: 1.002, low: 0.994, high: 1.011, afterOwn: 11, afterOther: 12 },
    b: null,
  };
  return { ratios, looks, carryOver };
}
