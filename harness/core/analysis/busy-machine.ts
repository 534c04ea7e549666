import { mean } from 'simple-statistics';
import { formatThreeDigits } from '../../../reports/html/number.ts';
import type { PairVerdict } from '../results/verdicts.ts';

import { mainThreadWait } from '../model/reading.ts';
import type { RunRecord } from '../model/run.ts';
import { isQuarantined, type Trial } from '../model/trial.ts';
import { decidePair, type PairRules, describePair } from './decide.ts';
import { indexPairs, type Pair, pairValues, runCircumstances } from './pairs.ts';
import { isCompleted } from './series.ts';
import { asTimes, cpuTimeMetric } from './steady-state.ts';
import { comparedPair, comparisonSuite, parseErrorRate, parseMargin } from './run-pairs.ts';

/** The verdict that remains on a machine that was too busy for most of a comparison's durations. */

/**
 * Returns why most blocks of a pair do not count, with the limit that the last of their trials
 * broke; null where they do, or where something else than the machine is to blame.
 */
export function whyNotCounted(trials: readonly Trial[], pair: Pair): string | null {
  const ours = indexPairs(trials)(pair);
  const set = ours.filter(isQuarantined).filter(isCompleted);
  const blocks = new Set(set.map(({ job }) => job.block)).size;
  if (blocks <= pairValues(trials, pair).length) return null;
  const count =
    set.length === ours.length
      ? `all trials (${String(set.length)})`
      : `${String(set.length)} of ${String(ours.length)} trials`;
  return `${count} were excluded: ${set.at(-1)?.outcome.quarantine.join('; ') ?? ''}`;
}

/**
 * Returns the verdict on a pair by the CPU time of one operation, with the first trial of each block
 * whether it is quarantined or not; null where that time is not known of both sides. Work of others
 * takes a thread off its core, which that time does not count; what it takes of the caches, and of a
 * core with two threads, slows both sides of a block alike, in an order drawn at random.
 */
export function cpuTimeBesideOthers(
  trials: readonly Trial[],
  pair: Pair,
  rules: PairRules,
): PairVerdict | null {
  const ours = indexPairs(trials)(pair);
  const timed = ours.map((trial) => (isCompleted(trial) ? asTimes(trial) : trial));
  const byTime: Pair = { ...pair, metric: cpuTimeMetric, exact: true };
  const made = decidePair(timed, byTime, { ...rules, quarantined: 'counted' });
  if (made.kind !== 'decided-on') return null;
  const { decision } = made;
  return { ...describePair(byTime, decision), discovery: decision.significant };
}

/** The same of a stored comparison none of whose blocks counts; null for any other run. */
export function runBesideOthers(record: RunRecord): PairVerdict | null {
  const { run, trials } = record;
  const pair = run.suite === comparisonSuite ? comparedPair(record) : null;
  if (pair === null || pairValues(trials, pair).length > 0) return null;
  if (whyNotCounted(trials, pair) === null) return null;
  const levels = { margin: parseMargin(run.command), alpha: parseErrorRate(run.command) };
  return cpuTimeBesideOthers(trials, pair, { ...levels, ...runCircumstances(record) });
}

/** Less of a duration is not worth a sentence. */
const leastToTell = 0.005;

/**
 * Returns the mean share of a page's durations that its main thread waited for a core that others
 * had, and that is left out of them (`withoutOthers`); null where none was read.
 */
export function waitLeftOut(trials: readonly Trial[]): number | null {
  const shares = trials.filter(isCompleted).flatMap(({ outcome }) => {
    const reading = outcome.readings.find(({ probe }) => probe === mainThreadWait);
    const share = reading !== undefined && 'values' in reading && reading.values.share?.value;
    return typeof share === 'number' ? [share] : [];
  });
  return shares.length === 0 ? null : mean(shares);
}

/** The same as a sentence without its end; null where there is hardly any. */
export function waitLeftOutText(trials: readonly Trial[]): string | null {
  const share = waitLeftOut(trials) ?? 0;
  if (share < leastToTell) return null;
  return `the durations are without what the page’s main thread waited for a core that others had: ${formatThreeDigits(100 * share)} % of them in the mean`;
}
