import { plan, run } from './run.ts';
import { reading, result, trial } from './trial.ts';

/** What brings a database to a version of the schema. */
interface Step {
  /** What `PRAGMA user_version` is after it. */
  readonly version: number;
  readonly sql: string;
}

/**
 * Every step of the schema, oldest first; a new database takes them all. The first is the whole schema
 * of 1.0, of which every column is described in `schema.md`; its number is that of the last database
 * before, which is made alike. What changes the schema is one more step, and a step that was released is
 * never edited: `foreign.ts` compares the text that it leaves in a database, with the comments inside
 * of a statement.
 */
export const steps: readonly Step[] = [{ version: 22, sql: run + plan + trial + reading + result }];
