import type { Findings, RunFacts } from '../results/index.ts';
import { caseName } from '../model/case.ts';
import type { RunRecord } from '../model/run.ts';
import type { Trial } from '../model/trial.ts';
import { makeCrossoverCharts, makeGrowthCharts, makeTruthCharts } from './charts.ts';
import { runBesideOthers } from './busy-machine.ts';
import { makeCourses } from './courses.ts';
import { makeCpuFacts } from './cpu.ts';
import { explainMeasures } from './explanations.ts';
import { runCircumstances } from './pairs.ts';
import { driverBias } from './driver-bias.ts';
import { softwareDrawingTexts } from './displays.ts';
import { countCells, environmentFacts, machineFacts, targetFacts } from './facts.ts';
import { repeatCommands } from './repeat-command.ts';
import { isCompleted, listCases, makeSeries, type Series } from './series.ts';
import { makeSteadyFindings } from './steady-state.ts';
import { makeRows, withCentres } from './table.ts';
import { makeQuarantined, makeTroubles, quarantineCautions } from './troubled-trials.ts';
import { pageErrors, pageErrorText, pageFailures, pageFailureText } from './page-errors.ts';
import { warmingUp, warmingUpText } from './page-warm-up.ts';
import { asJudged, versionNames, versionPairs } from './run-pairs.ts';
import { makeVerdicts } from './run-verdicts.ts';

export interface Writing {
  /** ISO 8601, for the report's head. */
  readonly writtenAt: string;
  readonly farmVersion: string;
}

interface FindingsRequest extends Writing {
  /** The device that all others are compared with; the first found one by default. */
  readonly baseline?: string;
}

/** Describes one run for a report. Pure: the same record gives the same findings. */
export function describeRun(measured: RunRecord, request: FindingsRequest): Findings {
  const record = asJudged(measured);
  const { writtenAt, farmVersion, baseline } = request;
  const series = plannedSeries(record);
  const verdicts = makeVerdicts(record, baseline);
  const bias = driverBias(record, verdicts.margin);
  const circumstances = runCircumstances(record);
  const besideOthers = runBesideOthers(record);
  const explained = explainVersions(record, verdicts.alpha);
  const steady = makeSteadyFindings({ series, trials: record.trials, verdicts, circumstances });
  return {
    title: `Run ${String(record.run.id)}: ${versionNames(record)?.join(' · ') ?? record.run.suite}`,
    writtenAt,
    farmVersion,
    runs: [runFacts(record)],
    targets: record.presences.map((presence) => {
      const facts = targetFacts(presence, record);
      const againstOpen = bias.get(facts.id);
      return againstOpen === undefined ? facts : { ...facts, againstOpen };
    }),
    benchmarks: benchmarkFacts([record]),
    rows: withCentres(makeRows(series, repeatCommands([record])), verdicts.pairs),
    verdicts,
    ...(besideOthers !== null && { besideOthers }),
    ...(explained.length > 0 && { explained }),
    ...(steady !== null && { steady }),
    ...describeSeries(series),
    troubles: makeTroubles(record.trials),
    quarantined: makeQuarantined(record.trials),
    cautions: [
      ...pageFailures(record.trials).map((one) => `${pageFailureText(one, one.deviceId)}.`),
      ...pageErrors(record.trials).map((one) => `${pageErrorText(one, one.deviceId)}.`),
      ...warmingUpCautions(record),
      ...softwareDrawingTexts(record.trials, (id) => id).map((text) => `${text}.`),
      ...listCautions(record),
      ...quarantineCautions(measured, { verdicts, baseline }),
    ],
  };
}

function explainVersions(record: RunRecord, alpha: number): NonNullable<Findings['explained']> {
  if (versionNames(record) === null) return [];
  return explainMeasures(record.trials, versionPairs(record), alpha);
}

/** Of versions of a page, which is warm or not as it likes. */
function warmingUpCautions(record: RunRecord): readonly string[] {
  if (versionNames(record) === null) return [];
  return warmingUp(record.trials).map((one) => `${warmingUpText(one, one.deviceId)}.`);
}

