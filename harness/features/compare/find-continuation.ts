import { decideTable } from '../../core/analysis/decide.ts';
import { runCircumstances } from '../../core/analysis/pairs.ts';
import {
  comparisonSuite,
  parseErrorRate,
  parseMargin,
  versionPairs,
  versionsSuite,
} from '../../core/analysis/run-pairs.ts';
import { countingDisturbed } from '../../core/analysis/series.ts';
import type { AskedContinuation, Continuation } from '../../core/app/extensions.ts';
import { outcomeResponse } from '../../core/app/outcome-response.ts';
import type { Run, RunRecord, RunSetting } from '../../core/model/run.ts';
import { canGetBlocks, isOnOwnPage } from '../../core/model/typed-command.ts';
import type { Store } from '../../core/store/store.ts';
import { listUnexplained } from './versions-explained.ts';

/** Finds out how a comparison that was interrupted or left undecided is continued. */
export async function findContinuation(
  run: Run,
  store: Store,
  { isNamed }: AskedContinuation,
): Promise<Continuation | null> {
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
  const record = await store.readRun(id);
  const open = record === null ? null : await describeOpen(record, isNamed);
  return open === null ? null : { ...found, ...open };
}

/** What a finished run left open; null where all is decided, and explained as far as blocks can. */
async function describeOpen(
  record: RunRecord,
  isNamed: boolean,
): Promise<Pick<Continuation, 'what'> | null> {
  const { run, question } = record;
  if (question !== undefined) return null;
  const { undecided } = await outcomeResponse(record);
  const isOne = run.suite === comparisonSuite || run.suite === versionsSuite;
  if (undecided > 0) return { what: isOne ? 'an undecided comparison' : 'undecided comparisons' };
  // Its verdict is there: who names no run does not ask for more.
  if (!isNamed || run.suite !== versionsSuite || !isUnexplained(record)) return null;
  return { what: 'a comparison that is not explained yet' };
}

/** An older farm stored no place of pages; a night continues its own tests. */
function isStoredWhole({ suite, command }: Run, { ownPages, test }: RunSetting): boolean {
  const isOnPage = suite === versionsSuite || (suite === comparisonSuite && isOnOwnPage(command));
  return test === undefined && (ownPages !== undefined || !isOnPage);
}

function isUnexplained(record: RunRecord): boolean {
  const { run, trials } = record;
  const rules = { margin: parseMargin(run.command), alpha: parseErrorRate(run.command) };
  const entries = decideTable(countingDisturbed(trials), versionPairs(record), {
    ...rules,
    ...runCircumstances(record),
  });
  return listUnexplained({ entries, trials, alpha: rules.alpha }).length > 0;
}
