import type { Findings } from '../../results/index.ts';
import type { RunRecord } from '../../model/run.ts';
import { makeCourses } from '../courses.ts';
import { makeCpuFacts } from '../cpu.ts';
import { makeCrossoverCharts, makeGrowthCharts, makeTruthCharts } from '../charts.ts';
import { benchmarkFacts, plannedSeries, runFacts, type Writing } from '../findings.ts';
import { type CommandOf, repeatCommands } from '../repeat-command.ts';
import { cautionsAcross, listed } from './cautions.ts';
import { differencesBetween } from './differences.ts';
import { type LabelledRun, type LabelledTarget, labelRuns } from './labels.ts';
import { type Baseline, usualBaseline, verdictsAcross } from './verdicts.ts';
import { compareCases, type Series } from '../series.ts';
import { makeSteadyFindings } from '../steady-state.ts';
import { makeRows, withCentres } from '../table.ts';
import { makeQuarantined, makeTroubles } from '../troubled-trials.ts';
import { asJudged, commonMargin } from '../verdicts.ts';

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
    growth: makeGrowthCharts(series),
    crossover: makeCrossoverCharts(series),
    truth: makeTruthCharts(series),
    courses: makeCourses(series),
    cpu: makeCpuFacts(series),
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
