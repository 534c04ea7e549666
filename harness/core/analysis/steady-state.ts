import { median } from 'simple-statistics';
import type { Speed, SteadyCell, SteadyFindings, SteadyMetric } from '../results/index.ts';
import type { Verdicts, PairVerdict } from '../results/verdicts.ts';
import type { Metric } from '../model/case.ts';
import type { SteadyState, Trial } from '../model/trial.ts';
import { disturbedIn } from '../model/trial-value.ts';
import { medianInterval } from './stats/median-interval.ts';
import { bestWindow } from './stats/spread-levels.ts';
import { twoGroups } from './stats/two-groups.ts';
import { hasRatio, indexPairs, type Pair, type RunCircumstances } from './pairs.ts';
import { groupBy } from './grouping.ts';
import { readCompilerShare, readCpuTime } from './measuring-thread.ts';
import { decideTable, describeEntry } from './decide.ts';
import { isCompleted, type CompletedTrial, type Series } from './series.ts';
import { fewestToAdvise, computeTiming, computeWindowMs } from './timing.ts';

interface SearchedTable {
  readonly series: readonly Series[];
  readonly trials: readonly Trial[];
  /** Those of the main table: the same sides are compared. */
  readonly verdicts: Verdicts;
  /** The circumstances of the run, if it is only one. */
  readonly circumstances?: RunCircumstances;
}

/** Describes the steady states of all trials that count; null if none was searched. */
export function makeSteadyFindings(given: SearchedTable): SteadyFindings | null {
  const searched = given.series.filter(isSearched);
  if (searched.length === 0) return null;
  return {
    cells: searched.map((one) => makeCell(one, given.circumstances?.firstRound)),
    verdicts: decideTimes({ ...given, series: searched }),
  };
}

/** Returns whether this is the duration of the kit, and every trial counts and was searched. */
function isSearched({ case: { benchmark }, metric, values, quarantined }: Series): boolean {
  return (
    metric.id === benchmark.metrics[0]?.id &&
    values.length > 0 &&
    values !== quarantined &&
    values.every(({ trial }) => trial.outcome.result.steadyState !== undefined)
  );
}

/**
 * Returns the two speeds of a series, the more frequent first; none if its trials have one speed.
 */
export function listSpeeds(series: Series): readonly Speed[] {
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
  const speeds = listSpeeds(series);
  return {
    caseName: series.caseName,
    targetId: series.deviceId,
    unit: series.metric.unit,
    trials: trials.length,
    classes: countClasses(trials),
    noisy: found.filter(({ noisy }) => noisy).length,
    disturbed: median(trials.map(disturbedShare)),
    ...(speeds.length > 0 && { speeds }),
    firstMs: medianInterval(found.map(({ firstMs }) => firstMs)),
    steadyAfterMs: steadyAfter.length === 0 ? null : medianInterval(steadyAfter),
    cpuMs: cpuTimes(trials),
    ...compilersOf(trials),
    ...spreadAndWindow(trials, firstRound),
  };
}

/** Share of the timed iterations that do not count, because the machine ran slower than it can. */
function disturbedShare({ outcome: { result } }: CompletedTrial): number {
  return disturbedIn(result).size / Math.max(1, result.samples[0]?.timed.length ?? 0);
}

function cpuTimes(trials: readonly CompletedTrial[]): SteadyCell['cpuMs'] {
  const all = trials.map(readCpuTime);
  const known = all.filter((one) => typeof one === 'number');
  if (known.length > 0) return medianInterval(known);
  return all.find((one) => typeof one === 'object') ?? { why: 'no trial was read' };
}

function compilersOf(trials: readonly CompletedTrial[]): Pick<SteadyCell, 'compilers'> {
  const known = trials.flatMap((trial) => readCompilerShare(trial) ?? []);
  if (known.length === 0) return {};
  const share = median(known.map((one) => one.share));
  return { compilers: { share, atMost: share > 0 && known.some(({ atMost }) => atMost) } };
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
  const { windowMs, price } = computeTiming(trials);
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

/** From this factor on the windows of later rounds were chosen: they at least double. */
const setFrom = 1.5;

/**
 * Returns the windows of the first round and of the later ones, if these were longer. Uses only
 * trials with a steady state, because without one a trial times all of its remaining time.
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
      .map(({ outcome }) => computeWindowMs(outcome.result)),
  );
  if (first.length === 0 || later.length === 0) return null;
  const [was, then] = [median(first), median(later)];
  return then >= setFrom * was ? { was, then } : null;
}

// ---------------------------------------------------------------- verdicts

interface Time {
  readonly metric: Metric & { readonly id: SteadyMetric };
  readonly exact?: true;
  readonly of: (trial: CompletedTrial) => number | null;
}

export const cpuTimeMetric = timeOf('CPU time');

const times: readonly Time[] = [
  { metric: timeOf('first call'), of: (trial) => foundIn(trial)?.firstMs ?? null },
  { metric: timeOf('time to steady state'), of: (trial) => foundIn(trial)?.steadyAfterMs ?? null },
  { metric: cpuTimeMetric, exact: true, of: knownCpuTime },
];

function timeOf(id: SteadyMetric): Time['metric'] {
  return { id, title: id, unit: 'ms', direction: 'lower' };
}

function foundIn({ outcome }: CompletedTrial): SteadyState | undefined {
  return outcome.result.steadyState;
}

function knownCpuTime(trial: CompletedTrial): number | null {
  const time = foundIn(trial) === undefined ? null : readCpuTime(trial);
  return typeof time === 'number' ? time : null;
}

/**
 * Decides the sides of the main table by these times, as its metrics are decided, with a separate
 * false discovery rate. Sides of two runs have no common block, and are left out.
 */
function decideTimes({
  series,
  trials,
  verdicts: { pairs, margin, alpha },
  circumstances,
}: SearchedTable): readonly PairVerdict[] {
  const known = new Map(series.map((one) => [`${one.deviceId}\n${one.caseName}`, one]));
  const sides = pairs.flatMap(({ a, b, metric, unpaired }) => {
    const [one, other] = [a, b].map(({ targetId, caseName: name }) =>
      known.get(`${targetId}\n${name}`),
    );
    if (one?.metric.id !== metric || other === undefined || unpaired !== undefined) return [];
    return [{ a: sideOf(one), b: sideOf(other) }];
  });
  const timed = trials.map((trial) => (isCompleted(trial) ? asTimes(trial) : trial));
  const trialsOf = indexPairs(timed);
  const wanted = times
    .flatMap(({ metric, exact }): Pair[] =>
      sides.map((both) => ({ ...both, metric, ...(exact && { exact }) })),
    )
    .filter((pair) => hasRatio(trialsOf(pair), pair));
  return decideTable(timed, wanted, { ...circumstances, margin, alpha }).flatMap(describeEntry);
}

function sideOf({ deviceId, case: one }: Series): Pair['a'] {
  return { deviceId, case: one };
}

/** Returns the trial as if it had measured only these times. */
export function asTimes(trial: CompletedTrial): Trial {
  const samples = times.flatMap(({ metric, of }) => {
    const value = of(trial);
    return value === null ? [] : [{ metric: metric.id, unit: 'ms', warmUp: [], timed: [value] }];
  });
  return { ...trial, outcome: { ...trial.outcome, result: { ...trial.outcome.result, samples } } };
}