/** Makes what series alone show, of one run or of several: charts, courses and CPU time. */
export function describeSeries(
  series: readonly Series[],
): Pick<Findings, 'growth' | 'crossover' | 'truth' | 'courses' | 'cpu'> {
  return {
    growth: makeGrowthCharts(series),
    crossover: makeCrossoverCharts(series),
    truth: makeTruthCharts(series),
    courses: makeCourses(series),
    cpu: makeCpuFacts(series),
  };
}

/** Lists the benchmarks of the runs, each once. */
export function benchmarkFacts(records: readonly RunRecord[]): Findings['benchmarks'] {
  const all = records.flatMap(listCases).map(({ benchmark }) => [benchmark.id, benchmark] as const);
  return [...new Map(all).values()].map(({ id, version, title, description }) => ({
    id,
    version,
    title,
    description,
  }));
}

/** Leaves out what was never planned: the two sides of a comparison may run different cases. */
export function plannedSeries(record: RunRecord): readonly Series[] {
  const keyOf = (name: string, deviceId: string): string => `${deviceId}\n${name}`;
  const planned = new Set(record.jobs.map((job) => keyOf(caseName(job.case), job.deviceId)));
  return makeSeries(record).filter((one) => planned.has(keyOf(one.caseName, one.deviceId)));
}

export function runFacts({ run, jobs, trials }: RunRecord): RunFacts {
  return {
    id: run.id,
    suite: run.suite,
    seed: run.seed,
    isolation: run.isolation,
    ...(run.preset !== undefined && { preset: run.preset }),
    blocks: new Set(jobs.map((job) => job.block)).size,
    command: run.command,
    status: run.status,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    cells: countCells(jobs.length, trials),
    machine: machineFacts(run.machine),
    environment: environmentFacts(trials),
  };
}

/** Fewer trials than this cannot give a 95 % interval of a median: 2 · ½ⁿ > 0.05. */
const trialsForAnInterval = 6;

function isChromium(browser: string): boolean {
  return ['chromium', 'chrome', 'edge'].includes(browser);
}

/** Lists what a reader must know before relying on the numbers of a run. */
export function listCautions({ run, jobs, presences, trials }: RunRecord): readonly string[] {
  const blocks = new Set(jobs.map((job) => job.block)).size;
  const sandboxless =
    presences.some(
      ({ status, device }) =>
        status === 'found' && device.remote === undefined && isChromium(device.browser),
    ) && run.machine.platform === 'linux';
  return [
    run.isolation === 'page'
      ? 'Isolation page: the cases of one device share a browser session within each block; trials of the same case never do. Use isolation session for a decision.'
      : null,
    blocks < trialsForAnInterval
      ? `Only ${blocks === 1 ? 'one trial' : `${String(blocks)} trials`} of each case: an interval of the median cannot reach 95 % with fewer than ${String(trialsForAnInterval)}. Look for large differences only.`
      : null,
    run.machine.virtualization === null
      ? null
      : `The machine is a ${run.machine.virtualization}: other guests of its host may take time that it cannot see.`,
    sandboxless && run.machine.asRoot ? 'Chromium ran as root, so without its sandbox.' : null,
    run.preset === 'fast' ? null : beforeSearch(trials),
    run.status === 'finished'
      ? null
      : `The run is ${run.status}: ${String(trials.length)} of ${String(jobs.length)} cells have an outcome.`,
  ].filter((sentence) => sentence !== null);
}

/** Warns of trials that were measured before the kit searched for a steady state. */
function beforeSearch(trials: readonly Trial[]): string | null {
  const unsearched = trials.filter(isCompleted).filter(({ outcome: { result } }) => {
    return result.steadyState === undefined && result.steadiness !== 'first run';
  });
  // Foreign pages warm up in any way: their labels are of today, without a search.
  const guests = new Set(
    unsearched
      .filter(({ outcome }) => ['flat', 'warm-up', 'slowdown'].includes(outcome.result.steadiness))
      .map(({ job }) => job.case.benchmark.id),
  );
  const former = unsearched.filter(({ job: { case: one } }) => {
    return one.benchmark.guest === undefined && !guests.has(one.benchmark.id);
  });
  if (former.length === 0) return null;
  return 'Measured before steady state was searched for: a value is the median of a window in which the speed may still have changed, as one of code that was not yet optimised. No newer result is compared with it.';
}
