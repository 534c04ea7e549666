import { expect, test } from '@playwright/test';
import { decide } from './verdict.ts';
import { logMeanEValue, meanRatio } from './mean-ratio.ts';
import { seededGenerator, type SeededGenerator } from './random.ts';
import type { BlockPair } from './typical-ratio.ts';

const alpha = 0.05;

/** Blocks of sides whose sessions are slow by this factor in these shares, in addition to noise. */
function blocksOf(
  generator: SeededGenerator,
  { count, spread, slow = [0, 0], by = 1 }: SampleOptions,
): readonly BlockPair[] {
  const one = (share: number): number =>
    Math.exp(spread * generator.normal()) * (generator.uniform() < share ? by : 1);
  return Array.from({ length: count }, () => ({ a: one(slow[0]), b: one(slow[1]) }));
}

interface SampleOptions {
  readonly count: number;
  readonly spread: number;
  readonly slow?: readonly [number, number];
  readonly by?: number;
}

const differencesOf = (pairs: readonly BlockPair[]): readonly number[] =>
  pairs.map(({ a, b }) => Math.log(a / b));

test('the evidence is the Bayes factor of the t statistic', () => {
  const pairs = [1, 2, 4].map((gap) => ({ a: 10 + gap, b: 10 }));
  // z = 1, 2, 4: t² = 3 · (7/3)² / (7/3) = 7, ν = 2, k = 13; the formula by hand.
  const [t2, k] = [7, 13];
  const expected = 1.5 * Math.log((1 + t2 / 2) / (1 + t2 / (2 * k))) - Math.log(k) / 2;
  expect(logMeanEValue(pairs, 0)).toBeCloseTo(expected, 12);
  expect(logMeanEValue(pairs.slice(0, 1), 0)).toBe(0);
  expect(
    logMeanEValue(
      [
        { a: 2, b: 1 },
        { a: 2, b: 1 },
      ],
      0,
    ),
  ).toBe(Infinity);
  expect(
    logMeanEValue(
      [
        { a: 2, b: 1 },
        { a: 2, b: 1 },
      ],
      Math.log(2),
    ),
  ).toBeLessThan(0);
});

test('its interval holds the ratio of means in 95 of 100 series', () => {
  let missed = 0;
  const runs = 400;
  for (let seed = 1; seed <= runs; seed++) {
    const pairs = blocksOf(seededGenerator(seed), { count: 40, spread: 0.02 });
    const isMissed = pairs.some((_, index) => {
      const { low, high } = meanRatio(pairs.slice(0, index + 1), alpha);
      return low > 0 || high < 0;
    });
    missed += Number(isMissed);
  }
  expect(missed / runs).toBeLessThanOrEqual(alpha);
});

test('sides that differ in how often a session is slow are not the same', () => {
  const runs = 200;
  const verdicts = Array.from({ length: runs }, (_, seed) => {
    const drawn = { count: 40, spread: 0.005, slow: [0.3, 0.05], by: 1.3 } as const;
    const pairs = blocksOf(seededGenerator(seed + 1), drawn);
    for (let count = 6; count <= pairs.length; count++) {
      const means = pairs.slice(0, count);
      const made = decide({ differences: differencesOf(means), means }, { better: 'lower' });
      if (made.verdict !== 'undecided' || made.because === 'mean-differs') return made.verdict;
    }
    return 'undecided';
  });
  // Some have seen no slow session in six blocks: .7^6 · .95^6 = 9 %.
  expect(verdicts.filter((one) => one === 'equivalent').length / runs).toBeLessThanOrEqual(0.12);
  expect(verdicts).not.toContain('faster');
});

test('reports a mean that differs without asking for more blocks', () => {
  const pairs = Array.from({ length: 120 }, (_, index) => ({
    a: index % 5 === 0 ? 15 : 10 + (index % 7) / 1000,
    b: 10 + (index % 5) / 1000,
  }));
  const made = decide({ differences: differencesOf(pairs), means: pairs }, { better: 'lower' });
  expect(made).toMatchObject({ verdict: 'undecided', because: 'mean-differs', moreBlocks: null });
  expect(made.mean!.ratio).toBeCloseTo(1.1, 2);
  expect(made.mean!.low).toBeGreaterThan(1.02);
});

test('quiet sides are the same as soon as without it', () => {
  const blocksUntil = (withMeans: boolean): number[] =>
    Array.from({ length: 100 }, (_, seed) => {
      const pairs = blocksOf(seededGenerator(seed + 1), { count: 30, spread: 0.005 });
      const seen = pairs.findIndex((_, index) => {
        const means = pairs.slice(0, index + 1);
        const comparison = { differences: differencesOf(means), ...(withMeans && { means }) };
        return decide(comparison, { better: 'lower' }).verdict === 'equivalent';
      });
      return seen + 1;
    }).sort((a, b) => a - b);
  const [plain, withMeans] = [blocksUntil(false), blocksUntil(true)];
  expect(withMeans[50]).toBeLessThanOrEqual(plain[50]! + 1);
  expect(withMeans[95]).toBeLessThanOrEqual(plain[95]! + 2);
});
