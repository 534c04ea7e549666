import type { Parameters } from '../../../core/model/case.ts';
import { source as fileSource } from '../catalogue/file-arms.ts';
import { source as hashSource } from '../catalogue/hashes.ts';
import { source as serverSource } from '../catalogue/servers.ts';
import type { Study, StudyCell, StudyGroup } from './rebuild.ts';

const runtimes = ['node', 'deno', 'bun'] as const;

const counts = [1, 2, 100];

const sync = (files: number): Parameters => ({
  files,
  mode: 'sync',
  state: 'first',
  place: 'main',
});

/** Right after the same files were read synchronously, as in the source. */
const async = (files: number): Parameters => ({
  ...sync(files),
  mode: 'async-parallel',
  after: 'sync',
});

const reading = (parameters: Parameters, over?: Parameters): StudyCell => ({
  quantity: 'reading',
  parameters,
  ...(over === undefined ? {} : { over }),
});

/** Section B: the first reads of a process, and its first promises. */
const fileStudies: readonly Study[] = [
  {
    section: 'B',
    title: 'File reads, synchronous and asynchronous',
    source: fileSource,
    benchmark: 'file-read',
    columns: ['1 file', '2 files', '100 files'],
    groups: [
      {
        label: 'synchronous',
        unit: 'ms',
        published: ['0.278 to 0.403', '0.323 to 1.659', '4.999 to 5.241'],
        products: runtimes,
        cells: counts.map((files) => reading(sync(files))),
      },
      {
        label: 'asynchronous, in parallel',
        unit: 'ms',
        published: ['3.801 to 4.498', '4.017 to 6.895', '12.890 to 16.334'],
        products: runtimes,
        cells: counts.map((files) => reading(async(files))),
      },
      {
        label: 'asynchronous / synchronous',
        unit: '×',
        published: ['11.161 to 13.773', '4.156 to 12.826', '2.579 to 3.213'],
        products: runtimes,
        cells: counts.map((files) => reading(async(files), sync(files))),
      },
    ],
    note: 'Published with Node.js 10.14.2, from three or four runs of a script; the range is from the least to the largest of them. Ours are the first reads of fresh processes.',
  },
  {
    section: 'B4',
    title: 'Empty promises',
    source: fileSource,
    benchmark: 'promise',
    columns: ['1 promise', '100 promises'],
    groups: [
      {
        label: 'resolved and awaited together',
        unit: 'ms',
        published: ['0.758 to 1.651', '2.575 to 3.293'],
        products: runtimes,
        cells: [1, 100].map((n) => ({
          quantity: 'waiting',
          parameters: { operation: 'resolve', n, state: 'first', place: 'main' },
        })),
      },
    ],
    note: 'The published times hold more than promises: both runs begin in one turn, and the second waits for the first line that the process prints.',
  },
];

const amounts = [10_000, 1_000_000];

const hashed =
  (threads: number, implementation: string) =>
  (calls: number): Parameters => ({
    calls,
    threads,
    implementation,
    run: 'first',
  });

const everywhere = [...runtimes, 'chromium', 'firefox', 'safari'] as const;

const durations = (parametersOf: (calls: number) => Parameters) =>
  amounts.map((calls) => ({ quantity: 'duration', parameters: parametersOf(calls) }));

const advantage = (one: (calls: number) => Parameters, many: (calls: number) => Parameters) =>
  amounts.map((calls) => ({ quantity: 'duration', parameters: one(calls), over: many(calls) }));

const [alone, shared] = [hashed(0, 'native'), hashed(8, 'native')];
const [aloneInScript, sharedInScript] = [hashed(0, 'javascript'), hashed(8, 'javascript')];

