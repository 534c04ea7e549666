import { z } from 'zod';
import { endpoint, type Endpoint } from './endpoint.ts';
import { historyFilter, id, paging, type PagingQuery } from './parameters.ts';
import { Problem } from './problems.ts';
import type { ApiSources } from './sources.ts';
import * as nouns from './told-nouns.ts';
import type { ToldChanges, ToldFindings, ToldRow, ToldSeries } from './told.ts';

/** How many rows a page has at most, and when nobody says. */
const most = { rows: 500, series: 500 };
const usual = { rows: 100, series: 100 };

/** More are counted. */
const mostTroubles = 200;

const { benchmark, case: caseName, metric, device } = historyFilter;
const text = z.string().min(1, 'it must not be empty').max(300, 'it is too long').optional();

/** What the analysis says: the findings of a run, and changes over the nights of a suite. */
export function toldRoutes(sources: ApiSources): readonly Endpoint[] {
  return [findingsRoute(sources), changesRoute(sources)];
}

function findingsRoute(sources: ApiSources): Endpoint {
  return endpoint({
    url: '/api/v1/runs/:id/findings',
    name: 'getFindings',
    summary: 'What a run says: its comparison table with verdicts, growth, troubles, cautions',
    params: z.strictObject({ id }),
    query: z.strictObject({
      ...{ benchmark, case: caseName, metric, baseline: text },
      ...paging(1, most.rows),
    }),
    answer: nouns.findings,
    async read({ id: run }, { baseline, limit, cursor, ...filter }) {
      const told = await sources.findings(run, baseline ?? null);
      if (told === null) return null;
      if (baseline !== undefined && !isFound(told, baseline)) throw noBaseline(run, told);
      const rows = told.rows.filter((one) => fits(one, filter));
      const { page, next } = pageOf(rows, { limit, cursor }, usual.rows);
      return {
        ...told,
        rows: page,
        pairs: pairsOf(told, page),
        growth: told.growth.filter((one) => (filter.benchmark ?? one.benchmark) === one.benchmark),
        troubles: told.troubles.slice(0, mostTroubles),
        moreTroubles: Math.max(0, told.troubles.length - mostTroubles),
        next,
      };
    },
    table: { line: nouns.pair, rows: ({ pairs }) => pairs },
  });
}

function changesRoute(sources: ApiSources): Endpoint {
  return endpoint({
    url: '/api/v1/changes',
    name: 'listChanges',
    summary: 'What changed over the nights of a suite (the newest run’s when none is named)',
    query: z.strictObject({
      ...{ suite: text, case: caseName, metric, device },
      ...paging(1, most.series),
    }),
    answer: nouns.changes,
    async read(_params, { suite, limit, cursor, ...filter }) {
      const told = await sources.changes(suite ?? null);
      const series = told.series.filter((one) => fits(one, filter));
      const { page, next } = pageOf(series, { limit, cursor }, usual.series);
      return { ...told, series: page, next };
    },
    table: { line: nouns.changeLine, rows: ({ series }: ToldChanges) => series.flatMap(linesOf) },
  });
}

function isFound({ targets }: ToldFindings, baseline: string): boolean {
  return targets.some((one) => one.device === baseline && one.status === 'found');
}

function noBaseline(run: number, { targets }: ToldFindings): Problem {
  const found = targets.filter(({ status }) => status === 'found').map((one) => one.device);
  // Not 400: there is nothing wrong with the parameter, but nothing of that name either.
  return new Problem(
    404,
    `The parameter "baseline" cannot be used: run ${String(run)} found no such device.`,
    `It found ${found.length === 0 ? 'none' : found.join(', ')}.`,
  );
}

interface RowFilter {
  readonly benchmark?: string | undefined;
  readonly case?: string | undefined;
  readonly metric?: string | undefined;
  readonly device?: readonly string[] | undefined;
}

type Filtered = Pick<ToldRow, 'case' | 'metric'> &
  Partial<Pick<ToldRow, 'benchmark'>> &
  Partial<Pick<ToldSeries, 'device'>>;

function fits(one: Filtered, filter: RowFilter): boolean {
  return (
    (filter.benchmark ?? one.benchmark) === one.benchmark &&
    (filter.case ?? one.case) === one.case &&
    (filter.metric ?? one.metric) === one.metric &&
    (filter.device === undefined || filter.device.includes(one.device ?? ''))
  );
}

/** A page of what is whole in memory: its cursor is the place of its first row. */
function pageOf<Row>(
  rows: readonly Row[],
  { limit, cursor }: PagingQuery,
  usualLength: number,
): { readonly page: readonly Row[]; readonly next: string | null } {
  const from = Number(cursor ?? 0);
  const to = from + (limit ?? usualLength);
  return { page: rows.slice(from, to), next: to < rows.length ? String(to) : null };
}

function pairsOf({ pairs }: ToldFindings, rows: readonly ToldRow[]): ToldFindings['pairs'] {
  const keyOf = (one: Pick<ToldRow, 'case' | 'metric'>): string => `${one.case}\n${one.metric}`;
  const shown = new Set(rows.map(keyOf));
  return pairs.filter((one) => shown.has(keyOf(one)));
}

function linesOf({ changes, ...series }: ToldSeries): readonly object[] {
  return changes.map((change) => ({ ...series, ...change }));
}
