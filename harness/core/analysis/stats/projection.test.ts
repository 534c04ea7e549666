import { expect, test } from '@playwright/test';
import { medianSorted } from 'simple-statistics';
import { moreBlocksNeeded } from './projection.ts';
import { seededGenerator } from './random.ts';
import { decide } from './verdict.ts';

const rules = { running: { kind: 'open' }, margin: 0.02, alpha: 0.05 } as const;

test(
  'the projected number of blocks is of the right size, in the median of 80 runs',
  { tag: '@campaign' },
  () => {
    const generator = seededGenerator(6);
    const factors: number[] = [];
    for (let run = 0; run < 80; run += 1) {
      const values: number[] = [];
      let promised: number | null = null;
      for (;;) {
        values.push(0.05 + 0.07 * generator.normal());
        const decision = decide({ differences: values }, { better: 'lower' });
        if (values.length === 10) promised = decision.moreBlocks;
        if (decision.verdict !== 'undecided' || values.length > 400) break;
      }
      if (promised !== null) factors.push((values.length - 10) / promised);
    }
    expect(factors.length).toBeGreaterThan(60);
    const median = medianSorted(factors.sort((a, b) => a - b));
    expect(median).toBeGreaterThan(0.5);
    expect(median).toBeLessThan(2);
  },
);

/** Slow twin: repeats the blocks seen, and tries one number of blocks after the other. */
function slowly(values: readonly number[]): number {
  for (let more = 1; more <= 200; more += 1) {
    const repeated = Array.from(
      { length: values.length + more },
      (_, index) => values[index % values.length] ?? NaN,
    );
    if (decide({ differences: repeated }, { better: 'lower' }).verdict !== 'undecided') return more;
  }
  return Infinity;
}

test('the slow twin, which tries every number of blocks, needs about as many', () => {
  // The lower value comes first, so that no look is ahead of its time.
  const values = Array.from({ length: 21 }, (_, i) => 0.03 + 0.06 * ((i % 3) - 1));
  const fast = moreBlocksNeeded({ differences: values }, rules);
  expect(Math.abs((fast ?? NaN) - slowly(values))).toBeLessThanOrEqual(2);
});

test('names at least the missing blocks before any verdict is possible', () => {
  expect(moreBlocksNeeded({ differences: [1, 1.01, 0.99] }, rules)).toBe(3);
});

test('gives no number beyond 100,000 blocks', () => {
  const wild = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 30 : -30));
  expect(moreBlocksNeeded({ differences: wild }, rules)).toBeNull();
});

test('gives no number if no single ratio fits', () => {
  expect(
    moreBlocksNeeded({ differences: [1, -1, 1] }, { ...rules, running: { kind: 'empty' } }),
  ).toBeNull();
});

test('an alike first round suffices by itself if its trials lie apart', () => {
  const values = { a: [2, 2.1], b: [1, 1.05] };
  const comparison = {
    differences: [Math.log(2), Math.log(2)],
    firstRound: { blocks: 5, values },
  };
  expect(moreBlocksNeeded(comparison, rules)).toBe(3);
  expect(moreBlocksNeeded({ differences: comparison.differences }, rules)).toBe(4);
});

test('nothing becomes equivalent if the clock leaves open as much as the margin', () => {
  const differences = Array.from({ length: 10 }, (_, i) => 0.001 * (i % 3) - 0.001);
  const at = (resolution: number) => moreBlocksNeeded({ differences, resolution }, rules);
  expect(at(0)).toBeLessThan(5);
  expect(at(0.016)).toBeGreaterThan(at(0) ?? NaN);
  expect(at(0.02)).toBeNull();
});
