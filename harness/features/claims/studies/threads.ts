import { source } from '../catalogue/thread-arms.ts';
import type { Product } from '../judging/claim.ts';
import type { Study, StudyCell, StudyGroup } from './rebuild.ts';

type Order = 'sequential' | 'parallel';
type Kind = 'own' | 'emscripten';

const browsers: readonly Product[] = ['chromium', 'firefox', 'safari'];
const runtimes: readonly Product[] = ['node', 'deno', 'bun'];
const nothing = [null, null, null, null, null, null];

interface Row {
  readonly label: string;
  readonly products: readonly Product[];
  readonly order: Order;
  readonly kind?: Kind;
  readonly sign?: 'first-instruction' | 'first-message';
  readonly published?: StudyGroup['published'];
  /** Workers that Emscripten makes before its main function begins. */
  readonly pool?: number;
  /** The most threads: a thousand workers are more than most machines can hold. */
  readonly most?: number;
}

/** Means over n threads, in the order of the source's columns. */
function row(facts: Row): StudyGroup {
  const { label, products, order, sign, published = nothing } = facts;
  const { kind = 'own', pool = 0, most = 100 } = facts;
  const mean = `${sign ?? 'first-instruction'}-mean`;
  const cell = (quantity: string, threads: number): StudyCell | null =>
    threads > most ? null : { quantity, parameters: { threads, order, kind, pool } };
  const last = (threads: number): StudyCell | null =>
    order === 'sequential' && sign === undefined ? cell('last-10-mean', threads) : null;
  return {
    label: `${label}, ${order}`,
    unit: 'µs',
    published,
    products,
    cells: [...[1, 10, 100, 1000].map((threads) => cell(mean, threads)), last(100), last(1000)],
  };
}

/** The workers of a pool are made before any thread is started; each thread is then an answer to a message. */
function poolRows(): readonly StudyGroup[] {
  return [1, 10, 100].flatMap((pool) =>
    (['sequential', 'parallel'] as const).map((order) =>
      row({
        label: `Emscripten, a pool of ${String(pool)}`,
        products: ['node', ...browsers],
        order,
        kind: 'emscripten',
        pool,
      }),
    ),
  );
}

/** Section E: the cost of starting a thread. */
export const threadStudies: readonly Study[] = [
  {
    section: 'E',
    title: 'From the spawn of a thread to its first instruction, mean',
    source,
    benchmark: 'thread-start',
    columns: ['1', '10', '100', '1000', '100 (last 10)', '1000 (last 10)'],
    groups: [
      row({
        label: 'native',
        most: 1000,
        products: ['native'],
        order: 'sequential',
        published: ['110', '56', '16', '10', '7', '7'],
      }),
      row({
        label: 'native',
        most: 1000,
        products: ['native'],
        order: 'parallel',
        published: ['91', '24', '6', '5', null, null],
      }),
      row({
        label: 'wasi-threads',
        most: 1000,
        products: ['wasmtime'],
        order: 'sequential',
        published: ['239', '133', '20', '34', '15', '14'],
      }),
      row({
        label: 'wasi-threads',
        most: 1000,
        products: ['wasmtime'],
        order: 'parallel',
        published: ['245', '67', '12', '10', null, null],
      }),
      row({
        label: 'Emscripten',
        most: 1000,
        products: ['node', ...browsers],
        order: 'sequential',
        kind: 'emscripten',
        published: ['29817', '3119', '336', '73', '36', '182'],
      }),
      row({
        label: 'Emscripten',
        most: 1000,
        products: ['node', ...browsers],
        order: 'parallel',
        kind: 'emscripten',
        published: ['29570', '37775', '409055', 'out of memory', null, null],
      }),
      ...poolRows(),
      row({
        label: 'Web Workers to their first message',
        products: browsers,
        order: 'sequential',
        sign: 'first-message',
        published: ['5238', '2836', '3188', null, null, null],
      }),
      row({
        label: 'Web Workers to their first message',
        products: browsers,
        order: 'parallel',
        sign: 'first-message',
        published: ['9233', '18661', '122577', null, null, null],
      }),
      row({ label: 'Web Workers', products: browsers, order: 'sequential' }),
      row({ label: 'Web Workers', products: browsers, order: 'parallel' }),
      row({ label: 'workers of runtimes', products: runtimes, order: 'sequential' }),
      row({ label: 'workers of runtimes', products: runtimes, order: 'parallel' }),
    ],
    note: 'The published parallel program kept the start of all threads in one variable, so late threads were measured from a wrong start; here each has its own. Published for Emscripten on Node.js alone; 1000 of its threads are in the suite studies-full alone.',
  },
];