/** Section C: one thread against eight. */
const hashStudies: readonly Study[] = [
  {
    section: 'C',
    title: 'MD5 on one thread and on eight',
    source: hashSource,
    benchmark: 'worker-hash',
    columns: ['10,000 hashes', '1,000,000 hashes'],
    groups: [
      {
        label: 'one thread, the runtime’s own MD5',
        unit: 'ms',
        published: ['23.5', '1,139'],
        products: runtimes,
        cells: durations(alone),
      },
      {
        label: '8 worker threads, the runtime’s own MD5',
        unit: 'ms',
        published: ['70.3', '335'],
        products: runtimes,
        cells: durations(shared),
      },
      {
        label: 'one thread / 8 threads',
        unit: '×',
        published: ['0.33', '3.4'],
        products: runtimes,
        cells: advantage(alone, shared),
      },
      {
        label: 'one thread / 8 threads, one MD5 in JavaScript for all',
        unit: '×',
        published: [null, null],
        products: everywhere,
        cells: advantage(aloneInScript, sharedInScript),
      },
    ],
    note: 'The two published listings disagree about the amount of work (10,000,000 in one, 1,000,000 in the other); here both sides do the same. Eight threads gain no more than there are cores.',
  },
];

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
const serverStudies: readonly Study[] = [
  {
    section: 'D',
    title: 'A server that hashes passwords',
    source: serverSource,
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

const routes = ['sync', 'async'] as const;

const statistics = ['min', 'mean', 'sd', 'median', 'max'];

type Phase = 'connect' | 'processing' | 'waiting' | 'total';

const byAb = (name: 'sync' | 'async'): Parameters => ({ ...route(name), generator: 'ab' });

/** A row of the table that ab prints of a load. */
function phaseOf(
  phase: Phase,
  name: 'sync' | 'async',
  published: StudyGroup['published'],
): StudyGroup {
  return {
    label: `${phase}, /${name}`,
    unit: 'ms',
    published,
    products: ['node'],
    cells: statistics.map((one) => ({
      quantity: `counter:${phase}-${one}`,
      parameters: byAb(name),
    })),
  };
}

/** The same by autocannon, which gives no phases. */
function totalByAutocannon(name: 'sync' | 'async'): StudyGroup {
  const cells = statistics.map((one) => ({
    quantity: `counter:total-${one}`,
    parameters: route(name),
  }));
  const published = statistics.map(() => null);
  return {
    label: `total, /${name}, by autocannon`,
    unit: 'ms',
    published,
    products: ['node'],
    cells,
  };
}

function perRoute(
  label: string,
  unit: string,
  facts: { readonly quantity: string; readonly published: readonly [string, string] },
): StudyGroup {
  const cells = routes.map((name) => ({ quantity: facts.quantity, parameters: byAb(name) }));
  return { label, unit, published: facts.published, products: ['node'], cells };
}

const readingServer = (name: 'sync' | 'async'): Parameters => ({
  ...route(name),
  work: 'file',
  requests: 5000,
});

/** Statements of the study on file reads about servers, which it did not measure. */
const fileServerStudies: readonly Study[] = [
  {
    section: 'B5',
    title: 'A server that reads a file for each request',
    source: fileSource,
    benchmark: 'password-server',
    onlyWith: readingServer('async'),
    columns: ['/sync', '/async'],
    groups: (['throughput', 'latency-mean'] as const).map((quantity) => ({
      label: quantity === 'throughput' ? 'requests a second' : 'mean latency',
      unit: quantity === 'throughput' ? 'requests/s' : 'ms',
      published: [null, null],
      products: runtimes,
      cells: routes.map((name) => ({ quantity, parameters: readingServer(name) })),
    })),
    note: 'Of the suite studies-full. The source measured no server: it expected the advantage of synchronous reads to diminish there.',
  },
];

/** Output of `ab`, of the suite studies-full. */
const abStudies: readonly Study[] = [
  {
    section: 'D1',
    title: 'The report of ab',
    source: serverSource,
    benchmark: 'password-server',
    onlyWith: byAb('async'),
    columns: ['/sync', '/async'],
    groups: [
      perRoute('time taken', 'ms', { quantity: 'duration', published: ['23,247', '10,141'] }),
      perRoute('requests a second', 'requests/s', {
        quantity: 'throughput',
        published: ['10.75', '24.65'],
      }),
      perRoute('total transferred', 'bytes', {
        quantity: 'counter:bytes',
        published: ['66,250', '66,250'],
      }),
      perRoute('transfer rate', 'Kbytes/s', {
        quantity: 'counter:kbytesPerSecond',
        published: ['2.78', '6.38'],
      }),
    ],
    note: 'Of the suite studies-full: ab -k -c 20 -n 250, as published. Ours has the time of the whole load by the clock of the trial.',
  },
  {
    section: 'D2',
    title: 'Connection times, as ab prints them',
    source: serverSource,
    benchmark: 'password-server',
    onlyWith: byAb('async'),
    columns: statistics,
    groups: [
      phaseOf('connect', 'sync', ['0', '0', '1.6', '0', '10']),
      phaseOf('processing', 'sync', ['90', '1783', '414.3', '1804', '3655']),
      phaseOf('waiting', 'sync', ['90', '1783', '414.4', '1804', '3655']),
      phaseOf('total', 'sync', ['90', '1783', '414.5', '1804', '3655']),
      totalByAutocannon('sync'),
      phaseOf('connect', 'async', ['0', '0', '0.5', '0', '3']),
      phaseOf('processing', 'async', ['97', '776', '120.5', '802', '874']),
      phaseOf('waiting', 'async', ['95', '776', '120.6', '802', '874']),
      phaseOf('total', 'async', ['97', '776', '120.3', '802', '874']),
      totalByAutocannon('async'),
    ],
    note: 'Whole milliseconds of each request, from the file that ab writes; ours are medians over trials of what it would print of each.',
  },
];

/** Sections B to D: what runs in Node.js, Deno and Bun. */
export const runtimeStudies: readonly Study[] = [
  ...fileStudies,
  ...fileServerStudies,
  ...hashStudies,
  ...serverStudies,
  ...abStudies,
];
