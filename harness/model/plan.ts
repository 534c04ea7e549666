import type { Case, Isolation, MeasurementRules } from './case.ts';
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
   * Only of a job that was added while the run went on: the ordinal of the job whose trial was
   * quarantined, and which this one does once more, with the same case, device and block.
   */
  readonly repeats?: number;
}

/** The ordered jobs of a run, reproducible from its seed. */
export interface Plan {
  readonly seed: number;
  readonly isolation: Isolation;
  readonly blocks: number;
  readonly measurement: MeasurementRules;
  /** A trial that is quarantined is done once more, right after it. */
  readonly repeatQuarantined: boolean;
  /** Trials of one machine may run at one time: quickly done, and no measurement. */
  readonly allowContention?: boolean;
  readonly presences: readonly Presence[];
  readonly jobs: readonly Job[];
  /** Of a run that goes on: ordinals of the jobs that have an outcome already, and are not done again. */
  readonly done?: ReadonlySet<number>;
}

/** The jobs that are still to be done. */
export function jobsToDo({ jobs, done }: Plan): readonly Job[] {
  return done === undefined ? jobs : jobs.filter(({ ordinal }) => !done.has(ordinal));
}
