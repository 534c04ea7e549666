import { z } from 'zod';
import { FarmError } from '../../core/errors.ts';
import type { Plan } from '../../core/model/plan.ts';
import type { Trial } from '../../core/model/trial.ts';
import { readVersion, versionPairs } from '../../core/analysis/run-pairs.ts';
import type { TableEntry } from '../../core/analysis/decide.ts';
import { type Pair, pairValues } from '../../core/analysis/pairs.ts';
import type { Commit } from './commits.ts';
import type { BlockTimes } from './step-gap.ts';

/** One row of a comparison of commits: a measure of one beside that of another, in a browser. */
const comparedRow = z.object({
  browser: z.string(),
  metric: z.string(),
  title: z.string(),
  unit: z.string(),
  /** The names of the commits: `version` is held against `against`. */
  version: z.string(),
  against: z.string(),
  verdict: z.enum(['faster', 'slower', 'equivalent', 'undecided', 'not given']),
  ratio: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  blocks: z.number(),
});

export type ComparedRow = z.infer<typeof comparedRow>;

/** A comparison that has ended. */
export const comparedCommits = z.object({
  /** Why it was made. */
  purpose: z.enum(['ends', 'search', 'check']),
  commits: z.array(z.string()),
  /** The browser and metric that it was about; null if it was about all. */
  followed: z.string().nullable(),
  /** Commits that could not be measured, and why; then there are no rows. */
  unusable: z.record(z.string(), z.string()),
  /** Of a search: the two of its commits that the step lies between, perhaps its ends. */
  between: z.tuple([z.string(), z.string()]).nullable(),
  run: z.number().nullable(),
  command: z.string().nullable(),
  rows: z.array(comparedRow),
  ms: z.number(),
});

export type ComparedCommits = z.infer<typeof comparedCommits>;

/** A commit that made a difference, against the one before it in fresh blocks. */
export interface FoundChange {
  readonly commit: Commit;
  /** The last commit that was as the good one. */
  readonly before: Commit;
  /** Those between the two that could not be told, and why. */
  readonly skipped: readonly { readonly commit: Commit; readonly why: string }[];
  /** The merge that brought it in; null where it lies on the way itself. */
  readonly mergedBy: Commit | null;
  /** False if its own comparison does not show the difference. */
  readonly isVerified: boolean;
  /** The rows are those of the commit beside the one before it. */
  readonly check: ComparedCommits;
  /** Other rows of that comparison: what lies before and after the two, where there seems to be more. */
  readonly around: readonly ComparedRow[];
}

export interface CommitBisection {
  readonly outcome: 'found' | 'no-difference' | 'undecided';
  /** The first is the good one, the last the bad one. */
  readonly commits: readonly Commit[];
  /** The two held against each other. */
  readonly ends: ComparedCommits | null;
  readonly changes: readonly FoundChange[];
  readonly steps: readonly ComparedCommits[];
  readonly interrupted: boolean;
}

/** What tells a comparison from the others of its bisection. */
export type WantedComparison = Pick<ComparedCommits, 'purpose' | 'followed' | 'commits'>;

/** Chooses the pairs of a comparison. */
export type PairsOfPlan = (plan: Plan) => readonly Pair[];

/** Reads the rows of a table of decisions. */
export function rowsOf(entries: readonly TableEntry[]): readonly ComparedRow[] {
  return entries.map(({ pair, decision: made }) => {
    const names = namesOf(pair);
    if (made.kind !== 'decided-on') {
      const nothing = { ratio: null, low: null, high: null, blocks: 0 };
      return { ...names, verdict: 'not given' as const, ...nothing };
    }
    const { verdict, ratio, low, high, blocks } = made.decision;
    return { ...names, verdict, ratio, low, high, blocks };
  });
}

function namesOf({
  a,
  b,
  metric,
}: Pair): Omit<ComparedRow, 'verdict' | 'ratio' | 'low' | 'high' | 'blocks'> {
  return {
    browser: a.deviceId,
    metric: metric.id,
    title: metric.title,
    unit: metric.unit,
    version: readVersion(a),
    against: readVersion(b),
  };
}

/** The blocks that a comparison took. */
export function blocksIn({ rows }: Pick<ComparedCommits, 'rows'>): number {
  return Math.max(0, ...rows.map(({ blocks }) => blocks));
}

export function isDifferent({ verdict }: ComparedRow): boolean {
  return verdict === 'slower' || verdict === 'faster';
}

/** The rows that differ, those first whose interval is narrow beside their difference. */
export function clearest(rows: readonly ComparedRow[]): readonly ComparedRow[] {
  const clarity = ({ ratio, low, high }: ComparedRow): number =>
    ratio === null || low === null || high === null
      ? 0
      : Math.abs(Math.log(ratio)) / Math.max(1e-6, Math.log(high / low));
  return rows.filter(isDifferent).sort((one, other) => clarity(other) - clarity(one));
}

