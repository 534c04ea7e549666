import type { Findings } from '../../results/index.ts';
import type { RunRecord } from '../../model/run.ts';
import {
  benchmarkFacts,
  describeSeries,
  plannedSeries,
  runFacts,
  type Writing,
} from '../findings.ts';
import { type CommandOf, repeatCommands } from '../repeat-command.ts';
import { cautionsAcross, listed } from './cautions.ts';
import { differencesBetween } from './differences.ts';
import { type LabelledRun, type LabelledTarget, labelRuns, targetIdIn } from './labels.ts';
import { compareCases, type Series } from '../series.ts';
import { makeSteadyFindings } from '../steady-state.ts';
import { makeRows, withCentres } from '../table.ts';
import { makeQuarantined, makeTroubles } from '../troubled-trials.ts';
import { asJudged, commonMargin } from '../run-pairs.ts';
import type { PairVerdict, Verdicts } from '../../results/verdicts.ts';
import { decidePair, describePair } from '../decide.ts';
import {
  indexPairs,
  type Pair,
  runCircumstances,
  type RunCircumstances,
  type TrialsOfPair,
} from '../pairs.ts';
import { benjaminiHochberg, pValueOfLogE } from '../stats/benjamini-hochberg.ts';
import { smallestBlocks } from '../stats/mixture-test.ts';
import { decideUnpaired } from '../stats/shift-interval.ts';
import { defaultAlpha } from '../stats/verdict.ts';

interface FindingsRequest extends Writing {
  /** `usualBaseline` by default. */
  readonly baseline?: Baseline;
}

/**
 * Describes several runs side by side, in the given order: every device of every run is a target.
 * Pools nothing of two runs. Pure, as `describeRun` is.
 */
export function describeRuns(records: readonly RunRecord[], request: FindingsRequest): Findings {
  const { writtenAt, farmVersion, baseline } = request;
  const runs = labelRuns(records.map(asJudged));
  const targets = inOrder(runs);
  const series = seriesOf(runs, targets);
  const verdicts = verdictsAcross(runs, series, {
    baseline: baseline ?? usualBaseline(runs),
    margin: commonMargin(records.map(({ run }) => run.command)),
  });
  const labelled = runs.map(({ record }) => record);
  const trials = labelled.flatMap((record) => record.trials);
  const steady = makeSteadyFindings({ series, trials, verdicts });
  return {
    title: titleOf(records),
    writtenAt,
    farmVersion,
    runs: records.map(runFacts),
    targets: targets.map(({ facts }) => facts),
    benchmarks: benchmarkFacts(labelled),
    rows: withCentres(makeRows(series, commandsOf(labelled, targets)), verdicts.pairs),
    verdicts,
    between: differencesBetween(records),
    ...(steady !== null && { steady }),
    ...describeSeries(series),
    troubles: labelled.flatMap(({ trials }) => makeTroubles(trials)),
    quarantined: labelled.flatMap(({ trials }) => makeQuarantined(trials)),
    cautions: cautionsAcross(records, { runs, series, verdicts }),
  };
}

/** Puts the targets of one device next to each other. */
function inOrder(runs: readonly LabelledRun[]): readonly LabelledTarget[] {
  const all = runs.flatMap(({ targets }) => targets);
  const devices = [...new Set(all.map(({ device }) => device.id))];
  return devices.flatMap((id) => all.filter(({ device }) => device.id === id));
}

function seriesOf(
  runs: readonly LabelledRun[],
  targets: readonly LabelledTarget[],
): readonly Series[] {
  const places = new Map(targets.map(({ facts }, place) => [facts.id, place]));
  const place = ({ deviceId }: Series): number => places.get(deviceId) ?? targets.length;
  return runs
    .flatMap(({ record }) => plannedSeries(record))
    .toSorted((one, other) => compareCases(one.case, other.case) || place(one) - place(other));
}

function commandsOf(labelled: readonly RunRecord[], targets: readonly LabelledTarget[]): CommandOf {
  const devices = new Map(targets.map(({ facts, device }) => [facts.id, device.id]));
  return repeatCommands(labelled, (targetId) => devices.get(targetId) ?? targetId);
}

function titleOf(records: readonly RunRecord[]): string {
  const numbers = records.map(({ run }) => String(run.id));
  const suites = [...new Set(records.map(({ run }) => run.suite))];
  return `Runs ${listed(numbers)}: ${suites.join(', ')}`;
}

/** The baseline of several runs. */
export type Baseline =
  /** Every device is compared with itself in this run. */
  | { readonly kind: 'run'; readonly run: number }
  /** All are compared with this target. */
  | { readonly kind: 'target'; readonly targetId: string };

/**
 * Returns the default baseline: each device in the first run, if any device took part in that and
 * in another one; else the first target that was found.
 */
function usualBaseline(runs: readonly LabelledRun[]): Baseline | null {
  const [first, ...others] = runs;
  const again = new Set(
    others.flatMap(({ targets }) => foundOf(targets).map(({ device }) => device.id)),
  );
  const own = foundOf(first?.targets ?? []);
  const returns = own.find(({ device }) => again.has(device.id));
  if (returns !== undefined) return { kind: 'run', run: returns.run };
  const [target] = foundOf(runs.flatMap(({ targets }) => targets));
  return target === undefined ? null : { kind: 'target', targetId: target.facts.id };
}

