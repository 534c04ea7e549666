import { expect, test } from '@playwright/test';
import type { Pair } from '../../analysis/decisions.ts';
import { seededGenerator } from '../../analysis/stats/random.ts';
import type { Plan } from '../../model/plan.ts';
import type { Trial } from '../../model/trial.ts';
import { crossArms, makePlan } from '../../plan/plan.ts';
import {
  aBenchmark,
  aBusyTrial,
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

const byLoops = 'other programs used 90 % of the CPU (limit 15 %): node × 2 (90 %)';

/** Trials after which a run ends whose every trial is quarantined, and what it says meanwhile. */
function endsBeside(ratio: number, watching: Partial<Watching> = {}) {
  const said: string[] = [];
  const trials: Trial[] = [];
  const say = (sentence: string) => said.push(sentence);
  const watch = watchBlocks({ ...plan, repeatQuarantined: false }, [pair], {
    margin: 0.02,
    alpha: 0.05,
    now: () => 1_000 * trials.length,
    say,
    ...watching,
  });
  for (const job of plan.jobs) {
    const noise = 1 + 0.05 * Math.sin(job.ordinal ** 2 + 1);
    trials.push(aBusyTrial(job, 100 * noise * (job.deviceId === 'a' ? ratio : 1), byLoops));
    if (watch.enough(trials)) break;
  }
  return { said, count: trials.length, standing: watch.standing() };
}

test('beside others a run goes by CPU time: it ends when that is decided', () => {
  const { count, standing } = endsBeside(2);
  expect(count).toBeLessThan(2 * 10);
  expect(standing).toMatchObject({ kind: 'vanished', reason: expect.stringContaining(byLoops) });
});

test('beside others an open run uses its budget, and no more than ten blocks without one', () => {
  expect(endsBeside(1, { margin: 0.001 }).count).toBe(20);
  expect(endsBeside(1, { margin: 0.001, budget: 60_500 }).count).toBe(60);
});

test('says at once that no trial counts, and because of whom; and that a budget will not do', () => {
  const { said } = endsBeside(1, { margin: 0.001, budget: 30_500 });
  expect(said).toEqual([
    expect.stringMatching(/^no trial counts so far.*\(2\).*node × 2 \(90 %\).*CPU time/),
    expect.stringMatching(
      /^the budget will hardly decide this: more blocks of some .* are needed, and 21 s is left$/,
    ),
  ]);
  expect(endsBeside(2, { budget: 300_000 }).said).toHaveLength(1);
});
