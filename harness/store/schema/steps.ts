import { plan, run, runPreset, targetFamily } from './run.ts';
import { declaredReading, pageErrors, reading, result, trial } from './trial.ts';

/** SQL that brings a database to a version of the schema. */
export interface Step {
  /** `PRAGMA user_version` after it. */
  readonly version: number;
  readonly sql: string;
}

/**
 * Every step of the schema, oldest first; a new database takes them all. The first is the whole schema of
 * 1.0. Its number is 22, because 0.2.0 had made the same schema in 22 steps, and its databases go on as
 * they are. A step that was released is never edited, nor are the comments inside of its statements:
 * SQLite stores them, and `foreign.ts` compares what is stored.
 */
export const steps: readonly Step[] = [
  { version: 22, sql: run + plan + trial + reading + result },
  { version: 23, sql: declaredReading },
  { version: 24, sql: targetFamily },
  { version: 25, sql: runPreset },
  { version: 26, sql: pageErrors },
];
