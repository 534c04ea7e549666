import { expect, test } from '@playwright/test';
import { type NoiseShape, simulateBlock, slotNoise } from './noise.ts';
import { seededGenerator } from './random.ts';
import { StatisticsRefusal } from './refusal.ts';
import { blockDifferences } from './typical-ratio.ts';
import {
  decide as decideOn,
  type Decision,
  type DecisionRules,
  logDecisiveness,
} from './verdict.ts';

interface Simulation {
  readonly ratio: number;
  readonly blocks: number;
  readonly spread?: number;
  readonly seed?: number;
  readonly shape?: NoiseShape;
}

function differencesOf({ ratio, blocks, spread = 0.05, seed = 1, shape = 'normal' }: Simulation) {
  const generator = seededGenerator(seed);
  const noise = slotNoise(shape, { spread, generator });
  return blockDifferences(
    Array.from({ length: blocks }, () => simulateBlock(noise, { ratio, generator })),
  );
}

function decide(differences: readonly number[], rules: DecisionRules): Decision {
  return decideOn({ differences }, rules);
}

const times: DecisionRules = { better: 'lower' };
const rates: DecisionRules = { better: 'higher' };

test('a is faster than b when its times are shorter', () => {
  const decision = decide(differencesOf({ ratio: 0.8, blocks: 30 }), times);
  expect(decision).toMatchObject({ verdict: 'faster', significant: true, relevant: true });
  expect(decision.ratio).toBeGreaterThan(0.7);
  expect(decision.low).toBeLessThan(0.8);
  expect(decision.high).toBeGreaterThan(0.8);
  expect(decision.high).toBeLessThan(1);
  expect(decision).toMatchObject({ because: null, moreBlocks: null, blocks: 30, margin: 0.02 });
});

test('a is slower than b when its times are longer', () => {
  expect(decide(differencesOf({ ratio: 1.25, blocks: 30 }), times).verdict).toBe('slower');
});

test('faster and slower change places for a metric of which more is better', () => {
  expect(decide(differencesOf({ ratio: 1.25, blocks: 30 }), rates).verdict).toBe('faster');
  expect(decide(differencesOf({ ratio: 0.8, blocks: 30 }), rates).verdict).toBe('slower');
});

test('exchanging a and b exchanges the verdict and inverts the ratio', () => {
  const values = differencesOf({ ratio: 1.2, blocks: 40 });
  const there = decide(values, times);
  const back = decide(
    values.map((value) => -value),
    times,
  );
  expect([there.verdict, back.verdict]).toEqual(['slower', 'faster']);
  expect(back.ratio * there.ratio).toBeCloseTo(1, 9);
  expect((back.low ?? 0) * (there.high ?? 0)).toBeCloseTo(1, 9);
});

test('equal series with little noise are equivalent', () => {
  const decision = decide(differencesOf({ ratio: 1, blocks: 40, spread: 0.01 }), times);
  expect(decision).toMatchObject({ verdict: 'equivalent', significant: false, relevant: false });
});

test('identical values are equivalent, with a ratio of exactly 1', () => {
  const decision = decide(
    blockDifferences(Array.from({ length: 12 }, () => ({ a: 3.7, b: 3.7 }))),
    times,
  );
  expect(decision).toMatchObject({ verdict: 'equivalent', ratio: 1 });
  expect(decision.low).toBeLessThan(1);
  expect(decision.high).toBeGreaterThan(1);
});

test('a real difference smaller than the margin is equivalent and significant', () => {
  const decision = decide(differencesOf({ ratio: 1.01, blocks: 60, spread: 0.005 }), times);
  expect(decision).toMatchObject({ verdict: 'equivalent', significant: true, relevant: false });
  expect(decision.low).toBeGreaterThan(1);
});

test('a real difference perhaps smaller than the margin is significant, not relevant', () => {
  const values = differencesOf({ ratio: 1.03, blocks: 150, spread: 0.02 });
  expect(decide(values, { ...times, margin: 0.03 })).toMatchObject({
    verdict: 'slower',
    significant: true,
    relevant: false,
  });
});

