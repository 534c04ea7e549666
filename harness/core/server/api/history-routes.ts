import { z } from 'zod';
import { endpoint, type Endpoint } from './endpoint.ts';
import * as stored from '../../results/stored.ts';
import { historyFilter, id, next, nextOf, pageWanted, paging, statusFilter } from './parameters.ts';
import type { ApiSources } from './sources.ts';

/** The largest number of rows on a page, and the default. */
const most = { runs: 100, cells: 2_000, summaries: 500 };
const usual = { runs: 20, cells: 500, summaries: 100 };

/** Paths of the measurements: runs, their cells, and summaries of series. */
export function historyRoutes(sources: ApiSources): readonly Endpoint[] {
  return [...runRoutes(sources), summaryRoute(sources)];
}

function runRoutes({ history }: ApiSources): readonly Endpoint[] {
  return [
    endpoint({
      url: '/api/v1/runs',
      name: 'listRuns',
      summary: 'Runs, the newest first',
      query: z.strictObject({ ...statusFilter, ...paging(1, most.runs) }),
      answer: z.strictObject({ runs: z.array(stored.run), next }),
      async read(_params, { status, ...query }) {
        const page = await history.runs(status ?? null, pageWanted(query, usual.runs));
        return { runs: page.rows, next: nextOf(page.next) };
      },
      table: { line: stored.run, rows: ({ runs }) => runs },
    }),
    endpoint({
      url: '/api/v1/runs/:id',
      name: 'getRun',
      summary: 'One run',
      params: z.strictObject({ id }),
      answer: stored.run,
      read: (params) => history.run(params.id),
    }),
    endpoint({
      url: '/api/v1/runs/:id/cells',
      name: 'listCells',
      summary: 'The planned trials of a run in the order of its plan, with how they ended',
      params: z.strictObject({ id }),
      query: z.strictObject(paging(1, most.cells)),
      answer: z.strictObject({ cells: z.array(stored.cell), next }),
      async read(params, query) {
        const page = await history.cells(params.id, pageWanted(query, usual.cells));
        return page === null ? null : { cells: page.rows, next: nextOf(page.next) };
      },
      table: { line: stored.cell, rows: ({ cells }) => cells },
    }),
  ];
}

function summaryRoute(sources: ApiSources): Endpoint {
  return endpoint({
    url: '/api/v1/summaries',
    name: 'listSummaries',
    summary: 'Statistics of each series (case × target × metric) in each run, the newest first',
    query: z.strictObject({ ...historyFilter, ...paging(5, most.summaries) }),
    answer: z.strictObject({ summaries: z.array(stored.summary), next }),
    async read(_params, { limit, cursor, ...filter }) {
      const page = await sources.summaries(filter, pageWanted({ limit, cursor }, usual.summaries));
      return { summaries: page.rows, next: nextOf(page.next) };
    },
    table: { line: stored.summary, rows: ({ summaries }) => summaries },
  });
}
