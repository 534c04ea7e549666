import type { Parameters } from '../../../model/case.ts';
import { source } from '../catalogue/file-arms.ts';
import type { Study, StudyCell } from './study.ts';

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

const runtimes = ['node', 'deno', 'bun'] as const;

/** Section B: the first reads of a process, and its first promises. */
export const fileStudies: readonly Study[] = [
  {
    section: 'B',
    title: 'File reads, synchronous and asynchronous',
    source,
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
    source,
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
