import { expect, test } from '@playwright/test';
import type { Findings } from '../../harness/core/results/index.ts';
import { anExample, aRun } from '../golden/example.ts';
import { countTrials, describeTrials } from './trial-counts.ts';

const none = { planned: 0, completed: 0, failed: 0, timedOut: 0, skipped: 0 };

/** A run of 88 trials in each of five browsers, two of which are not here. */
function aRunOf(change: Partial<typeof aRun> = {}): Findings {
  const [target] = anExample().targets;
  const targetOf = (id: string, status: 'found' | 'missing'): Findings['targets'][number] => ({
    ...target!,
    id,
    status,
    cells:
      status === 'found'
        ? { ...none, planned: 88, completed: 88 }
        : { ...none, planned: 88, skipped: 88 },
  });
  return {
    ...anExample(),
    runs: [{ ...aRun, cells: { ...none, planned: 440, completed: 264, skipped: 176 }, ...change }],
    targets: [
      ...['chromium', 'firefox', 'webkitgtk'].map((id) => targetOf(id, 'found')),
      ...['chrome', 'edge'].map((id) => targetOf(id, 'missing')),
    ],
    quarantined: [],
  };
}

test('browsers that are not here add no planned or skipped trials', () => {
  expect(countTrials(aRunOf())).toMatchObject({ planned: 264, counted: 264, skipped: 0, open: 0 });
  expect(describeTrials(aRunOf())).toBe('All 264 trials count.');
});

test('excluded and failed trials stand in the same sentence, and sum up', () => {
  const quarantined = [{ targetId: 'firefox', caseName: 'control', trials: 4, why: 'busy' }];
  const cells = { ...none, planned: 440, completed: 261, failed: 3, skipped: 176 };
  expect(describeTrials({ ...aRunOf({ cells }), quarantined })).toBe(
    '264 trials: 257 count, 4 excluded, 3 failed.',
  );
});

test('a run that was stopped says after how many trials, also after the last one', () => {
  const stopped = { status: 'interrupted' as const };
  expect(describeTrials(aRunOf(stopped))).toBe('Stopped after 264 trials: 264 count.');
  const cells = { ...none, planned: 440, completed: 104, skipped: 176 };
  expect(describeTrials(aRunOf({ ...stopped, cells }))).toBe(
    'Stopped after 104 of 264 trials: 104 count, 160 without an outcome.',
  );
});