test('equal series with much noise are undecided, with a number of missing blocks', () => {
  const decision = decide(differencesOf({ ratio: 1, blocks: 20 }), times);
  expect(decision).toMatchObject({ verdict: 'undecided', because: 'too-wide', significant: false });
  expect(decision.moreBlocks).toBeGreaterThan(50);
  expect(decision.moreBlocks).toBeLessThan(1000);
});

test('fewer than 6 blocks decide nothing, however clear the difference', () => {
  const decision = decide(differencesOf({ ratio: 6, blocks: 5, spread: 0.01 }), times);
  expect(decision).toMatchObject({ verdict: 'undecided', because: 'too-few-blocks' });
  expect(decision).toMatchObject({ low: null, high: null, moreBlocks: 1, significant: false });
  expect(decision.ratio).toBeCloseTo(6, 0);
});

test('6 blocks are enough for a large difference', () => {
  const decision = decide(differencesOf({ ratio: 6, blocks: 6, spread: 0.01 }), times);
  expect(decision).toMatchObject({ verdict: 'slower', relevant: true });
});

test('one block gives only a ratio', () => {
  expect(decide([0], times)).toMatchObject({
    verdict: 'undecided',
    ratio: 1,
    low: null,
    moreBlocks: 5,
  });
});

test('gives no verdict for a changing ratio, without advice for more blocks', () => {
  const values = [
    ...differencesOf({ ratio: 2, blocks: 20, seed: 2 }),
    ...differencesOf({ ratio: 0.5, blocks: 80, seed: 3 }),
  ];
  const decision = decide(values, times);
  expect(decision).toMatchObject({
    verdict: 'undecided',
    because: 'no-constant-ratio',
    moreBlocks: null,
    significant: false,
    relevant: false,
  });
  expect(decision.low).not.toBeNull();
});

test('a verdict stays when more blocks of the same series come', () => {
  const values = differencesOf({ ratio: 1.08, blocks: 120 });
  const verdicts = values.map((_, index) => decide(values.slice(0, index + 1), times).verdict);
  const first = verdicts.findIndex((verdict) => verdict !== 'undecided');
  expect(first).toBeGreaterThanOrEqual(6);
  expect(new Set(verdicts.slice(first))).toEqual(new Set(['slower']));
});

test('the ratio is the typical one, which no wild block moves', () => {
  const calm = differencesOf({ ratio: 1.1, blocks: 40, spread: 0.005 });
  const before = decide(calm, times).ratio;
  const after = decide([...calm, 5], times).ratio;
  expect(before).toBeCloseTo(1.1, 2);
  expect(Math.abs(after / before - 1)).toBeLessThan(0.001);
});

test('counts the last look alone when the ratio leaves what earlier looks allow', () => {
  const drifted = [
    ...differencesOf({ ratio: 1.1, blocks: 12, spread: 0.005 }),
    ...differencesOf({ ratio: 1.112, blocks: 60, spread: 0.005 }),
  ];
  const decision = decide(drifted, times);
  const last = decide(drifted, { ...times, looks: 'last' });
  expect(decision.verdict).toBe('slower');
  expect(decision.ratio).toBeGreaterThan(1.105);
  expect(decision.ratio).toBeLessThan(decision.high ?? NaN);
  expect([decision.low, decision.high]).toEqual([last.low, last.high]);
});

test('five alike blocks in random order decide a large difference and equality', () => {
  const of = (a: readonly number[], b: readonly number[]) =>
    decideOn(
      {
        differences: a.map((value, block) => Math.log(value / b[block]!)),
        firstRound: { blocks: 5, values: { a, b } },
      },
      times,
    );
  const b = [1, 1.001, 1.002, 1.004, 1.003];
  expect(of([1.05, 1.06, 1.05, 1.1, 1.05], b)).toMatchObject({ verdict: 'slower', relevant: true });
  expect(of([1.001, 1.002, 1.003, 1, 1.004], b)).toMatchObject({ verdict: 'equivalent' });
  expect(of([1.05, 1.06, 1.05, 1.1, 1.003], b)).toMatchObject({ verdict: 'undecided' });
});

