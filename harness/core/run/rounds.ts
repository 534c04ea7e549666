import type { MeasurementRules } from '../model/case.ts';
import { type Job, jobsOfRound, type Plan, findRound } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import type { LaterWindow, RunListener } from './listener.ts';

/**
 * The cells that a new run has before its first trial. One that may end early plans them round by
 * round, so that none is left without outcome.
 */
export function firstCells(plan: Plan, endsEarly: boolean): readonly Job[] {
  return endsEarly ? jobsOfRound(plan, 0) : plan.jobs;
}

/** A trial, and the cells that the run gets before it. */
export interface PlannedTrial {
  readonly added: readonly Job[];
  readonly trial: Trial;
}

interface Rounds {
  /** Cells that the run has already. */
  readonly cells: readonly Job[];
  /** Asked after each trial, with all trials so far; true ends the run there. */
  readonly enough?: ((trials: readonly Trial[]) => boolean) | undefined;
  /** All trials of a run that may end early: those of before, to which each new one is added. */
  readonly sofar: Trial[];
}

/** Adds to each trial the cells that it needs, and ends the run when there is enough. */
export async function* planTrials(
  plan: Plan,
  trials: AsyncIterable<Trial>,
  { cells, enough, sofar }: Rounds,
): AsyncGenerator<PlannedTrial> {
  const planned = new Set(cells.map(({ ordinal }) => ordinal));
  for await (const trial of trials) {
    const added = unplannedCells(plan, trial, planned);
    for (const { ordinal } of added) planned.add(ordinal);
    yield { added, trial };
    if (enough === undefined) continue;
    sofar.push(trial);
    if (!enough(sofar)) continue;
    for (const job of leftOfRound(plan, sofar)) yield { added: [], trial: skippedTrial(job) };
    return;
  }
}

/**
 * Cells to be added before this trial can be stored: those of its round, or the repeat that it is,
 * which the runner planned when the trial before it was quarantined.
 */
function unplannedCells(plan: Plan, { job }: Trial, planned: ReadonlySet<number>): readonly Job[] {
  if (planned.has(job.ordinal)) return [];
  const round = jobsOfRound(plan, job.block).filter(({ ordinal }) => !planned.has(ordinal));
  return round.length > 0 ? round : [job];
}

/** A run may end in the middle of a round, and every planned cell has an outcome. */
function leftOfRound(plan: Plan, sofar: readonly Trial[]): readonly Job[] {
  const last = sofar.at(-1);
  if (last === undefined) return [];
  const done = new Set(sofar.map(({ job }) => job.ordinal));
  return jobsOfRound(plan, last.job.block).filter(({ ordinal }) => !done.has(ordinal));
}

function skippedTrial(job: Job): Trial {
  const reason = 'the run ended before its turn';
  return {
    job,
    outcome: { kind: 'skipped', reason, remedy: 'a larger --budget' },
    browser: null,
    failedAttempts: [],
    startedAt: new Date().toISOString(),
    wallMs: 0,
  };
}

interface LaterRounds {
  /** The window of later rounds, from the trials of the first; null where it stays. */
  readonly window?: ((trials: readonly Trial[]) => LaterWindow | null) | undefined;
  readonly listener: RunListener;
}

/**
 * How the trial of each job is measured: in the first round as the plan says, and later with the
 * window that the trials of the first call for. It is chosen when the first trial of a later round
 * begins, because rounds come one after the other: `sofar` then has all of the first, those that a
 * run had before it was continued among them.
 * @param sofar all trials of the run, growing
 */
export function measurementByRound(
  plan: Plan,
  sofar: readonly Trial[],
  { window, listener }: LaterRounds,
): (job: Job) => MeasurementRules {
  const { measurement } = plan;
  let later: MeasurementRules | null = null;
  const choose = (): MeasurementRules => {
    const chosen = window?.(sofar) ?? null;
    if (chosen === null || !('window' in measurement)) return measurement;
    listener.onWindowChosen?.(chosen);
    return { ...measurement, window: { ...measurement.window, ms: chosen.thenMs } };
  };
  return ({ block }) => {
    if (findRound(plan, block) === 0) return measurement;
    later ??= choose();
    return later;
  };
}
