import type { Findings, NightFacts, NightNumbers, Trend, Trends } from '../../harness/core/results/index.ts';
import { anUnsearchedExample, aRun } from './example.ts';

const day = (number: number): string => `2026-11-${String(number).padStart(2, '0')}T02:30:00Z`;

const night: NightFacts = {
  headline: 'Confirmed: N7: fib asyncFib n=20 on Firefox is slower',
  changes: ['firefox is back', 'N7 is new: fib asyncFib n=20 on Firefox is slower'],
  numbers: null,
  ledger: { planned: 468, completed: 440, failed: 10, timedOut: 9, skipped: 9, withoutOutcome: 0 },
  devices: [
    {
      targetId: 'chromium', state: 'found', because: null,
      build: 'chromium 156.0.8078.2', before: 'chromium 155.0.8001.1',
    },
    {
      targetId: 'pixel', state: 'missing', because: 'no phone is attached',
      build: null, before: 'chrome 155.0',
    },
  ],
  anomalies: [
    {
      id: 'N7', state: 'reproduced', since: day(21), command: 'npx crossfarm reproduce N7',
      sentence: 'fib asyncFib n=20 is slower on Firefox', reason: 'run 13: 1.21× (1.12 … 1.3)',
    },
  ],
  lane: {
    targetId: 'chromium',
    cases: [
      {
        caseName: 'fib function=asyncFib n=20', metric: 'duration', blocks: 8, nights: 12,
        smallestVisible: 0.034, usually: 0.05, alarm: false,
      },
    ],
    nights: 12, comparisons: 96, alarms: 3,
    rate: { rate: 3 / 96, low: 0.006, high: 0.089 },
  },
  history: {
    series: 24, gone: [], anomalies: ['N7: fib asyncFib n=20 on Firefox is slower'],
    unconfirmed: ['promise chain on Chromium: equivalent after 20 blocks'],
  },
};

/** Two series of a run that differ from the night before, each from the first cell of its row. */
function numbersOf({ rows }: Findings): NightNumbers {
  const differences = rows.slice(0, 2).flatMap((row, index) => {
    const cell = row.cells.find(({ kind }) => kind === 'measured');
    if (cell?.kind !== 'measured') return [];
    const { targetId, centre: median, trials } = cell;
    const ratio = index === 0 ? 1.204 : 0.951;
    return [
      {
        targetId, caseName: row.caseName, metric: row.metric, unit: row.unit,
        verdict: index === 0 ? ('slower' as const) : ('faster' as const), ratio,
        low: ratio * 0.97, high: ratio * 1.02, relevant: index === 0,
        before: { median: median / ratio, trials }, now: { median, trials },
        cause: index === 0 ? 'browser 155.0.8001.1 → 156.0.8078.2' : 'nothing known',
      },
    ];
  });
  return {
    run: 12, before: { run: 11, startedAt: day(20) }, margin: 0.02, alpha: 0.05,
    compared: 24, tooFew: 1, apart: 1, differences,
    tally: { slower: 1, faster: 1, equivalent: 18, undecided: 4 },
  };
}

/** Twelve nights whose level changed once. */
function aTrend({ rows }: Findings): readonly Trend[] {
  const [row] = rows;
  const [cell] = row?.cells ?? [];
  if (row === undefined || cell === undefined) return [];
  const nights = Array.from({ length: 12 }, (_, index) => ({
    run: index + 1, startedAt: day(index + 10),
    median: (index < 6 ? 10 : 12) * (1 + 0.01 * ((index * 5) % 3)),
  }));
  const cause = 'browser 155.0.8001.1 → 156.0.8078.2';
  const builds = { before: '155.0.8001.1', after: '156.0.8078.2' };
  return [
    {
      targetId: cell.targetId, caseName: row.caseName, metric: row.metric, unit: row.unit,
      nights,
      levels: [
        { from: 0, to: 5, median: 10.1 },
        { from: 6, to: 11, median: 12.1 },
      ],
      changes: [{ run: 7, startedAt: day(16), ratio: 1.198, cause, state: 'settled', builds }],
    },
  ];
}

/** The report of a night, small: what changed, two series that differ from the night before, and one trend. */
export function aNightExample(trends: Partial<Trends> = {}): Findings {
  const whole = anUnsearchedExample();
  const findings: Findings = {
    ...whole, title: 'Run 12: nightly', rows: whole.rows.slice(0, 3),
    runs: [{ ...aRun, suite: 'nightly', command: 'npx crossfarm nightly', startedAt: day(21) }],
    growth: [], crossover: [], truth: [], cpu: [], troubles: [], quarantined: [],
  };
  return {
    ...findings,
    night: { ...night, numbers: numbersOf(findings) },
    trends: {
      suite: 'nightly', nights: 12, needed: 12, series: 24, trends: aTrend(findings),
      ...trends,
    },
  };
}
