import { expect, test } from '@playwright/test';
import { aNight } from '../../testing/nights.ts';
import { headNight, judgeNight } from './judgement.ts';
import type { CellLedger, NightDocument } from './night-document.ts';

const even = aNight().ledger!;

const step = (because: string): NightDocument['steps'][number] => ({
  step: 'integrity',
  outcome: 'failed',
  startedAt: 'then',
  ms: 1,
  because,
});

const withLedger = (changes: Partial<CellLedger>): NightDocument =>
  aNight({ ledger: { ...even, ...changes } });

const withCounts = (...counts: readonly (readonly [number, number])[]): NightDocument =>
  aNight({
    devices: counts.map(([tried, counting], index) => ({
      id: String(index),
      state: 'found',
      browser: null,
      version: null,
      because: null,
      tried,
      counting,
    })),
  });

const newAnomaly = { kind: 'new-anomaly', text: 'N1 is new: x' } as const;

const cases: readonly [string, NightDocument, 'fine' | 'attention' | 'red', number][] = [
  ['in which everything was done', aNight(), 'fine', 0],
  ['with skipped cells alone', withLedger({ completed: 3, skipped: 1 }), 'fine', 0],
  ['with a failed cell', withLedger({ completed: 3, failed: 1 }), 'attention', 1],
  ['with a cell that timed out', withLedger({ completed: 3, timedOut: 1 }), 'attention', 1],
  ['of a device of which no trial counts', withCounts([4, 0], [40, 40]), 'attention', 1],
  ['of which half counts', withCounts([4, 1], [4, 3]), 'attention', 1],
  ['of which more than half counts', withCounts([4, 2], [4, 3]), 'fine', 0],
  ['in which a device was never tried', withCounts([0, 0], [4, 4]), 'fine', 0],
  ['with a new anomaly', aNight({ changes: [newAnomaly] }), 'attention', 1],
  ['with a cell without outcome', withLedger({ completed: 3, withoutOutcome: 1 }), 'red', 3],
  ['in which a step failed', aNight({ steps: [step('it is damaged')] }), 'red', 3],
  [
    'with a failed step and a new anomaly',
    aNight({ steps: [step('it is damaged')], changes: [newAnomaly] }),
    'red',
    3,
  ],
  [
    'with a notification that could not be sent',
    aNight({
      notifications: [{ channel: 'webhook', sent: false, attempts: 2, because: 'answered 500' }],
    }),
    'fine',
    0,
  ],
  [
    'after which a device is lost, or an anomaly is gone',
    aNight({
      changes: [
        { kind: 'device-lost', text: 'x' },
        { kind: 'gone-anomaly', text: 'y' },
      ],
    }),
    'fine',
    0,
  ],
];

for (const [which, night, status, exitCode] of cases) {
  test(`a night ${which} is ${status}, exit code ${String(exitCode)}`, () => {
    const judgement = judgeNight(night);
    expect(judgement).toMatchObject({ status, exitCode });
    expect(judgement.reasons.length > 0).toBe(status !== 'fine');
  });
}

test('every reason is reported, with the step that it comes from', () => {
  const night = aNight({
    ledger: { ...even, completed: 1, failed: 2, withoutOutcome: 1 },
    steps: [step('it is damaged')],
    changes: [newAnomaly],
  });
  expect(judgeNight(night).reasons).toEqual([
    { step: 'integrity', level: 'red', text: 'integrity failed: it is damaged' },
    {
      step: 'ledger',
      level: 'red',
      text: expect.stringMatching(/^1 of 4 cells.*no outcome/),
    },
    { step: 'run', level: 'attention', text: '2 of 4 cells failed or timed out' },
    { step: 'analysis', level: 'attention', text: 'N1 is new: x' },
  ]);
});

const anomaly = { id: 'N7', title: 'fib is slower' };
const analysis = { series: 4, suspects: [], anomalies: [], unconfirmed: [], gone: [] };
const suspect = { title: 'fib', ratio: 1.1, cause: '' };
const changes = [newAnomaly, { kind: 'device-back', text: 'y is back' }] as const;

const unfit = {
  fit: false,
  findings: [{ id: 'x', level: 'unfit', what: 'busy', remedy: '' }],
} as const;
const { devices: halfLost } = withCounts([4, 1], [4, 3]);

for (const [headline, facts, isFirst] of [
  ['Nothing changed', {}, false],
  ['The first night: there is none to compare it with', {}, true],
  [
    'Nothing is confirmed; 1 series is suspected',
    { analysis: { ...analysis, suspects: [suspect] } },
    true,
  ],
  ['N1 is new: x, and 1 more', { changes, analysis: { ...analysis, suspects: [suspect] } }, false],
  [
    'Confirmed: N7: fib is slower',
    { changes, analysis: { ...analysis, anomalies: [anomaly] } },
    false,
  ],
  ['The machine was not fit when the night began', { preflight: unfit, changes }, false],
  [
    'The machine was not fit: little of this night counts',
    { preflight: unfit, changes, devices: halfLost },
    false,
  ],
  [
    'Confirmed: N7: fib is slower',
    { preflight: unfit, analysis: { ...analysis, anomalies: [anomaly] } },
    true,
  ],
  [
    'integrity failed: it is damaged',
    {
      reasons: [{ step: 'integrity', level: 'red', text: 'integrity failed: it is damaged' }],
      changes,
    },
    false,
  ],
  ['2 planned trials have no outcome', { ledger: { ...even, withoutOutcome: 2 }, changes }, false],
] as const) {
  test(`the headline of a ${isFirst ? 'first night' : 'night'}: ${headline}`, () => {
    expect(headNight(aNight(facts), isFirst)).toBe(headline);
  });
}
