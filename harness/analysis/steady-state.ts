import { median } from 'simple-statistics';
import type {
  PairVerdict,
  Speed,
  SteadyCell,
  SteadyFindings,
  SteadyMetric,
  Verdicts,
} from '../../reports/findings.ts';
import type { Metric } from '../model/case.ts';
import type { SteadyState, Trial } from '../model/trial.ts';
import { medianInterval } from '../stats/median-interval.ts';
import { bestWindow } from '../stats/spread-levels.ts';
import { twoGroups } from '../stats/two-groups.ts';
import type { Pair } from './decisions.ts';
import { groupBy } from './grouping.ts';
import { decideTable, type TableEntry } from './sequential.ts';
import { isCompleted, type CompletedTrial, type Series } from './series.ts';
import { fewestToAdvise, timingOf, windowMsOf } from './timing.ts';
import { describePair } from './verdicts.ts';

interface Searched {
  readonly series: readonly Series[];
  readonly trials: readonly Trial[];
  /** Blocks in the first round of the run, after which its window may have been set anew. */
  readonly firstRound?: number;
  /** Of the main table: the same sides are set against each other. */
  readonly verdicts: Verdicts;
}

/** What the search for steady state found in all trials that count; null where none was searched. */
export function makeSteadyFindings({
  series,
  trials,
  verdicts,
  firstRound,
}: Searched): SteadyFindings | null {
  const searched = series.filter(isSearched);
  if (searched.length === 0) return null;
  return {
    cells: searched.map((one) => makeCell(one, firstRound)),
    verdicts: decideTimes(searched, trials, verdicts),
  };
}

/** A series of the kit's duration in which every trial counts and was searched. */
export function isSearched({ case: { benchmark }, metric, values, quarantined }: Series): boolean {
  return (
    metric.id === benchmark.metrics[0]?.id &&
    values.length > 0 &&
    values !== quarantined &&
    values.every(({ trial }) => trial.outcome.result.steadyState !== undefined)
  );
}

/** Two speeds of a series, the more frequent first; none where its trials have one. */
export function speedsOf(series: Series): readonly Speed[] {
  const values = series.values.map(({ value }) => value);
  if (!isSearched(series) || values.some((value) => !(value > 0))) return [];
  return (twoGroups(values) ?? [])
    .map((group) => ({ value: median([...group]), trials: group.length }))
    .toSorted((one, other) => other.trials - one.trials);
}

function makeCell(series: Series, firstRound?: number): SteadyCell {
  const trials = series.values.map(({ trial }) => trial);
  const found = trials.flatMap(({ outcome }) => outcome.result.steadyState ?? []);
  const steadyAfter = found.flatMap(({ steadyAfterMs }) => steadyAfterMs ?? []);
  const speeds = speedsOf(series);
  return {
    ...{ caseName: series.caseName, targetId: series.deviceId, unit: series.metric.unit },
    trials: trials.length,
    classes: countClasses(trials),
    noisy: found.filter(({ noisy }) => noisy).length,
    ...(speeds.length > 0 && { speeds }),
    firstMs: medianInterval(found.map(({ firstMs }) => firstMs)),
    steadyAfterMs: steadyAfter.length === 0 ? null : medianInterval(steadyAfter),
    ...spreadAndWindow(trials, firstRound),
  };
}

function countClasses(trials: readonly CompletedTrial[]): SteadyCell['classes'] {
  return [...groupBy(trials, ({ outcome }) => outcome.result.steadiness)]
    .map(([name, ours]) => ({ name, trials: ours.length }))
    .toSorted((one, other) => other.trials - one.trials);
}

// ---------------------------------------------------------------- spread, and how long to time

