import { z } from 'zod';
import { endpoint, type Endpoint } from './endpoint.ts';
import type { ApiSources } from './sources.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';
import { device, filterValues, runOutcome } from '../../results/stored.ts';
import { anomaly, joining, openable } from './other-response.ts';
import { id } from './parameters.ts';

/** Paths in addition to the measurements: filters, devices, anomalies, what a run found, pages to open. */
export function otherRoutes(sources: ApiSources): readonly Endpoint[] {
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
    endpoint({
      url: '/api/v1/filters',
      name: 'listFilters',
      summary: 'What the history can be narrowed by, as it occurs in it',
      answer: filterValues,
      read: () => sources.history.filterValues(),
    }),
    endpoint({
      url: '/api/v1/devices',
      name: 'listDevices',
      summary: 'Devices, each as the newest run that looked for it found it',
      answer: z.strictObject({ devices: z.array(device) }),
      read: async () => ({ devices: await sources.history.devices() }),
      table: { line: device, rows: ({ devices }) => devices },
    }),
    endpoint({
      url: '/api/v1/joining',
      name: 'getJoining',
      summary: `Whether devices may join now (${npxCrossfarm} serve --lan), and the page that shows the code`,
      answer: z.strictObject({ joining: joining.nullable() }),
      read: () => Promise.resolve({ joining: sources.joining() }),
      // No change of the database: the code's page comes and goes with who joins.
      alsoChanges: () => JSON.stringify(sources.joining()),
    }),
    endpoint({
      url: '/api/v1/anomalies',
      name: 'listAnomalies',
      summary: 'Differences that were saved, and what became of each',
      answer: z.strictObject({ anomalies: z.array(anomaly) }),
      read: async () => ({ anomalies: await sources.anomalies() }),
      table: { line: anomaly, rows: ({ anomalies }) => anomalies },
    }),
  ];
}
