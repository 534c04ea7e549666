import { median } from 'simple-statistics';
import type { TrialCourse, WarmUpFacts } from '../results/index.ts';
import { caseName } from '../model/case.ts';
import type { RunRecord } from '../model/run.ts';
import { calmIterations, disturbedIn, preemptedMs, trialValue } from '../model/trial-value.ts';
import type { TrialResult } from '../model/trial.ts';
import { type CompletedTrial, isCompleted, findResolution } from './series.ts';

/** Selects the trial to explain; a rule chooses what is left out. */
export interface WarmUpChoice {
  /** Canonical name of a case, or its beginning, such as a benchmark's id. */
  readonly caseName?: string;
  readonly targetId?: string;
  readonly block?: number;
}

/**
 * Explains the iterations of one completed trial. Without a choice it is the least steady one: by
 * its class, then by the distance of its speeds. Null if no completed trial fits the choice.
 */
export function explainWarmUp(
  record: RunRecord,
  { choice, writtenAt, farmVersion }: ExplainOptions,
): WarmUpFacts | null {
  const fitting = record.trials.filter(isCompleted).filter((trial) => fits(trial, choice));
  const [trial] = fitting.toSorted((a, b) => compareSteadiness(resultOf(a), resultOf(b)));
  const samples = trial?.outcome.result.samples[0];
  if (trial === undefined || samples === undefined) return null;
  const { result } = trial.outcome;
  const { metric, unit, warmUp, timed } = samples;
  return {
    title: `Warm-up of ${caseName(trial.job.case)}`,
    writtenAt,
    farmVersion,
    run: record.run.id,
    caseName: caseName(trial.job.case),
    target: targetOf(record, trial),
    block: trial.job.block,
    chosen:
      fitting.length === 1
        ? 'the only completed trial that was asked for'
        : `the least steady of ${String(fitting.length)} completed trials`,
    metric,
    unit,
    warmUp,
    timed,
    steadiness: result.steadiness,
    course: readCourse(result),
    value: valueOf(result),
    repeats: result.repeats,
    granuleUs: result.clock.granuleUs,
    resolution: findResolution(result, { id: metric, unit }),
  };
}

interface ExplainOptions {
  readonly choice: WarmUpChoice;
  /** ISO 8601. */
  readonly writtenAt: string;
  readonly farmVersion: string;
}

function fits({ job }: CompletedTrial, choice: WarmUpChoice): boolean {
  const name = caseName(job.case);
  const wanted = choice.caseName ?? name;
  return (
    (name === wanted || name.startsWith(`${wanted} `)) &&
    job.deviceId === (choice.targetId ?? job.deviceId) &&
    job.block === (choice.block ?? job.block)
  );
}

function resultOf({ outcome }: CompletedTrial): TrialResult {
  return outcome.result;
}

const ranks = {
  'first run': 0,
  flat: 0,
  steady: 0,
  'warm-up': 0,
  slowdown: 2,
  slowing: 2,
  'no steady state': 3,
} as const;

const rankOfNoise = 1;

/** The least steady first. */
function compareSteadiness(one: TrialResult, other: TrialResult): number {
  return rankOf(other) - rankOf(one) || changeOf(other) - changeOf(one);
}

function rankOf({ steadiness, steadyState }: TrialResult): number {
  return Math.max(ranks[steadiness], steadyState?.noisy === true ? rankOfNoise : 0);
}

/** ln(slowest speed / fastest speed); 0 without a search. */
function changeOf({ steadyState }: TrialResult): number {
  const levels = (steadyState?.segments ?? []).map(({ level }) => Math.log(level));
  return levels.length === 0 ? 0 : Math.max(...levels) - Math.min(...levels);
}

function targetOf({ presences }: RunRecord, trial: CompletedTrial): WarmUpFacts['target'] {
  const id = trial.job.deviceId;
  const name = presences.find(({ device }) => device.id === id)?.device.name ?? id;
  const { browser } = trial;
  return { id, name, browser: browser === null ? '' : `${browser.name} ${browser.version}` };
}

/** The kit measures in milliseconds, so its levels are in the unit of its duration. */
export function readCourse(result: TrialResult): TrialCourse | null {
  const { steadyState, samples, repeats } = result;
  if (steadyState === undefined) return null;
  const { warmUpEndMs, windowAtMs, firstMs, steadyAfterMs, noisy, segments } = steadyState;
  const { warmUp = [], timed = [] } = samples[0] ?? {};
  let endMs = windowAtMs;
  const timedEndMs = timed.map((value) => (endMs += value * repeats));
  const before = warmUp.map((_, i) => warmUpEndMs[i] ?? windowAtMs);
  const course = { firstMs, steadyAfterMs, noisy, segments, windowAtMs };
  return { ...course, disturbed: [...disturbedIn(result)], endMs: [...before, ...timedEndMs] };
}

function valueOf(result: TrialResult): WarmUpFacts['value'] {
  const { metric = '' } = result.samples[0] ?? {};
  const counted = calmIterations(result);
  return {
    kind: result.steadyState === undefined ? 'median' : 'mean',
    value: trialValue(result, metric) ?? NaN,
    median: counted.length === 0 ? NaN : median([...counted]),
    preemptedMs: preemptedMs(result),
    disturbed: disturbedIn(result).size,
  };
}
