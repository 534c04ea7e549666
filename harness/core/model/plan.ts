import { type Case, caseName, type Isolation, type MeasurementRules } from './case.ts';
import type { Presence } from './device.ts';

/** One cell of a plan: one trial of one case on one target, in one block. */
export interface Job {
  /** Position in the plan, from 0: the order in which jobs run. */
  readonly ordinal: number;
  readonly block: number;
  readonly case: Case;
  readonly deviceId: string;
  /**
   * Consecutive jobs with the same key share a browser session. Under isolation `session` every
   * key is unique; under `page` it is the same for all cases of one device in one block, so trials
   * of one case never share a session under either.
   */
  readonly sessionKey: string;
  /**
   * Only of a job that was added during the run: the ordinal of the job whose trial was excluded.
   * This job repeats it with the same case, device and block.
   */
  readonly repeats?: number;
}

/** The ordered jobs of a run, reproducible from its seed. */
export interface Plan {
  readonly seed: number;
  readonly isolation: Isolation;
  readonly blocks: number;
  /**
   * Number of blocks at the beginning that are shuffled together, as one round. Each block after
   * them is a separate round; when left out, every block is.
   */
  readonly firstRound?: number;
  readonly measurement: MeasurementRules;
  /** A quarantined trial is repeated right after it. */
  readonly repeatQuarantined: boolean;
  /** Trials of one machine may run at one time: quickly done, and no measurement. */
  readonly allowContention?: boolean;
  readonly presences: readonly Presence[];
  readonly jobs: readonly Job[];
  /** Of a run that goes on: ordinals of the jobs that have an outcome already, and are not done again. */
  readonly done?: ReadonlySet<number>;
}

/**
 * Blocks in the first round of a comparison. No verdict is possible with fewer, so that looking
 * after each of them would be in vain; shuffled together, they have more orders to be tested against.
 */
export const firstRoundBlocks = 5;

/** Number of the round that a block belongs to, from 0: rounds come one after the other. */
export function findRound({ firstRound = 1 }: Pick<Plan, 'firstRound'>, block: number): number {
  return Math.max(0, block - firstRound + 1);
}

/** The jobs of the round that this block belongs to, in the order of the plan. */
export function jobsOfRound(plan: Plan, block: number): readonly Job[] {
  const round = findRound(plan, block);
  return plan.jobs.filter((job) => findRound(plan, job.block) === round);
}

/**
 * The first round of a run, seen from its jobs: where the first `firstRoundBlocks` blocks are not in
 * their order and all later ones are, those were shuffled together. One draw in 100,000 puts two lanes in that order by
 * chance; such a run is taken for one without a round, wherever it is looked at.
 */
export function detectFirstRound(jobs: readonly Job[]): Pick<Plan, 'firstRound'> {
  const planned = jobs
    .filter(({ repeats }) => repeats === undefined)
    .toSorted((a, b) => a.ordinal - b.ordinal);
  const isInOrder = (numbers: readonly number[]): boolean =>
    numbers.every((number, index) => number >= (numbers[index - 1] ?? 0));
  const blocks = planned.map(({ block }) => block);
  const rounds = blocks.map((block) => findRound({ firstRound: firstRoundBlocks }, block));
  return isInOrder(rounds) && !isInOrder(blocks) ? { firstRound: firstRoundBlocks } : {};
}

/** The jobs that are still to be done. */
export function jobsToDo({ jobs, done }: Plan): readonly Job[] {
  return done === undefined ? jobs : jobs.filter(({ ordinal }) => !done.has(ordinal));
}

/** The name under which it is known how long trials of a case take on a device. */
export function timeKey({ deviceId, case: one }: Pick<Job, 'deviceId' | 'case'>): string {
  return buildTimeKey(deviceId, caseName(one));
}

/** `timeKey` of a device's id and the name of a case. */
export function buildTimeKey(deviceId: string, name: string): string {
  return `${deviceId}\n${name}`;
}
