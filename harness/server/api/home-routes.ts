import { z } from 'zod';
import { endpoint, type Endpoint } from './endpoint.ts';
import { runOutcome } from '../../results/stored.ts';
import { openable } from './home-response.ts';
import { id } from './parameters.ts';
import type { ApiSources } from './sources.ts';

/** Paths of what the first page shows beside the runs: what a run found, pages to open. */
export function homeRoutes(sources: ApiSources): readonly Endpoint[] {
  return [
    endpoint({
      url: '/api/v1/runs/:id/outcome',
      name: 'getOutcome',
      summary: 'What a run found, in a sentence, and how many verdicts of each kind it has',
      params: z.strictObject({ id }),
      answer: runOutcome,
      read: (params) => sources.outcome(params.id),
    }),
    endpoint({
      url: '/api/v1/pages',
      name: 'listPages',
      summary: 'Benchmarks whose page can be opened by hand, where it is served',
      answer: openable,
      // No change of the database: the pages are files.
      alsoChanges: async () => JSON.stringify(await sources.openable()),
      async read() {
        return { benchmarks: await sources.openable() };
      },
    }),
  ];
}
