import { test, expect } from '@playwright/test';
import { standstillReason } from '../model/environment-limits.ts';
import type { Job, Plan } from '../model/plan.ts';
import { isQuarantined, type Trial } from '../model/trial.ts';
import {
  aBenchmark,
  aCase,
  aCompletion,
  aFoundDevice,
  aJob,
  aPlan,
  aQuarantinedTrial,
  aRecord,
  aTrial,
} from '../../testing/builders.ts';
import { caseName } from '../model/case.ts';
import { comparePair, pairValues, type Pair } from './pairs.ts';
import { decidePair } from './decide.ts';
import { quarantineCautions } from './troubled-trials.ts';
import { endsRound, stopState } from './stopping.ts';
import { countingDisturbed, makeSeries, type Series } from './series.ts';
import { seededGenerator } from './stats/random.ts';
import { excludes, runningIntervals } from './stats/ratio-interval.ts';
import { makeCell } from './table.ts';
import { makeVerdicts } from './run-verdicts.ts';

const metric = aBenchmark.metrics[0]!;
const pair: Pair = {
  a: { deviceId: 'a', case: aCase() },
  b: { deviceId: 'b', case: aCase() },
  metric,
};
const rules = { margin: 0.02, alpha: 0.05 };

const jobOf = (deviceId: string, block: number): Job =>
  aJob({ deviceId, block, ordinal: block * 2 + (deviceId === 'a' ? 0 : 1) });
const repeatOf = (job: Job): Job => ({ ...job, ordinal: 100 + job.ordinal, repeats: job.ordinal });

/**
 * In block 1 side a is quarantined and its repeat is clean; in block 2 the repeat is quarantined as
 * well.
 */
const trials: readonly Trial[] = [
  aTrial(jobOf('a', 0), [10]),
  aTrial(jobOf('b', 0), [1]),
  aQuarantinedTrial(jobOf('a', 1), [99]),
  aTrial(repeatOf(jobOf('a', 1)), [11]),
  aTrial(jobOf('b', 1), [2]),
  aQuarantinedTrial(jobOf('a', 2), [98]),
  aQuarantinedTrial(repeatOf(jobOf('a', 2)), [97]),
  aTrial(jobOf('b', 2), [3]),
];

function seriesOf(some: readonly Trial[]): Series {
  const [first] = makeSeries(aRecord([aFoundDevice('a'), aFoundDevice('b')], some));
  if (first === undefined) throw new Error('no series');
  return first;
}

test('a series counts the clean trials, with a clean repeat in its block’s place', () => {
  const { values, quarantined, others } = seriesOf(trials);
  expect(values.map(({ block, value }) => [block, value])).toEqual([
    [0, 10],
    [1, 11],
  ]);
  expect(quarantined.map(({ block, value }) => [block, value])).toEqual([
    [1, 99],
    [2, 98],
    [2, 97],
  ]);
  expect(others).toEqual([]);
});

test('a cell has the trials that count, and lists the quarantined values apart', () => {
  expect(makeCell(seriesOf(trials))).toMatchObject({
    kind: 'measured',
    trials: 2,
    values: [10, 11],
    quarantined: [99, 98, 97],
  });
  expect(makeCell(seriesOf(trials))).not.toHaveProperty('fromQuarantined');
  expect(makeCell(seriesOf(trials.slice(0, 2)))).not.toHaveProperty('quarantined');
});

test('shows the quarantined trials, marked, if no trial counts', () => {
  expect(makeCell(seriesOf(trials.slice(5)))).toMatchObject({
    kind: 'measured',
    targetId: 'a',
    values: [98, 97],
    trials: 2,
    quarantined: [98, 97],
    fromQuarantined: true,
  });
});

test('a verdict leaves quarantined trials out, or counts the first of each block', () => {
  expect(pairValues(trials, pair)).toMatchObject([
    { block: 0, a: 10, b: 1 },
    { block: 1, a: 11, b: 2 },
  ]);
  expect(pairValues(trials, pair, { quarantined: 'counted' })).toMatchObject([
    { block: 0, a: 10, b: 1 },
    { block: 1, a: 99, b: 2 },
    { block: 2, a: 98, b: 3 },
  ]);
});

