import { z } from 'zod';
import { endpoint, type Endpoint } from './endpoint.ts';
import { device, filterValues } from '../../results/stored.ts';
import * as schemas from './schemas.ts';
import type { ApiSources } from './sources.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/** Paths beside the measurements: filters, devices, anomalies. */
export function otherRoutes(sources: ApiSources): readonly Endpoint[] {
  return [
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
      answer: z.strictObject({ joining: schemas.joining.nullable() }),
      read: () => Promise.resolve({ joining: sources.joining() }),
      // No change of the database: the code's page comes and goes with who joins.
      alsoChanges: () => JSON.stringify(sources.joining()),
    }),
    endpoint({
      url: '/api/v1/anomalies',
      name: 'listAnomalies',
      summary: 'Differences that were saved, and what became of each',
      answer: z.strictObject({ anomalies: z.array(schemas.anomaly) }),
      read: async () => ({ anomalies: await sources.anomalies() }),
      table: { line: schemas.anomaly, rows: ({ anomalies }) => anomalies },
    }),
  ];
}
