/** How the speed of a case went on a target: the part of `index.ts` that each case unfolds to. */
import type { TrialCourse } from './trial.ts';

/** Of the trial whose value is nearest to the median; times are in ms since its first call began. */
export interface CaseCourse {
  readonly caseName: string;
  readonly targetId: string;
  readonly block: number;
  readonly unit: string;
  /** When an iteration ended, and its value; where there are many, medians of adjacent ones. */
  readonly points: readonly (readonly [endMs: number, value: number])[];
  readonly firstMs: number;
  readonly windowAtMs: number;
  readonly segments: TrialCourse['segments'];
}