export function sameRow(
  rows: readonly ComparedRow[],
  { browser, metric }: ComparedRow,
): ComparedRow | undefined {
  return rows.find((one) => one.browser === browser && one.metric === metric);
}

/** Of a difference in logarithms: a rest that is larger is looked for. */
const shareOfRest = 0.3;

/** True if a change leaves a part of a row's difference that matters. */
export function leavesRest(
  { ratio: whole }: Pick<ComparedRow, 'ratio'>,
  { ratio: part }: Pick<ComparedRow, 'ratio'>,
  margin: number,
): boolean {
  if (whole === null || part === null) return false;
  const rest = Math.log(whole) - Math.log(part);
  const isSameWay = Math.sign(rest) === Math.sign(Math.log(whole));
  return (
    isSameWay && Math.abs(rest) > Math.max(2 * margin, shareOfRest * Math.abs(Math.log(whole)))
  );
}

export function only(row: ComparedRow): PairsOfPlan {
  return (plan) =>
    versionPairs(plan).filter(
      ({ a, metric }) => a.deviceId === row.browser && metric.id === row.metric,
    );
}

/** A commit beside its parent in every row, and of the row that is followed what lies around the two. */
export function checked(
  {
    commit,
    good,
    bad,
  }: Readonly<Record<'good' | 'bad', Commit | undefined>> & {
    readonly commit: Commit;
  },
  row: ComparedRow,
): PairsOfPlan {
  return (plan) => {
    const isOf = (pair: Pair, one: Commit | undefined): boolean =>
      readVersion(pair.a) === one?.name;
    const followed = only(row)(plan);
    const own = followed.find((pair) => isOf(pair, commit));
    const [first, last] = [good, bad].map((one) => followed.find((pair) => isOf(pair, one)));
    return [
      ...versionPairs(plan).filter((pair) => isOf(pair, commit)),
      ...(own && first ? [{ ...own, a: own.b, b: first.a }] : []),
      ...(own && last ? [{ ...own, a: last.a, b: own.a }] : []),
    ];
  };
}

/** ln of the time of each commit in each block, as a ratio to the first; the pairs are each with the first. */
export function blockTimes(
  trials: readonly Trial[],
  pairs: readonly Pair[],
): readonly BlockTimes[] {
  const values = pairs.map(
    (pair) => new Map(pairValues(trials, pair).map(({ block, a, b }) => [block, Math.log(a / b)])),
  );
  const blocks = [...new Set(values.flatMap((one) => [...one.keys()]))];
  return blocks
    .sort((one, other) => one - other)
    .map((block) => [
      0,
      ...values.map((one) => {
        const time = one.get(block);
        return time !== undefined && Number.isFinite(time) ? time : null;
      }),
    ]);
}

/** ln of the difference between two commits of a search, as its rows have it; null where one has no row. */
export function stepBetween(
  rows: readonly ComparedRow[],
  [first, last]: readonly [string, string],
): number | null {
  const base = rows[0]?.against;
  const logOf = (name: string): number | null => {
    if (name === base) return 0;
    const ratio = rows.find(({ version }) => version === name)?.ratio ?? null;
    return ratio === null ? null : Math.log(ratio);
  };
  const [from, to] = [logOf(first), logOf(last)];
  return from === null || to === null ? null : to - from;
}

/**
 * Rows that are clear stop a comparison after twice as many blocks as the first of them took.
 * @param row the one that is followed; all are when left out
 */
export function stopsWhenClear(
  row: ComparedRow | undefined,
): (table: readonly TableEntry[]) => boolean {
  let firstAt: number | null = null;
  return (table: readonly TableEntry[]): boolean => {
    const rows = rowsOf(table);
    const blocks = Math.max(0, ...rows.map((one) => one.blocks));
    const followed = row === undefined ? rows.find(isDifferent) : sameRow(rows, row);
    const isClear =
      followed !== undefined && !['undecided', 'not given'].includes(followed.verdict);
    if (isClear) firstAt ??= blocks;
    return firstAt !== null && blocks >= 2 * firstAt;
  };
}

/** Why some of these commits cannot be measured; null if the error is about something else. */
export function whyUnusable(
  error: unknown,
  commits: readonly string[],
): Record<string, string> | null {
  if (!(error instanceof FarmError)) return null;
  const unusable = commits.filter((name) => error.about.includes(name));
  if (unusable.length === 0) return null;
  return Object.fromEntries(unusable.map((name) => [name, error.message]));
}