function foundOf(targets: readonly LabelledTarget[]): readonly LabelledTarget[] {
  return targets.filter(({ facts }) => facts.status === 'found');
}

interface RunRules {
  readonly baseline: Baseline | null;
  readonly margin: number;
}

/**
 * Makes the verdicts of several runs. Sides of one run are decided block by block, as in its own
 * report; sides of two runs by the ranks of their trials. Benjamini and Hochberg's procedure holds
 * the share of wrong differences in the table at α.
 *
 * Leaves out pairs with a side without a trial that counts, or with a value that has no ratio (0).
 */
function verdictsAcross(
  runs: readonly LabelledRun[],
  series: readonly Series[],
  { baseline, margin }: RunRules,
): Verdicts {
  const alpha = defaultAlpha;
  const targets = new Map(
    runs.flatMap((run) => run.targets.map((target) => [target.facts.id, target] as const)),
  );
  const circumstances = new Map<number | undefined, RunCircumstances>(
    runs.map(({ record }) => [record.run.id, runCircumstances(record)]),
  );
  const trialsOf = indexPairs(runs.flatMap(({ record }) => record.trials));
  const judged = placePairs(series, baseline === null ? () => null : baselineOf(baseline, targets))
    .map((sides) => {
      const [a, b] = [sides.a, sides.b].map(({ deviceId }) => targets.get(deviceId)?.run);
      return { sides, circumstances: a === b ? circumstances.get(a) : undefined };
    })
    .flatMap(({ sides, circumstances }) =>
      circumstances !== undefined
        ? pairedVerdict(sides, trialsOf, { margin, alpha, ...circumstances })
        : unpairedVerdict(sides, { margin, alpha }),
    );
  const discoveries = benjaminiHochberg(
    judged.map(({ p }) => p),
    alpha,
  );
  return {
    baselineTargetId: baseline?.kind === 'target' ? baseline.targetId : null,
    ...(baseline?.kind === 'run' && { baselineRun: baseline.run }),
    margin,
    alpha,
    smallestBlocks: smallestBlocks(alpha),
    pairs: judged.map(({ verdict }, index) => ({
      ...verdict,
      // A single pair is not a table.
      discovery: judged.length === 1 ? verdict.significant : (discoveries[index] ?? false),
    })),
    course: null,
  };
}

type BaselineOf = (targetId: string) => string | null;

/** Returns the baseline of a target; null for the baseline itself. */
function baselineOf(baseline: Baseline, targets: ReadonlyMap<string, LabelledTarget>): BaselineOf {
  if (baseline.kind === 'target') {
    return (id) => (id === baseline.targetId ? null : baseline.targetId);
  }
  return (id) => {
    const target = targets.get(id);
    if (target === undefined || target.run === baseline.run) return null;
    return targetIdIn(baseline.run, target.device.id);
  };
}

interface Sides {
  readonly a: Series;
  readonly b: Series;
}

function placePairs(series: readonly Series[], baselineOfTarget: BaselineOf): readonly Sides[] {
  const keyOf = ({ caseName, metric }: Series, deviceId: string): string =>
    [deviceId, caseName, metric.id].join('\n');
  const usable = series.filter(isUsable);
  const known = new Map(usable.map((one) => [keyOf(one, one.deviceId), one]));
  return usable.flatMap((a) => {
    const baseline = baselineOfTarget(a.deviceId);
    const b = baseline === null ? undefined : known.get(keyOf(a, baseline));
    return b === undefined ? [] : [{ a, b }];
  });
}

/** Quarantined values that are shown for lack of others decide nothing. */
function isUsable({ values, quarantined }: Series): boolean {
  const counted = values !== quarantined && values.length > 0;
  return counted && values.every(({ value }) => value > 0 && Number.isFinite(value));
}

interface JudgedPair {
  readonly verdict: Omit<PairVerdict, 'discovery'>;
  readonly p: number;
}

interface Levels {
  readonly margin: number;
  readonly alpha: number;
}

function pairedVerdict(
  { a, b }: Sides,
  trialsOf: TrialsOfPair,
  rules: Levels & RunCircumstances,
): readonly JudgedPair[] {
  const pair: Pair = {
    a: { deviceId: a.deviceId, case: a.case },
    b: { deviceId: b.deviceId, case: b.case },
    metric: a.metric,
  };
  const made = decidePair(trialsOf(pair), pair, rules);
  if (made.kind !== 'decided-on') return [];
  return [{ verdict: describePair(pair, made.decision), p: pValueOfLogE(made.decision.logEValue) }];
}

function unpairedVerdict({ a, b }: Sides, levels: Levels): readonly JudgedPair[] {
  const [ours, theirs] = [a, b].map(({ values }) => values.map(({ value }) => value));
  if (ours === undefined || theirs === undefined) return [];
  const { p, ...decision } = decideUnpaired(ours, theirs, {
    better: a.metric.direction,
    ...levels,
  });
  const side = ({ deviceId, caseName }: Series) => ({ targetId: deviceId, caseName });
  return [
    {
      p,
      verdict: {
        a: side(a),
        b: side(b),
        metric: a.metric.id,
        unit: a.metric.unit,
        direction: a.metric.direction,
        ...decision,
        blocks: 0,
        unpaired: { trials: [ours.length, theirs.length] },
        moreBlocks: null,
      },
    },
  ];
}
