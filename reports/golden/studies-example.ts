import type { ClaimFacts, Findings, RebuiltTable } from '../../harness/core/results/index.ts';
import { anUnsearchedExample, aRun } from './example.ts';

const source = '“Explorations in Asynchronicity”';

const tables: readonly RebuiltTable[] = [
  {
    section: 'A3', title: 'asyncFib, browser by browser', source,
    columns: ['n = 25', 'n = 28', 'n = 30'],
    groups: [
      {
        label: 'Firefox', unit: 's',
        published: ['3.9 (Windows)', '18.7 (Linux), 33.1 (macOS)', '49.7 (Linux)'],
        rows: [
          {
            targetId: 'firefox',
            cells: [{ value: 1.214, low: null, high: null, trials: 3 }, null, null],
          },
        ],
      },
      {
        label: 'Edge', unit: 's',
        published: ['69.5 (Windows)', null, null], rows: [],
      },
      {
        label: 'Firefox / Chromium', unit: '×',
        published: [null, '6 (Linux), 5.9 (Windows), 3.5 (macOS)', '5.4 (Linux)'],
        rows: [
          {
            targetId: 'firefox',
            cells: [{ value: 3.91, low: 3.24, high: 4.51, trials: 9 }, null, null],
          },
        ],
      },
    ],
    note: 'Ours: n = 25 alone, because every trial is repeated.',
  },
];

const claims: readonly ClaimFacts[] = [
  {
    id: 'A3', sentence: 'On Linux asyncFib is much faster in Chromium than in Firefox.',
    published: 'n = 30: 9.2 s against 49.7 s (5.4×)', verdict: 'confirmed', run: 14,
    directionVerdict: 'confirmed', sizeVerdict: 'open',
    headline: 'direction confirmed, size open: 3.91× (3.24 … 4.51), published 5.4× to 7.8×',
    measured: { value: 3.91, low: 3.24, high: 4.51, unit: '×' },
    command: 'npx crossfarm reproduce A3 --seed 1',
  },
  {
    id: 'A10', sentence: 'On iOS all browsers are equal.', published: 'on one iPad',
    verdict: 'not-testable', measured: null, run: null,
    directionVerdict: null, sizeVerdict: null, headline: 'it takes an iPhone or iPad',
    command: 'npx crossfarm reproduce A10',
  },
];

/** The report of the studies, without the cases behind its tables, so that these are seen early: one published table with ours in it, and two claims. */
export function aStudiesExample(): Findings {
  const whole = anUnsearchedExample();
  return {
    ...whole, title: 'Run 12: studies', rows: [], benchmarks: [],
    runs: [{ ...aRun, suite: 'studies', command: 'npx crossfarm run --suite studies' }],
    growth: [], crossover: [], truth: [], cpu: [], troubles: [], quarantined: [],
    rebuilt: tables, claims,
  };
}
