import { z } from 'zod';
import { endpoint, type Endpoint } from './endpoint.ts';
import { runOutcome } from '../../results/stored.ts';
import { listedNight, nights, openable, wholeNight } from './home-response.ts';
import { id, nextOf, paging } from './parameters.ts';
import type { ApiSources } from './sources.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/** A year of nights and some. */
const most = 400;

/** The name of a night's folder. */
const night = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d{1,6})?$/, 'it must be the name of its folder');

/** Paths of what the first page shows beside the runs: nights, what a run found, pages to open. */
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
      url: '/api/v1/nights',
      name: 'listNights',
      summary: `Nights of ${npxCrossfarm} nightly, the newest first`,
      query: z.strictObject(paging(1, most)),
      answer: nights,
      alsoChanges: () => sources.nights.lastChange(),
      async read(_params, { limit = most, cursor }) {
        const all = await sources.nights.all();
        const from = Number(cursor ?? 0);
        const to = from + limit;
        return { nights: all.slice(from, to), next: nextOf(to < all.length ? [to] : null) };
      },
      table: { line: listedNight, rows: (answer) => answer.nights },
    }),
    endpoint({
      url: '/api/v1/nights/:id',
      name: 'getNight',
      summary: 'One night: why it ended as it did, its devices and steps',
      params: z.strictObject({ id: night }),
      answer: wholeNight,
      alsoChanges: () => sources.nights.lastChange(),
      read: (params) => sources.nights.one(params.id),
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