function spreadAndWindow(
  trials: readonly CompletedTrial[],
  firstRound?: number,
): Pick<SteadyCell, 'spread' | 'windowMs'> {
  const { windowMs, price } = timingOf(trials);
  const windows = setAnew(trials, firstRound) ?? { was: windowMs };
  if (price === null) return { spread: null, windowMs: { ...windows, best: null } };
  const { spread } = price;
  const best = trials.length < fewestToAdvise ? NaN : bestWindow(price);
  return {
    spread: {
      iterations: Math.sqrt(spread.iterations),
      stretches: Math.sqrt(spread.stretches),
      sessions: Math.sqrt(spread.sessions),
    },
    windowMs: { ...windows, best: Number.isFinite(best) ? best : null },
  };
}

/** From here on the windows of later rounds were set: they grow to twice their length at least. */
const setFrom = 1.5;

/**
 * The windows of the first round and of those after it, where these were timed for longer. Only of
 * trials with a steady state, because without one a trial times all that is left to it.
 */
function setAnew(
  trials: readonly CompletedTrial[],
  firstRound = 0,
): { readonly was: number; readonly then: number } | null {
  const steady = trials.filter(
    ({ outcome: { result } }) => (result.steadyState?.steadyAfterMs ?? null) !== null,
  );
  const [first = [], later = []] = [true, false].map((isFirst) =>
    steady
      .filter(({ job }) => job.block < firstRound === isFirst)
      .map(({ outcome }) => windowMsOf(outcome.result)),
  );
  if (first.length === 0 || later.length === 0) return null;
  const [was, then] = [median(first), median(later)];
  return then >= setFrom * was ? { was, then } : null;
}

// ---------------------------------------------------------------- verdicts

const times: readonly {
  readonly metric: Metric & { readonly id: SteadyMetric };
  readonly of: (found: SteadyState) => number | null;
}[] = [
  { metric: timeOf('first call'), of: ({ firstMs }) => firstMs },
  { metric: timeOf('time to steady state'), of: ({ steadyAfterMs }) => steadyAfterMs },
];

function timeOf(id: SteadyMetric): Metric & { readonly id: SteadyMetric } {
  return { id, title: id, unit: 'ms', direction: 'lower' };
}

/**
 * The sides of the main table by both times, decided as its metrics are, with a false discovery rate
 * of their own. Sides of two runs have no block in common, and are left out.
 */
function decideTimes(
  searched: readonly Series[],
  trials: readonly Trial[],
  { pairs, margin, alpha }: Verdicts,
): readonly PairVerdict[] {
  const known = new Map(searched.map((one) => [`${one.deviceId}\n${one.caseName}`, one]));
  const sides = pairs.flatMap(({ a, b, metric, unpaired }) => {
    const [one, other] = [a, b].map(({ targetId, caseName: name }) =>
      known.get(`${targetId}\n${name}`),
    );
    if (one?.metric.id !== metric || other === undefined || unpaired !== undefined) return [];
    return [{ a: sideOf(one), b: sideOf(other) }];
  });
  const wanted: Pair[] = times.flatMap(({ metric }) => sides.map((both) => ({ ...both, metric })));
  const entries = decideTable(trials.filter(isCompleted).map(asTimes), wanted, { margin, alpha });
  return entries.flatMap(describeEntry);
}

function sideOf({ deviceId, case: one }: Series): Pair['a'] {
  return { deviceId, case: one };
}

/** The trial as if it had measured when it was steady, and nothing else. */
function asTimes(trial: CompletedTrial): Trial {
  const { steadyState, ...result } = trial.outcome.result;
  const samples = times.flatMap(({ metric, of }) => {
    const value = steadyState === undefined ? null : of(steadyState);
    return value === null ? [] : [{ metric: metric.id, unit: 'ms', warmUp: [], timed: [value] }];
  });
  return { ...trial, outcome: { ...trial.outcome, result: { ...result, samples } } };
}

function describeEntry({ pair, decision, discovery }: TableEntry): readonly PairVerdict[] {
  if (decision.kind !== 'decided-on') return [];
  return [{ ...describePair(pair, decision.decision), discovery }];
}
