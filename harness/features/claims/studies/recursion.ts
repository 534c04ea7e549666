import type { Parameters } from '../../../core/model/case.ts';
import { source } from '../catalogue/fib-arms.ts';
import type { Product } from '../judging/claim.ts';
import type { Study, StudyCell, StudyGroup } from './rebuild.ts';

const engines: readonly Product[] = ['chromium', 'firefox', 'safari'];

const call = (name: string, n: number): Parameters => ({ function: name, n });

const duration = (parameters: Parameters, more: Partial<StudyCell> = {}): StudyCell => ({
  quantity: 'duration',
  parameters,
  ...more,
});

/** In seconds. */
const long = { factor: 0.001 };

/** The smallest n with a published time; a larger one would take the suite minutes. */
const async25 = call('asyncFib', 25);
const sync20 = call('syncFib', 20);

/** Columns n = 25, 27, 28, 30: ours stands in the first one. */
function asyncFib(
  [label, product]: readonly [label: string, product: Product],
  published: StudyGroup['published'],
  against?: Product,
): StudyGroup {
  const cell = duration(async25, against === undefined ? long : { against });
  const unit = against === undefined ? 's' : '×';
  return { label, unit, published, products: [product], cells: [cell, null, null, null] };
}

function syncFib(
  [label, product]: readonly [label: string, product: Product],
  published: string,
  against: Product,
): StudyGroup {
  const cells = [duration(sync20, { against })];
  return { label, unit: '×', published: [published], products: [product], cells };
}

function coresBusy(
  label: string,
  product: Product,
  published: StudyGroup['published'],
): StudyGroup {
  const cells = [async25, call('asyncBusyFib', 8)].map((parameters) => ({
    quantity: 'cores-busy',
    parameters,
  }));
  return { label, unit: 'cores', published, products: [product], cells };
}

const single = (parameters: Parameters, more: Partial<StudyCell> = {}): StudyCell => ({
  quantity: 'first-call',
  parameters,
  ...more,
});

const async30 = call('asyncFib', 30);

/** Columns of single calls at the source's own n. */
const ownSizes = [
  call('asyncFib', 25),
  call('asyncFib', 26),
  call('asyncFib', 27),
  call('asyncFib', 28),
  async30,
  call('syncFib', 26),
  call('syncFib', 45),
  call('syncBusyFib', 13),
  call('asyncBusyFib', 13),
  call('syncMemoFib', 1476),
];

const nameOf = ({ function: name, n }: Parameters): string => `${String(name)}(${String(n)})`;

function singleCalls(
  label: string,
  product: Product,
  published: StudyGroup['published'],
): StudyGroup {
  const cells = ownSizes.map((one) => single(one, long));
  return { label, unit: 's', published, products: [product], cells };
}

const base = { source, benchmark: 'fib' } as const;

/** Of the suite `studies`: in `studies-full` each function is called once or twice, and nothing settles. */
const settled = { ...base, onlyWith: async25, notWith: async30 } as const;

/**
 * Section A: recursion in browsers. A case that took seconds there is compared by its ratio at a
 * smaller n.
 */
