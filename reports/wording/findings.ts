/** Numbers of the findings in the report's own digits and words, for who shows them elsewhere. */
import type { GrowthFit, TrendChange } from '../findings.ts';
import type { Verdicts } from '../findings/verdicts.ts';
import { formatConfidence, formatRatioEstimate, formatRatioTick } from '../html/number.ts';
import {
  isDecidable,
  levelOf,
  verdictOf,
  type MeasuredCell,
  type PlacedPair,
} from './difference.ts';
import { behind, openReason, ratioOf, relevanceOf, verdictText } from './verdicts.ts';

export interface CellWords {
  readonly median: string;
  readonly interval: string;
  /** Such as `75 %`, where the interval covers less than 95 %; else null. */
  readonly onlySure: string | null;
}

/** A median and its interval, to the place that both have; or two speeds. */
export function cellWords(cell: MeasuredCell, unit: string): CellWords {
  const { median, interval, speeds } = levelOf(cell, unit);
  const isUnsure = speeds.length === 0 && cell.confidence < 0.95 - 1e-9;
  return { median, interval, onlySure: isUnsure ? formatConfidence(cell.confidence) : null };
}

export interface PairWords {
  /** Symbol and word: `▲ faster`. */
  readonly verdict: string;
  readonly ratio: string;
  /** Null before there are blocks enough. */
  readonly interval: string | null;
  /** What stands behind the verdict, or keeps it open; may be empty. */
  readonly note: string;
}

/** What a target is beside the baseline, as the comparison table says it. */
export function pairWords(placed: PlacedPair, verdicts: Verdicts): PairWords {
  const { pair, a } = placed;
  const notes = [
    isDecidable(placed) && pair.blocks !== a.trials ? behind(pair) : '',
    openReason(pair, verdicts),
    relevanceOf(pair),
  ];
  return {
    verdict: verdictText(verdictOf(pair)),
    ...ratioOf(placed),
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
