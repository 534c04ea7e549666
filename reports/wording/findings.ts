/** Numbers of the findings in the report's digits and words, for the explorer. */
import type { GrowthFit, TrendChange } from '../../harness/core/results/index.ts';
import type { Verdicts } from '../../harness/core/results/verdicts.ts';
import { formatConfidence, formatRatioEstimate, formatRatioTick } from '../html/number.ts';
import {
  isDecidable,
  describeLevel,
  findVerdict,
  type MeasuredCell,
  type PlacedPair,
} from './difference.ts';
import { behind, openReason, describeRatio, describeRelevance, verdictText } from './verdicts.ts';

export interface CellWords {
  readonly centre: string;
  readonly interval: string;
  /** Such as `75 %`, where the interval covers less than 95 %; else null. */
  readonly onlySure: string | null;
}

/** A typical value and its interval, to the place that both have; or two speeds. */
export function cellWords(cell: MeasuredCell, unit: string): CellWords {
  const { centre, interval, speeds } = describeLevel(cell, unit);
  const isUnsure = speeds.length === 0 && cell.confidence < 0.95 - 1e-9;
  return { centre, interval, onlySure: isUnsure ? formatConfidence(cell.confidence) : null };
}

export interface PairWords {
  /** Symbol and word: `▲ faster`. */
  readonly verdict: string;
  readonly ratio: string;
  /** Null before there are blocks enough. */
  readonly interval: string | null;
  /** The evidence for the verdict, or why it is open; may be empty. */
  readonly note: string;
}

/** A target against the baseline, in the words of the comparison table. */
export function pairWords(placed: PlacedPair, verdicts: Verdicts): PairWords {
  const { pair, a } = placed;
  const notes = [
    isDecidable(placed) && pair.blocks !== a.trials ? behind(pair) : '',
    openReason(pair, verdicts),
    describeRelevance(pair),
  ];
  return {
    verdict: verdictText(findVerdict(pair)),
    ...describeRatio(placed),
    note: notes.filter((note) => note !== '').join(', '),
  };
}

/** The factor of one step, and its interval. */
export function growthWords(fit: GrowthFit): {
  readonly perStep: string;
  readonly interval: string;
} {
  const { ratio, interval } = formatRatioEstimate({ ...fit, ratio: fit.perStep }, 0);
  return { perStep: ratio, interval };
}

/** After over before, as the section of trends says it. */
export function changeWords({ ratio }: Pick<TrendChange, 'ratio'>): string {
  return formatRatioTick(Number(ratio.toPrecision(3)));
}
