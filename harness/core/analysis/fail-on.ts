/** The rule of `--fail-on`, which the exit code of `compare` and the exports of a stored run share. */
import type { RunRecord } from '../model/run.ts';
import { readShare } from '../model/share.ts';
import { decideTable, type TableEntry } from './decide.ts';
import { pageErrors, type PageError } from './page-errors.ts';
import { runCircumstances } from './pairs.ts';
import { asJudged, parseErrorRate, parseMargin, versionPairs } from './run-pairs.ts';
import { changeForWorse } from './stopping.ts';

/** How much better or worse a version is shown to be at least, as a share; 0 where it is not. */
export interface ShownChange {
  readonly isDecided: boolean;
  readonly better: number;
  readonly worse: number;
  /** How much worse it may be at most. */
  readonly atMost: number;
}

/** The end of the interval that is nearer to no change. Null for what is not given on both sides. */
export function shownChange({ pair, decision: made }: TableEntry): ShownChange | null {
  if (made.kind === 'not-given') return null;
  const nothing = { isDecided: false, better: 0, worse: 0, atMost: Infinity };
  if (made.kind === 'no-ratio') {
    return made.zeros === 'same' ? { ...nothing, isDecided: true, atMost: 0 } : nothing;
  }
  if (made.kind !== 'decided-on' || made.decision.verdict === 'undecided') return nothing;
  const { verdict } = made.decision;
  const { least, most } = changeForWorse(made.decision, pair.metric);
  return {
    isDecided: true,
    better: verdict === 'faster' ? -most : 0,
    worse: verdict === 'slower' ? least : 0,
    // A change within the margin does not matter.
    atMost: verdict === 'slower' ? most : 0,
  };
}

/** True where the first version has a value of this row's measure, and the other lacks it. */
export function isLost({ pair, decision: made }: TableEntry): boolean {
  return made.kind === 'not-given' && made.onlyBy === pair.b;
}

/** The standing of a row against a limit; null where neither version, or only the new one, gives the measure. */
export type Standing = 'worse' | 'lost' | 'within' | 'undecided';

/** Holds a row against a limit: the share by which a version may be slower. */
export function findStanding(entry: TableEntry, failOn: number): Standing | null {
  if (isLost(entry)) return 'lost';
  const change = shownChange(entry);
  if (change === null) return null;
  if (change.worse > failOn) return 'worse';
  return change.atMost <= failOn ? 'within' : 'undecided';
}

/** True for what fails by any limit. */
export function isFailing(standing: Standing | null): boolean {
  return standing === 'worse' || standing === 'lost';
}

/** Errors that one version had and another had not: they may do different work. */
export function unevenErrors({ trials }: Pick<RunRecord, 'trials'>): readonly PageError[] {
  return pageErrors(trials).filter(({ alone }) => alone);
}

/** A stored comparison of versions, held against the limit that it was started with. */
export interface HeldRun {
  /** A share; 0 where its command had no `--fail-on`: what is shown to be slower fails. */
  readonly failOn: number;
  readonly margin: number;
  readonly rows: readonly { readonly entry: TableEntry; readonly standing: Standing | null }[];
  readonly errors: readonly PageError[];
}

/** Decides each row of versions of a page again, as the comparison did when it ended. */
export function holdRun(record: RunRecord): HeldRun {
  const judged = asJudged(record);
  const margin = parseMargin(record.run.command);
  const failOn = parseFailOn(record.run.command) ?? 0;
  const alpha = parseErrorRate(record.run.command);
  const rules = { margin, alpha, ...runCircumstances(record) };
  const entries = decideTable(judged.trials, versionPairs(record), rules);
  return {
    failOn,
    margin,
    rows: entries.map((entry) => ({ entry, standing: findStanding(entry, failOn) })),
    errors: unevenErrors(record),
  };
}

/**
 * Reads the limit of a run from its stored command; names of versions and of files come before it.
 * Undefined where the command had none.
 */
export function parseFailOn(command: string): number | undefined {
  const found = [...command.matchAll(/--fail-on slower(?:=(\S+))?/g)].at(-1);
  return found === undefined ? undefined : (readShare(found[1] ?? '') ?? 0);
}
