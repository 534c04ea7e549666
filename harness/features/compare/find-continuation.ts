import { comparisonSuite, versionsSuite } from '../../core/analysis/run-pairs.ts';
import type { Continuation } from '../../core/app/extensions.ts';
import { outcomeResponse } from '../../core/app/outcome-response.ts';
import type { Run, RunSetting } from '../../core/model/run.ts';
import { canGetBlocks, isOnOwnPage } from '../../core/model/typed-command.ts';
import type { Store } from '../../core/store/store.ts';

/** Finds out how a comparison that was interrupted or left undecided is continued. */
export async function findContinuation(run: Run, store: Store): Promise<Continuation | null> {
  const { id, suite, status } = run;
  const isOne = suite === comparisonSuite || suite === versionsSuite;
  // Cells that a run lacks are measured before its blocks get more.
  if (!canGetBlocks(run) || (!isOne && status !== 'finished')) return null;
  const setting = await store.readSetting(id);
  if (setting === null || !isStoredWhole(run, setting.document)) return null;
  const { ownPages } = setting.document;
  const args = ['compare', '--continue', String(id)];
  const takes = ['--max-blocks', '--budget', '--take-over'] as const;
  const found = { args, takes, onlyNamed: ownPages?.ofSearch === true };
  if (status !== 'finished') return { what: 'an interrupted comparison', ...found };
  if (!(await isUndecided(id, store))) return null;
  return { what: isOne ? 'an undecided comparison' : 'undecided comparisons', ...found };
}

/** An older farm stored no place of pages; a night continues its own tests. */
function isStoredWhole({ suite, command }: Run, { ownPages, test }: RunSetting): boolean {
  const isOnPage = suite === versionsSuite || (suite === comparisonSuite && isOnOwnPage(command));
  return test === undefined && (ownPages !== undefined || !isOnPage);
}

async function isUndecided(run: number, store: Store): Promise<boolean> {
  const record = await store.readRun(run);
  if (record === null || record.question !== undefined) return false;
  return (await outcomeResponse(record)).undecided > 0;
}
