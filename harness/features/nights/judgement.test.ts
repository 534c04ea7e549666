import { expect, test } from '@playwright/test';
import { aNight } from '../../testing/nights.ts';
import { judgeNight } from './judgement.ts';
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
