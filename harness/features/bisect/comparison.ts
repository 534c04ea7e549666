import { z } from 'zod';
import { FarmError } from '../../core/errors.ts';
import type { Plan } from '../../core/model/plan.ts';
import { readVersion, versionPairs } from '../../core/analysis/run-pairs.ts';
import type { Standing } from './search.ts';
import type { TableEntry } from '../../core/analysis/decide.ts';
import type { Pair } from '../../core/analysis/pairs.ts';

/** One row of a comparison of commits: a measure of one beside that of another, in a browser. */
const comparedRow = z.object({
  browser: z.string(),
  metric: z.string(),
  title: z.string(),
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
  run: z.number().nullable(),
  command: z.string().nullable(),
  rows: z.array(comparedRow),
  ms: z.number(),
});

export type ComparedCommits = z.infer<typeof comparedCommits>;

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
    version: readVersion(a),
    against: readVersion(b),
  };
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
  { ratio: whole }: ComparedRow,
  { ratio: part }: ComparedRow,
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

/** Each commit with the first, and the last with each. */
export function between(row: ComparedRow, [first, last]: readonly [string, string]): PairsOfPlan {
  return (plan) => {
    const withFirst = only(row)(plan);
    const end = withFirst.find(({ a }) => readVersion(a) === last);
    const inner = withFirst.filter(
      ({ a, b }) => readVersion(a) !== last && readVersion(b) === first,
    );
    return inner.flatMap((pair) =>
      end === undefined ? [pair] : [pair, { ...pair, a: end.a, b: pair.a }],
    );
  };
}

export function standingOf(
  name: string,
  [first, last]: readonly [string, string],
  rows: readonly ComparedRow[],
  { verdict }: ComparedRow,
): Standing {
  const differs = (version: string, against: string): boolean =>
    rows.some(
      (row) => row.version === version && row.against === against && row.verdict === verdict,
    );
  return { differsFromFirst: differs(name, first), differsFromLast: differs(last, name) };
}

interface StopRule {
  /** The row that is followed; all are when left out. */
  readonly row?: ComparedRow | undefined;
  /** True if a search knows where to go on. */
  readonly isDone?: ((rows: readonly ComparedRow[]) => boolean) | undefined;
}

/** Rows that are clear stop a comparison after twice as many blocks as the first of them took. */
export function stopsSearch({
  row,
  isDone: isEnough,
}: StopRule): (table: readonly TableEntry[]) => boolean {
  let firstAt: number | null = null;
  return (table: readonly TableEntry[]): boolean => {
    const rows = rowsOf(table);
    if (isEnough !== undefined) return isEnough(rows);
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
