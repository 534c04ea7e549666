import { expect, test } from '@playwright/test';
import { medianSorted } from 'simple-statistics';
import { moreBlocksNeeded } from './projection.ts';
import { seededGenerator } from './random.ts';
import { decide } from './verdict.ts';

const rules = { running: { kind: 'open' }, margin: 0.02, alpha: 0.05 } as const;

test('the number of blocks missing is of the right size, in the median of 200 runs', () => {
  const generator = seededGenerator(6);
  const factors: number[] = [];
  for (let run = 0; run < 200; run += 1) {
    const values: number[] = [];
    let promised: number | null = null;
    for (;;) {
      values.push(0.05 + 0.07 * generator.normal());
      const decision = decide(values, { better: 'lower' });
      if (values.length === 10) promised = decision.moreBlocks;
      if (decision.verdict !== 'undecided' || values.length > 400) break;
    }
    if (promised !== null) factors.push((values.length - 10) / promised);
  }
  expect(factors.length).toBeGreaterThan(150);
  const median = medianSorted(factors.sort((a, b) => a - b));
  expect(median).toBeGreaterThan(0.5);
  expect(median).toBeLessThan(2);
});

/** Slow twin: repeats the blocks seen, and tries one number of blocks after the other. */
function slowly(values: readonly number[]): number {
  for (let more = 1; more <= 200; more += 1) {
    const repeated = Array.from(
      { length: values.length + more },
      (_, index) => values[index % values.length] ?? NaN,
    );
    if (decide(repeated, { better: 'lower' }).verdict !== 'undecided') return more;
  }
  return Infinity;
}

test('the slow twin, which tries every number of blocks, needs about as many', () => {
  const values = Array.from({ length: 20 }, (_, i) => 0.03 + (i % 2 === 0 ? -0.06 : 0.06));
  // The lower value comes first, so that no look at an odd number of blocks is ahead of its time.
  const fast = moreBlocksNeeded(values, rules);
  expect(Math.abs((fast ?? NaN) - slowly(values))).toBeLessThanOrEqual(2);
});

test('with fewer blocks than can decide, at least the missing ones are named', () => {
  expect(moreBlocksNeeded([1, 1.01, 0.99], rules)).toBe(5);
});

test('a noise that would need more than 100,000 blocks gives no number', () => {
  const wild = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 30 : -30));
  expect(moreBlocksNeeded(wild, rules)).toBeNull();
});

test('when no single ratio fits, no number of blocks will help', () => {
  expect(moreBlocksNeeded([1, -1, 1], { ...rules, running: { kind: 'empty' } })).toBeNull();
});
