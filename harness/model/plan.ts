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
}

/** The ordered jobs of a run, reproducible from its seed. */
export interface Plan {
  readonly seed: number;
  readonly isolation: Isolation;
  readonly blocks: number;
  readonly measurement: MeasurementRules;
  readonly presences: readonly Presence[];
  readonly jobs: readonly Job[];
}
