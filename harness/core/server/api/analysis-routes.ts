import { z } from 'zod';
import type { SeriesResponse } from './changes-response.ts';
import { endpoint, type Endpoint } from './endpoint.ts';
import type { FoundRow, WholeFindings } from './findings-response.ts';
import {
  changeLine,
  changesAnswer,
  changesWithOldNames,
  findingsAnswer,
  findingsWithOldNames,
  pairLine,
} from './old-names.ts';
import { historyFilter, id, paging, type PagingQuery } from './parameters.ts';
import { Problem } from './problems.ts';
import type { ApiSources } from './sources.ts';

/** The largest number of rows on a page, and the default. */
const most = { rows: 500, series: 500 };
const usual = { rows: 100, series: 100 };

/** More are counted. */
const mostTroubles = 200;

const { benchmark, case: caseName, metric, device } = historyFilter;
const text = z.string().min(1, 'it must not be empty').max(300, 'it is too long').optional();

/** Results of the analysis: the findings of a run, and changes over the nights of a suite. */
export function analysisRoutes(sources: ApiSources): readonly Endpoint[] {
  return [findingsRoute(sources), changesRoute(sources)];
}

function findingsRoute(sources: ApiSources): Endpoint {
  return endpoint({
    url: '/api/v1/runs/:id/findings',
    name: 'getFindings',
    summary: 'What a run says: its comparison table with verdicts, growth, troubles, cautions',
    params: z.strictObject({ id }),
    query: z.strictObject({
      benchmark,
      case: caseName,
      metric,
      baseline: text,
      ...paging(1, most.rows),
    }),
    answer: findingsAnswer,
    async read({ id: run }, { baseline, limit, cursor, ...filter }) {
      const found = await sources.findings(run, baseline ?? null);
      if (found === null) return null;
      if (baseline !== undefined && !isFound(found, baseline)) throw noBaseline(run, found);
      const rows = found.rows.filter((one) => fits(one, filter));
      const { page, next } = pageOf(rows, { limit, cursor }, usual.rows);
      return findingsWithOldNames({
        ...found,
        rows: page,
        pairs: pairsOf(found, page),
        growth: found.growth.filter((one) => (filter.benchmark ?? one.benchmark) === one.benchmark),
        troubles: found.troubles.slice(0, mostTroubles),
        moreTroubles: Math.max(0, found.troubles.length - mostTroubles),
        next,
      });
    },
    table: { line: pairLine, rows: ({ pairs }) => pairs },
  });
}

function changesRoute(sources: ApiSources): Endpoint {
  return endpoint({
    url: '/api/v1/changes',
    name: 'listChanges',
    summary: 'What changed over the nights of a suite (the newest run’s when none is named)',
    query: z.strictObject({
      suite: text,
      case: caseName,
      metric,
      device,
      changed: z.literal('true', 'it must be true, or left out').optional(),
      ...paging(1, most.series),
    }),
    answer: changesAnswer,
    async read(_params, { suite, changed, limit, cursor, ...filter }) {
      const found = await sources.changes(suite ?? null);
      const series = found.series.filter(
        (one) => fits(one, filter) && (changed === undefined || one.changes.length > 0),
      );
      const { page, next } = pageOf(series, { limit, cursor }, usual.series);
      return changesWithOldNames({ ...found, series: page, next });
    },
    table: { line: changeLine, rows: ({ series }) => series.flatMap(linesOf) },
  });
}

function isFound({ targets }: WholeFindings, baseline: string): boolean {
  return targets.some(({ id, status }) => id === baseline && status === 'found');
}

function noBaseline(run: number, { targets }: WholeFindings): Problem {
  const found = targets.filter(({ status }) => status === 'found').map((one) => one.id);
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

type FilterableRow = Pick<FoundRow, 'caseName' | 'metric'> &
  Partial<Pick<FoundRow, 'benchmark'>> &
  Partial<Pick<SeriesResponse, 'targetId'>>;

function fits(one: FilterableRow, filter: RowFilter): boolean {
  return (
    (filter.benchmark ?? one.benchmark) === one.benchmark &&
    (filter.case ?? one.caseName) === one.caseName &&
    (filter.metric ?? one.metric) === one.metric &&
    (filter.device === undefined || filter.device.includes(one.targetId ?? ''))
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

function pairsOf({ pairs }: WholeFindings, rows: readonly FoundRow[]): WholeFindings['pairs'] {
  const keyOf = (caseName: string, metric: string): string => `${caseName}\n${metric}`;
  const shown = new Set(rows.map(({ caseName, metric }) => keyOf(caseName, metric)));
  return pairs.filter(({ a, metric }) => shown.has(keyOf(a.caseName, metric)));
}

function linesOf({ changes, ...series }: SeriesResponse): readonly object[] {
  return changes.map((change) => ({ ...series, ...change }));
}
