import { expect, test } from '@playwright/test';
import { aJob, aResult, aTrial } from '../../testing/builders.ts';
import { believable, impossibleIn } from './credible.ts';
import type { Trial } from './trial.ts';

/** A trial of three seconds with these values of a metric. */
function aTrialOf(
  unit: string,
  timed: readonly number[],
  wallMs = 3_000,
  metric = 'duration',
): Trial {
  const samples = [{ metric, unit, warmUp: [], timed }];
  return { ...aTrial(aJob(), [1]), outcome: completedWith(aResult([], { samples })), wallMs };
}

function completedWith(result: ReturnType<typeof aResult>): Trial['outcome'] {
  return { kind: 'completed', result, readings: [], quarantine: [] };
}

const unbelieved: readonly (readonly [string, Trial])[] = [
  ['a time below 0', aTrialOf('ms', [10, -5])],
  ['a time longer than its trial', aTrialOf('s', [3.2])],
  ['a time longer than its trial in µs', aTrialOf('µs', [4e6])],
  ['a time of 10¹⁸ ms', aTrialOf('ms', [1e18])],
  ['a time in a trial below 0', aTrialOf('ms', [100], -3_000)],
  ['a time in a trial that is no number', aTrialOf('ms', [100], NaN)],
  ['a time in a trial without end', aTrialOf('ms', [100], Infinity)],
];

for (const [what, trial] of unbelieved) {
  test(`${what} is not believed`, () => {
    expect(believable(trial).outcome).toMatchObject({ failure: { code: 'bad-message' } });
  });
}

test('believes times within their trial and values that are not times', () => {
  for (const trial of [
    aTrialOf('ms', [0, 3_000]),
    aTrialOf('ns', [2.9e9]),
    aTrialOf('points', [-5, 1e9]),
    aTrialOf('constructor', [1e9]),
  ]) {
    expect(believable(trial)).toBe(trial);
  }
});

test("allows more for CPU time of several cores and pages' own milliseconds", () => {
  for (const trial of [
    aTrialOf('s', [11.8], 7_000, 'cpu'),
    aTrialOf('ms', [50_000], 7_000, 'client-score'),
  ]) {
    expect(believable(trial)).toBe(trial);
  }
});

test("places a page's own measures between two moments of its trial", () => {
  const readers = { work: { by: 'measure', name: 'work' } } as const;
  const result = { samples: [{ metric: 'work', unit: 'ms', warmUp: [], timed: [50_000] }] };
  expect(impossibleIn(7_000, result, { readers })).toMatch(/^work is longer/);
  const expression = { by: 'expression', expression: 'work' } as const;
  expect(impossibleIn(7_000, result, { readers: { work: expression } })).toBeNull();
});