test('ties of the clock are equal only up to its resolution', () => {
  const differences = Array.from({ length: 100 }, () => 0);
  const at = (resolution: number) => decideOn({ differences, resolution }, times);
  expect(at(0.005)).toMatchObject({ verdict: 'equivalent' });
  expect(at(0.005).high).toBeGreaterThan(1.005);
  expect(at(0.03)).toMatchObject({ verdict: 'undecided', because: 'too-wide', moreBlocks: null });
});

test('the decisiveness is the inverse of the smallest level that gives a verdict', () => {
  for (const [ratio, spread, resolution] of [
    [1.1, 0.05, 0],
    [1, 0.01, 0],
    [1, 0.01, 0.004],
    [1.03, 0.02, 0.004],
  ] as const) {
    const comparison = { differences: differencesOf({ ratio, blocks: 60, spread }), resolution };
    const { different, equivalent } = logDecisiveness(comparison);
    const level = Math.exp(-Math.max(different, equivalent));
    const at = (alpha: number) => decideOn(comparison, { ...times, alpha, looks: 'last' }).verdict;
    expect(level).toBeLessThan(0.5);
    expect(at(Math.min(0.9, level * 1.01))).not.toBe('undecided');
    expect(at(level * 0.99)).toBe('undecided');
  }
});

test('a smaller error rate asks for more blocks', () => {
  const values = differencesOf({ ratio: 6, blocks: 8, spread: 0.01 });
  expect(decide(values, { ...times, alpha: 0.01 }).because).toBe('too-few-blocks');
});

test('decide leaves its input unchanged', () => {
  expect(() => decide(Object.freeze([0.1, -0.1, 0.3]), times)).not.toThrow();
});

for (const [name, margin] of [
  ['negative', -0.02],
  ['given in per cent', 2],
  ['NaN', NaN],
] as const) {
  test(`refuses a margin that is ${name}`, () => {
    expect(() => decide([0.1], { ...times, margin })).toThrow(/margin/);
  });
}

test('a margin of 0 asks for any difference, and calls nothing equivalent', () => {
  const any = { ...times, margin: 0 };
  const small = differencesOf({ ratio: 1.005, blocks: 60, spread: 0.005 });
  expect(decide(small, any)).toMatchObject({ verdict: 'slower' });
  expect(decide(small, times)).toMatchObject({ verdict: 'equivalent', significant: true });
  const same = decide(differencesOf({ ratio: 1, blocks: 60, spread: 0.005 }), any);
  expect(same).toMatchObject({ verdict: 'undecided', because: 'too-wide' });
});

for (const alpha of [0, 1, 5, NaN]) {
  test(`refuses an error rate of ${String(alpha)}`, () => {
    expect(() => decide([0.1], { ...times, alpha })).toThrow(/error rate/);
  });
}

for (const [code, pairs] of [
  ['empty', []],
  ['not-positive', [{ a: 1, b: 0 }]],
  ['not-positive', [{ a: -1, b: 1 }]],
  ['not-finite', [{ a: NaN, b: 1 }]],
  ['not-finite', [{ a: 1, b: Infinity }]],
] as const) {
  test(`refuses blocks of ${JSON.stringify(pairs)}: ${code}`, () => {
    const refusal = (() => {
      try {
        return blockDifferences(pairs);
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(StatisticsRefusal);
    expect(refusal).toMatchObject({ code });
  });
}

for (const values of [[], [NaN], [0.1, Infinity]]) {
  test(`refuses the differences ${String(values)}`, () => {
    expect(() => decide(values, times)).toThrow(StatisticsRefusal);
  });
}

test('huge and tiny values have a ratio, not an overflow', () => {
  expect(blockDifferences([{ a: 1e300, b: 1e-300 }])).toEqual([Math.log(1e300) - Math.log(1e-300)]);
});
