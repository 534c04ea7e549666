import { median } from 'simple-statistics';
import type { WarmUpFacts } from '../../reports/findings.ts';
import { caseName } from '../model/case.ts';
import type { RunRecord } from '../model/run.ts';
import { isCompleted, type CompletedTrial } from './series.ts';
import { resolutionOf } from './time-units.ts';

/** Which trial to explain; whatever is left out is chosen by rule. */
export interface WarmUpChoice {
  /** Canonical name, or the beginning of one, such as a benchmark's id. */
  readonly caseName?: string;
  readonly targetId?: string;
  readonly block?: number;
}

/** The kit's rule (`pages/kit/steadiness.js`), which a test holds against these. */
export const steadinessRule = { judged: 6, tolerance: 0.05 } as const;

/**
 * The iterations of one completed trial. Without a choice it is the least steady one: by its label,
 * then by how much the last iterations of its warm-up still changed. Null when no completed trial
 * fits the choice.
 */
export function explainWarmUp(
  record: RunRecord,
  { choice, writtenAt, farmVersion }: ExplainOptions,
): WarmUpFacts | null {
  const fitting = record.trials.filter(isCompleted).filter((trial) => fits(trial, choice));
  const [trial] = fitting.toSorted((a, b) => unsteadiness(b) - unsteadiness(a));
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
    ...{ metric, unit, warmUp, timed },
    steadiness: result.steadiness,
    repeats: result.repeats,
    granuleUs: result.clock.granuleUs,
    resolution: resolutionOf(result, unit),
    judged: judge(warmUp),
  };
}

export interface ExplainOptions {
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

const rank = {
  'first run': 0,
  flat: 0,
  steady: 0,
  'warm-up': 0,
  slowdown: 1,
  slowing: 1,
  'no steady state': 2,
} as const;

/** Larger for a worse label; within a label, for a larger change of the last iterations (at most 1). */
function unsteadiness({ outcome: { result } }: CompletedTrial): number {
  const change = judge(result.samples[0]?.warmUp ?? [])?.change ?? 0;
  return 2 * rank[result.steadiness] + Math.min(1, Math.abs(change));
}

function targetOf({ presences }: RunRecord, trial: CompletedTrial): WarmUpFacts['target'] {
  const id = trial.job.deviceId;
  const name = presences.find(({ device }) => device.id === id)?.device.name ?? id;
  const { browser } = trial;
  return { id, name, browser: browser === null ? '' : `${browser.name} ${browser.version}` };
}

function judge(warmUp: readonly number[]): WarmUpFacts['judged'] {
  const { judged, tolerance } = steadinessRule;
  if (warmUp.length < judged) return null;
  const recent = warmUp.slice(-judged);
  const [older, newer] = [recent.slice(0, judged / 2), recent.slice(judged / 2)].map(median);
  if (older === undefined || newer === undefined || !(older > 0)) return null;
  return {
    iterations: judged,
    older,
    newer,
    change: newer / older - 1,
    tolerance,
    trend: kendallTau(recent),
  };
}

/** Kendall's τ-a against time: pairs in rising order minus pairs in falling order, over all pairs. */
function kendallTau(values: readonly number[]): number {
  const signs = values.flatMap((value, i) =>
    values.slice(i + 1).map((later) => Math.sign(later - value)),
  );
  return signs.reduce((sum, sign) => sum + sign, 0) / signs.length;
}
