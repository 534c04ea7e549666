import { expect, test } from '@playwright/test';
import type { Trial } from '../model/trial.ts';
import { crossArms, makePlan } from '../plan/plan.ts';
import { seededGenerator } from './stats/random.ts';
import { aBenchmark, aCase, aFoundDevice, aMeasurement, aTrial } from '../../testing/builders.ts';
import type { CarryOver } from '../results/verdicts.ts';
import { computeCarryOvers } from './carry-over.ts';
import type { Pair } from './pairs.ts';

const presences = [aFoundDevice('a'), aFoundDevice('b')];
const pair: Pair = {
  a: { deviceId: 'a', case: aCase() },
  b: { deviceId: 'b', case: aCase() },
  metric: aBenchmark.metrics[0]!,
};

interface World {
  readonly seed: number;
  readonly blocks: number;
  /** By how much a trial takes longer after one of this side. */
  readonly after: Readonly<Record<string, number>>;
}

/** A comparison whose trials scatter by 1 %, one every ten seconds; b takes 30 % longer than a. */
function simulate({ seed, blocks, after }: World): readonly Trial[] {
  const arms = crossArms(presences, [aCase()]);
  const plan = { seed, isolation: 'session', blocks, firstRound: 5 } as const;
  const { jobs } = makePlan({ ...plan, measurement: aMeasurement, presences, arms });
  const chance = seededGenerator(seed + 1);
  return jobs.map((job, index) => {
    const carried = after[jobs[index - 1]?.deviceId ?? ''] ?? 0;
    const level = (job.deviceId === 'a' ? 10 : 13) * (1 + carried);
    const startedAt = new Date(index * 10_000).toISOString();
    return { ...aTrial(job, [level * Math.exp(0.01 * chance.normal())]), startedAt };
  });
}

const leavesOut = ({ low, high }: CarryOver, ratio: number): boolean => low > ratio || high < ratio;

test('finds a carry-over of 2 % on both sides in 60 blocks', () => {
  const counts = { found: 0, wrong: 0 };
  for (let seed = 0; seed < 50; seed += 1) {
    const { a, b } = computeCarryOvers(
      simulate({ seed, blocks: 60, after: { b: 0.02 } }),
      pair,
      presences,
    );
    if (leavesOut(a!, 1) && leavesOut(b!, 1) && a!.ratio > 1 && b!.ratio < 1) counts.found += 1;
    if (leavesOut(a!, 1.02)) counts.wrong += 1;
  }
  expect(counts.found).toBe(50);
  // One in twenty is promised; the seeds are fixed.
  expect(counts.wrong).toBeLessThanOrEqual(5);
});

test('reports a false carry-over in one interval of twenty', () => {
  let wrong = 0;
  for (let seed = 0; seed < 100; seed += 1) {
    const { a } = computeCarryOvers(simulate({ seed, blocks: 40, after: {} }), pair, presences);
    if (leavesOut(a!, 1)) wrong += 1;
  }
  expect(wrong).toBeLessThanOrEqual(10);
});

test('orders trials by their start, and separates them by a long pause', () => {
  const trials = simulate({ seed: 3, blocks: 40, after: {} });
  const of = (some: readonly Trial[]): CarryOver => computeCarryOvers(some, pair, presences).a!;
  expect(of(trials.toReversed())).toEqual(of(trials));
  const count = ({ afterOwn, afterOther }: CarryOver): number => afterOwn + afterOther;
  const middle = trials.findIndex(({ job }, index) => index > 40 && job.deviceId === 'a');
  const later = trials.map((trial, index) =>
    index < middle
      ? trial
      : { ...trial, startedAt: new Date(index * 10_000 + 3_600_000).toISOString() },
  );
  expect(count(of(later))).toBe(count(of(trials)) - 1);
});

test('says nothing with few trials or with sides on two machines', () => {
  const few = simulate({ seed: 1, blocks: 6, after: {} });
  expect(computeCarryOvers(few, pair, presences)).toEqual({ a: null, b: null });
  const elsewhere = aFoundDevice('b', { phone: { platform: 'android' } });
  const many = simulate({ seed: 1, blocks: 40, after: {} });
  expect(computeCarryOvers(many, pair, [presences[0]!, elsewhere])).toEqual({ a: null, b: null });
});
