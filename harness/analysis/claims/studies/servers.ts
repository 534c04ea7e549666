import type { Parameters } from '../../../model/case.ts';
import { source } from '../catalogue/servers.ts';
import type { Study, StudyCell } from './study.ts';

const runtimes = ['node', 'deno', 'bun'] as const;

const route = (name: 'sync' | 'async'): Parameters => ({ route: name });

const both = (quantity: string): readonly StudyCell[] => [
  { quantity, parameters: route('sync') },
  { quantity, parameters: route('async') },
];

const gain = (quantity: string): readonly (StudyCell | null)[] => [
  null,
  { quantity, parameters: route('async'), over: route('sync') },
];

/** Section D: a server that hashes passwords. */
export const serverStudies: readonly Study[] = [
  {
    section: 'D',
    title: 'A server that hashes passwords',
    source,
    benchmark: 'password-server',
    columns: ['/sync', '/async'],
    groups: [
      {
        label: 'requests a second',
        unit: 'requests/s',
        published: ['10.75', '24.65'],
        products: runtimes,
        cells: both('throughput'),
      },
      {
        label: 'mean latency',
        unit: 'ms',
        published: ['1860', '811'],
        products: runtimes,
        cells: both('latency-mean'),
      },
      {
        label: 'standard deviation of the latency',
        unit: 'ms',
        published: ['414', '121'],
        products: runtimes,
        cells: both('latency-sd'),
      },
      {
        label: 'requests a second, over those of /sync',
        unit: '×',
        published: [null, '2.3'],
        products: runtimes,
        cells: gain('throughput'),
      },
    ],
    note: 'Published by ab with 250 requests on 20 kept connections; ours by autocannon with the same, on the machine of the server.',
  },
];
