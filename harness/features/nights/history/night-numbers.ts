import type { NightDifference, NightNumbers, Verdict } from '../../../core/results/index.ts';
import type { NightValue } from '../../../core/model/night.ts';
import { benjaminiHochberg } from '../../../core/analysis/stats/benjamini-hochberg.ts';
import {
  decideUnpaired,
  type UnpairedDecision,
} from '../../../core/analysis/stats/shift-interval.ts';
import { defaultAlpha } from '../../../core/analysis/stats/verdict.ts';
import { commonMargin } from '../../../core/analysis/run-pairs.ts';
import { attribute } from './attribution.ts';
import { makeNightSeries, type NightSeries } from './history.ts';

/**
 * Compares the trials of a night with those of the night before, series by series, by the rules of
 * a report of two runs (`runs/verdicts.ts`). Does not compare what must not be pooled. Null without
 * a night before. Pure.
 * @param values of two nights at most, the older one first.
 */
export function compareNights(values: readonly NightValue[], run: number): NightNumbers | null {
  const before = values.find((value) => value.run.id !== run)?.run;
  const tonight = values.find((value) => value.run.id === run)?.run;
  if (before === undefined || tonight === undefined) return null;
  const series = makeNightSeries(values);
  const rules = {
    margin: commonMargin([before.command, tonight.command]),
    alpha: defaultAlpha,
  };
  const pairs = series.flatMap((one) => placed(one, run)).map((pair) => decide(pair, rules));
  const found = benjaminiHochberg(
    pairs.map(({ decision }) => decision.p),
    rules.alpha,
  );
  const judged = pairs.map((pair, index) => ({ ...pair, verdict: verdictOf(pair, found[index]) }));
  const count = (word: Verdict): number => judged.filter(({ verdict }) => verdict === word).length;
  return {
    ...rules,
    run,
    before: { run: before.id, startedAt: before.startedAt },
    compared: judged.length,
    tally: {
      slower: count('slower'),
      faster: count('faster'),
      equivalent: count('equivalent'),
      undecided: count('undecided'),
    },
    tooFew: judged.filter(({ decision }) => decision.because === 'too-few-trials').length,
    apart: series.filter(({ begunBy, nights }) => begunBy.length > 0 && nights[0]?.run.id === run)
      .length,
    differences: judged.flatMap(describeDifference).toSorted(surestFirst),
  };
}

interface Pair {
  readonly series: NightSeries;
  readonly before: NightValue;
  readonly now: NightValue;
}

/** Returns the pair of a series that both nights have; a value of 0 has no ratio. */
function placed(series: NightSeries, run: number): readonly Pair[] {
  const [before, now, ...more] = series.nights;
  if (before === undefined || now?.run.id !== run || more.length > 0) return [];
  const usable = [before, now].every(({ values }) =>
    values.every((value) => value > 0 && Number.isFinite(value)),
  );
  return usable ? [{ series, before, now }] : [];
}

interface DecidedPair extends Pair {
  readonly decision: UnpairedDecision;
}

function decide(
  pair: Pair,
  rules: { readonly margin: number; readonly alpha: number },
): DecidedPair {
  const { series, before, now } = pair;
  const better = series.metric.direction;
  return { ...pair, decision: decideUnpaired(now.values, before.values, { better, ...rules }) };
}

/** A difference that does not hold in the whole table is open. */
function verdictOf({ decision: { verdict } }: DecidedPair, discovery = false): Verdict {
  return (verdict === 'faster' || verdict === 'slower') && !discovery ? 'undecided' : verdict;
}

function describeDifference({
  series,
  before,
  now,
  decision,
  verdict,
}: DecidedPair & { readonly verdict: Verdict }): readonly NightDifference[] {
  const { ratio, low, high, relevant } = decision;
  if ((verdict !== 'faster' && verdict !== 'slower') || low === null || high === null) return [];
  const { deviceId, caseName, metric } = series;
  const side = ({ median, trials }: NightValue) => ({ median, trials });
  return [
    {
      targetId: deviceId,
      caseName,
      metric: metric.id,
      unit: metric.unit,
      verdict,
      ratio,
      low,
      high,
      relevant,
      before: side(before),
      now: side(now),
      cause: attribute(before, now).text,
    },
  ];
}

function surestFirst(one: NightDifference, other: NightDifference): number {
  return leastChange(other) - leastChange(one);
}

/** |ln| of the bound nearer to 1. */
function leastChange({ low, high }: NightDifference): number {
  return Math.min(Math.abs(Math.log(low)), Math.abs(Math.log(high)));
}
