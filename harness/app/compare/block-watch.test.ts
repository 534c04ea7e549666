import { expect, test } from '@playwright/test';
import type { Pair } from '../../analysis/decisions.ts';
import { seededGenerator } from '../../analysis/stats/random.ts';
import type { Plan } from '../../model/plan.ts';
import type { Trial } from '../../model/trial.ts';
import { crossArms, makePlan } from '../../plan/plan.ts';
import {
  aBenchmark,
  aCase,
  aFoundDevice,
  aMeasurement,
  aSearchedTrial,
  aTrial,
} from '../../testing/builders.ts';
import { watchBlocks, type Watching } from './block-watch.ts';

const presences = [aFoundDevice('a'), aFoundDevice('b')];
const metric = aBenchmark.metrics[0]!;
const pair: Pair = {
  a: { deviceId: 'a', case: aCase() },
  b: { deviceId: 'b', case: aCase() },
  metric,
};

const plan = makePlan({
  seed: 1,
  isolation: 'session',
  blocks: 40,
  firstRound: 5,
  measurement: aMeasurement,
  presences,
  arms: crossArms(presences, [aCase()]),
});

/** Counts of trials after which the watch ended a run whose every trial takes a second, up to so many. */
function endsAfter(
  { budget, of = plan, ratio = 1 }: Pick<Watching, 'budget'> & { of?: Plan; ratio?: number },
  sofar: readonly Trial[] = [],
): number | null {
  let seconds = 0;
  const watch = watchBlocks(of, [pair], {
    margin: 0.001,
    alpha: 0.05,
    budget,
    now: () => seconds * 1000,
  });
  const trials = [...sofar];
  for (const job of of.jobs.filter(({ ordinal }) => of.done?.has(ordinal) !== true)) {
    const value = (job.deviceId === 'a' ? ratio : 1) + 0.01 * (job.ordinal % 3);
    trials.push(aTrial(job, [value]));
    seconds += 1;
    if (watch.enough(trials)) return trials.length - sofar.length;
  }
  return null;
}

test('a run ends with a round: after the first, or after any block behind it', () => {
  expect(endsAfter({ budget: 3_000 })).toBe(10);
  expect(endsAfter({ budget: 12_500 })).toBe(12);
  expect(endsAfter({ budget: 20_000 })).toBe(20);
  expect(endsAfter({})).toBe(null);
});

test('a decided run ends before its budget', () => {
  expect(endsAfter({ ratio: 3, budget: 80_000 })).toBeLessThan(30);
});

test('counts only the blocks done now for the budget of a continued run', () => {
  const before = plan.jobs.slice(0, 20).map((job) => aTrial(job, [1 + 0.01 * (job.ordinal % 3)]));
  const done = new Set(before.map(({ job }) => job.ordinal));
  expect(endsAfter({ budget: 6_500, of: { ...plan, done } }, before)).toBe(6);
});

test('a budget reckons with the time that longer windows take', () => {
  const rules = { ...plan, measurement: { ...aMeasurement, window: { ms: 300, iterations: 5 } } };
  const of = { ...rules, measurement: { ...rules.measurement, maxMs: 5_000 } };
  const generator = seededGenerator(4);
  const round = of.jobs
    .slice(0, 10)
    .map((job) => aSearchedTrial(job, { stretches: 0.2, generator }));
  const endsWith = (budget: number): boolean => {
    let elapsed = 0;
    const watch = watchBlocks(of, [pair], {
      margin: 0.001,
      alpha: 0.05,
      budget,
      now: () => elapsed,
    });
    elapsed = 10_000;
    return watch.enough(round);
  };
  // Another block takes the 2 s of the others, and 2.1 s more for each of its two trials.
  expect(endsWith(16_300)).toBe(false);
  expect(endsWith(16_100)).toBe(true);
});