/** Side b takes as long as a, but four of five of a's trials were disturbed, and clean when repeated. */
function mostlyDisturbed(): readonly Trial[] {
  const block = (index: number): readonly Trial[] => {
    const b = aTrial(jobOf('b', index), [10 + 0.01 * (index % 3)]);
    const job = jobOf('a', index);
    if (index % 5 === 0) return [aTrial(job, [10 + 0.01 * ((index + 1) % 3)]), b];
    return [aQuarantinedTrial(job, [30]), aTrial(repeatOf(job), [10]), b];
  };
  return Array.from({ length: 30 }, (_, index) => block(index)).flat();
}

test('a verdict can differ with and without quarantined trials', () => {
  const many = mostlyDisturbed();
  const verdict = (quarantined?: 'counted'): unknown =>
    decidePair(many, pair, { ...rules, ...(quarantined && { quarantined }) });
  expect(verdict()).toMatchObject({ decision: { verdict: 'equivalent', blocks: 30 } });
  expect(verdict('counted')).toMatchObject({ decision: { verdict: 'slower', blocks: 30 } });
});

test('reports how many trials are quarantined, and which verdicts they would change', () => {
  const presences = [aFoundDevice('b'), aFoundDevice('a')];
  const cautionsOf = (some: readonly Trial[]): readonly string[] => {
    const record = aRecord(presences, some);
    return quarantineCautions(record, { verdicts: makeVerdicts(record), baseline: undefined });
  };
  const name = caseName(aCase());
  expect(cautionsOf(mostlyDisturbed())).toEqual([
    expect.stringMatching(
      /24 of 84 .*excluded.*other programs used 90 % of the CPU.* 24 clean repeats.* decide nothing/,
    ),
    expect.stringMatching(new RegExp(`${name} on a .*slower.* equivalent`)),
  ]);
  expect(cautionsOf(trials)[1]).toMatch(/excluded.*every verdict.*same/);
  expect(cautionsOf(trials.slice(0, 2))).toEqual([]);
});

test('a block ends with its last planned trial or repeat, in any order', () => {
  const plan: Plan = aPlan([jobOf('a', 0), jobOf('b', 0), jobOf('a', 1), jobOf('b', 1)], []);
  const [a, b] = [aTrial(jobOf('a', 0), [1]), aTrial(jobOf('b', 0), [1])];
  const [badA, badB] = [
    aQuarantinedTrial(jobOf('a', 0), [1]),
    aQuarantinedTrial(jobOf('b', 0), [1]),
  ];
  const againA = aTrial(repeatOf(jobOf('a', 0)), [1]);
  const badAgainB = aQuarantinedTrial(repeatOf(jobOf('b', 0)), [1]);
  const ends = (...trials: readonly Trial[]): boolean => endsRound(plan, trials);
  expect(ends()).toBe(false);
  expect(ends(a)).toBe(false);
  expect(ends(b)).toBe(false);
  expect(ends(a, b)).toBe(true);
  expect(ends(b, a)).toBe(true);
  expect(ends(badA, b)).toBe(false);
  expect(ends(badA, againA)).toBe(false);
  expect(ends(badA, againA, b)).toBe(true);
  expect(ends(badA, b, againA)).toBe(true);
  expect(ends(a, badB)).toBe(false);
  expect(ends(a, badB, badAgainB)).toBe(true);
  expect(ends(a, b, aTrial(jobOf('a', 1), [1]))).toBe(false);
  expect(ends(a, b, aTrial(jobOf('b', 1), [1]), aTrial(jobOf('a', 1), [1]))).toBe(true);
  const without = { ...plan, repeatQuarantined: false };
  expect(endsRound(without, [a, badB])).toBe(true);
});

test('a first round ends with the last trial and repeat of its blocks', () => {
  const jobs = [1, 0, 1, 0, 2, 2].map((block, ordinal) =>
    aJob({ ordinal, block, deviceId: ordinal < 2 || ordinal === 4 ? 'a' : 'b' }),
  );
  const plan: Plan = { ...aPlan(jobs, []), firstRound: 2 };
  const done = jobs.map((job) => aTrial(job, [1]));
  const ends = [1, 2, 3, 4, 5, 6].filter((count) => endsRound(plan, done.slice(0, count)));
  expect(ends).toEqual([4, 6]);
  const disturbed = aQuarantinedTrial(jobs[0]!, [1]);
  expect(endsRound(plan, [disturbed, ...done.slice(1, 4)])).toBe(false);
  const again = aTrial({ ...jobs[0]!, ordinal: 9, repeats: 0 }, [1]);
  expect(endsRound(plan, [disturbed, again, ...done.slice(1, 4)])).toBe(true);
});