export const recursionStudies: readonly Study[] = [
  {
    ...settled,
    section: 'A1',
    title: 'One function over another, in the same browser',
    columns: ['asyncFib / syncFib', 'asyncBusyFib / syncBusyFib', 'asyncMemoFib / asyncFib'],
    groups: [
      {
        label: 'all browsers',
        unit: '×',
        published: [
          '11.5 s / under 9 ms',
          'two lines on top of each other',
          'almost or exactly the same',
        ],
        products: [...engines, 'edge'],
        cells: [
          duration(call('asyncFib', 20), { over: sync20 }),
          duration(call('asyncBusyFib', 8), { over: call('syncBusyFib', 8) }),
          duration(call('asyncMemoFib', 20), { over: call('asyncFib', 20) }),
        ],
      },
    ],
    note: 'Claims A1, A2 and A14. Theirs: n = 26, the mean over all browsers and devices; n up to 13; almost the same in Firefox, exactly the same in Chromium. Ours: n = 20, 8 and 20, because every trial is repeated: compare the ratios.',
  },
  {
    ...settled,
    section: 'A3',
    title: 'asyncFib, browser by browser',
    columns: ['n = 25', 'n = 27', 'n = 28', 'n = 30'],
    groups: [
      asyncFib(
        ['Chromium', 'chromium'],
        [
          '0.5 (Windows)',
          '4.8 (Android)',
          '3.1 (Linux), 2.8 (Windows), 9.4 (macOS)',
          '9.2 (Linux)',
        ],
      ),
      asyncFib(
        ['Firefox', 'firefox'],
        [
          '3.9 (Windows)',
          '51.1 (Android)',
          '18.7 (Linux), 16.4 (Windows), 33.1 (macOS)',
          '49.7 (Linux)',
        ],
      ),
      asyncFib(['Safari', 'safari'], [null, null, '24.7 (macOS)', null]),
      asyncFib(['Edge', 'edge'], ['69.5 (Windows)', null, null, null]),
      asyncFib(
        ['Firefox / Chromium', 'firefox'],
        [null, '10.6 (Android)', '6 (Linux), 5.9 (Windows), 3.5 (macOS)', '5.4 (Linux)'],
        'chromium',
      ),
      asyncFib(['Safari / Chromium', 'safari'], [null, null, null, null], 'chromium'),
    ],
    note: 'Claims A3, A6, A7, A9 and A11; of A10 (all browsers are equal on iOS) there are no numbers. Theirs: Linux and Windows with 12 logical cores, macOS with 4, Edge with an engine of its own. Ours: n = 25 alone, because every trial is repeated: what they say of a larger n has its neighbour in the ratios, not its repetition.',
  },
  {
    ...settled,
    section: 'A4',
    title: 'Cores busy',
    columns: ['asyncFib', 'asyncBusyFib'],
    groups: [
      coresBusy('Chromium', 'chromium', ['12 of 12', 'not several']),
      coresBusy('Firefox', 'firefox', ['never more than one', null]),
      coresBusy('Safari', 'safari', [null, null]),
    ],
    note: 'Claims A4 and A5. Theirs: read off the CPU chart of a machine with 12 logical cores. Ours: the mean over the timed window, from the times of the browser’s threads; n = 25 and 8.',
  },
  {
    ...settled,
    section: 'A8',
    title: 'syncFib, one browser over another',
    columns: ['syncFib'],
    groups: [
      syncFib(['Chromium / Safari', 'chromium'], '25.1 s / 12.8 s', 'safari'),
      syncFib(['Firefox / Safari', 'firefox'], '25.7 s / 12.8 s', 'safari'),
      syncFib(['Firefox / Chromium', 'firefox'], 'slightly faster on Linux', 'chromium'),
    ],
    note: 'Claims A8 and A12. Theirs: n = 45, and a chart without numbers. Ours: n = 20, because every trial is repeated: compare the ratios.',
  },
  {
    ...settled,
    section: 'A13',
    title: 'syncMemoFib at the largest n whose number is finite',
    columns: ['n = 1476'],
    groups: [
      {
        label: 'one call',
        unit: 'ms',
        published: ['0.95'],
        products: engines,
        cells: [duration(call('syncMemoFib', 1476))],
      },
    ],
    note: 'Claim A13. Theirs: single calls after the page was loaded. Ours: the mean of calls once the compilers have settled.',
  },
  {
    ...base,
    onlyWith: async30,
    section: 'A0',
    title: 'Single calls, at the source’s own n',
    columns: ownSizes.map(nameOf),
    groups: [
      {
        label: 'all browsers and devices',
        unit: 's',
        published: [null, '11.5', null, null, null, 'under 0.009', null, null, null, '0.00095'],
        products: [],
        cells: ownSizes.map(() => null),
      },
      singleCalls('Chromium', 'chromium', [
        '0.5 (Windows)',
        null,
        '4.8 (Android)',
        '3.1 (Linux), 2.8 (Windows), 9.4 (macOS)',
        '9.2 (Linux)',
        null,
        '25.1 (macOS)',
        'as asyncBusyFib',
        'as syncBusyFib',
        null,
      ]),
      singleCalls('Firefox', 'firefox', [
        '3.9 (Windows)',
        null,
        '51.1 (Android)',
        '18.7 (Linux), 16.4 (Windows), 33.1 (macOS)',
        '49.7 (Linux)',
        null,
        '25.7 (macOS)',
        'a little faster than Chromium',
        'a little faster than Chromium',
        null,
      ]),
      singleCalls('Safari', 'safari', [
        ...[null, null, null, '24.7 (macOS)', null],
        ...[null, '12.8 (macOS)', null, null, null],
      ]),
      singleCalls('Edge', 'edge', [
        ...['69.5 (Windows)', null, null, null, null],
        ...[null, null, null, null, null],
      ]),
    ],
    note: 'Of the suite studies-full. Theirs: one call each, right after the page was loaded, in a worker; Linux and Windows with 12 logical cores, macOS with 4. Ours: the first call of a fresh browser, in a worker; the median over trials.',
  },
];
