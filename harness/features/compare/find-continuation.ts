import { comparisonSuite } from '../../core/analysis/run-pairs.ts';
import type { Continuation } from '../../core/app/extensions.ts';
import { outcomeResponse } from '../../core/app/outcome-response.ts';
import type { Run } from '../../core/model/run.ts';
import { canGetBlocks } from '../../core/model/typed-command.ts';
import type { Store } from '../../core/store/store.ts';

/** Finds out how a comparison that was interrupted or left undecided is continued. */
export async function findContinuation(run: Run, store: Store): Promise<Continuation | null> {
  const { id, suite, status } = run;
  const isOne = suite === comparisonSuite;
  // Cells that a run lacks are measured before its blocks get more.
  if (!canGetBlocks(run) || (!isOne && status !== 'finished')) return null;
  const setting = await store.readSetting(id);
  // A night continues its own tests.
  if (setting === null || setting.document.test !== undefined) return null;
  const args = ['compare', '--continue', String(id)];
  const takes = ['--max-blocks', '--budget', '--take-over'] as const;
  if (status !== 'finished') return { what: 'an interrupted comparison', args, takes };
  const record = await store.readRun(id);
  if (record === null || record.question !== undefined) return null;
  if ((await outcomeResponse(record)).undecided === 0) return null;
  return { what: isOne ? 'an undecided comparison' : 'undecided comparisons', args, takes };
}