test('waits for a machine busy for a few blocks, not for always', () => {
  const busyFor = (blocks: number): readonly Trial[] =>
    Array.from({ length: blocks }, (_, block) => [
      aQuarantinedTrial(jobOf('a', block), [1]),
      aTrial(jobOf('b', block), [1]),
    ]).flat();
  expect(stopState(busyFor(9), [pair], rules)).toEqual({ kind: 'go-on' });
  expect(stopState(busyFor(10), [pair], rules)).toEqual({
    kind: 'vanished',
    reason: expect.stringMatching(
      /^a .*no result.* 10 blocks.*quarantined.* other programs used 90 % of the CPU$/,
    ),
  });
});

test('counts disturbed trials where their block lacks a clean one', () => {
  const [series] = makeSeries(
    aRecord([aFoundDevice('a'), aFoundDevice('b')], countingDisturbed(trials)),
  );
  expect(series!.values.map(({ block, value }) => [block, value])).toEqual([
    [0, 10],
    [1, 11],
    [2, 98],
  ]);
  expect(series!.quarantined.map(({ value }) => value)).toEqual([99, 97]);
});

test('never counts a trial whose browser stood still', () => {
  const reason = standstillReason('the browser', 20_000, 'while the page measured')!;
  const stopped = aTrial(jobOf('a', 0), aCompletion({ quarantine: [reason] }));
  const counting = countingDisturbed([stopped, aTrial(jobOf('b', 0), [1])]);
  expect(counting.map(isQuarantined)).toEqual([true, false]);
});

test('a sometimes busy machine hides differences of versions and makes none', () => {
  const alpha = 0.2;
  const runs = 150;
  /** True if a run of 30 blocks sees a difference at any look; `slower` is that of side a. */
  const isSeen = (seed: number, slower: number): boolean => {
    const generator = seededGenerator(seed);
    const random = (): number => generator.uniform();
    let busy = false;
    const seen: Trial[] = [];
    const once = (job: Job): Trial => {
      if (random() < 0.3) busy = !busy;
      const own = (job.deviceId === 'a' ? 1 + slower : 1) * (1 + 0.01 * random());
      const value = own * (busy ? 1 + random() : 1);
      return busy && random() < 0.8 ? aQuarantinedTrial(job, [value]) : aTrial(job, [value]);
    };
    for (let block = 0; block < 30; block += 1) {
      for (const id of random() < 0.5 ? ['a', 'b'] : ['b', 'a']) {
        const first = once(jobOf(id, block));
        seen.push(first, ...(isQuarantined(first) ? [once(repeatOf(first.job))] : []));
      }
    }
    const made = comparePair(countingDisturbed(seen), pair);
    if (made.kind !== 'comparison') throw new Error(`nothing to compare: ${made.kind}`);
    // The intervals of all looks, at the price of one decision.
    const looks = runningIntervals(made.comparison.differences, alpha, made.comparison);
    return looks.some((look) => look.kind === 'bounded' && excludes(look, 0));
  };
  const alarms = Array.from({ length: runs }, (_, seed) => isSeen(seed, 0)).filter(Boolean).length;
  // 3 standard errors of what α allows.
  expect(alarms / runs).toBeLessThanOrEqual(alpha + 3 * Math.sqrt((alpha * (1 - alpha)) / runs));
  const found = Array.from({ length: 50 }, (_, seed) => isSeen(seed, 0.1)).filter(Boolean).length;
  expect(found).toBeGreaterThan(40);
});

test('a run of versions reports its counted disturbed trials and why', () => {
  const record = aRecord([aFoundDevice('a'), aFoundDevice('b')], trials);
  const versions = { ...record, run: { ...record.run, suite: 'versions' } };
  const judgement = { verdicts: makeVerdicts(versions), baseline: undefined };
  expect(quarantineCautions(versions, judgement)).toEqual([
    expect.stringMatching(/^1 of 8 trials count although .*random/),
    expect.stringMatching(/^2 of 8 trials are excluded/),
    expect.stringMatching(/every verdict would be the same/),
  ]);
});
