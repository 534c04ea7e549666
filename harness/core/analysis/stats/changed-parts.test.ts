import { expect, test } from '@playwright/test';
import { findChangedParts, type PartSeries } from './changed-parts.ts';
import { type SeededGenerator, seededGenerator } from './random.ts';

/** A paint of 400 ms in four parts; the second is longer afterwards. */
function aPaint(
  generator: SeededGenerator,
  { addedMs, blocks }: { addedMs: number; blocks: number },
): readonly PartSeries[] {
  return [20, 60, 200, 120].map((ms, part) => {
    const side = (added: number): readonly number[] =>
      Array.from({ length: blocks }, () => Math.max(0, ms + added + 0.1 * ms * generator.normal()));
    return { before: side(0), after: side(part === 1 ? addedMs : 0), scaleMs: 400 };
  });
}

test('finds the part that grew, by how much, and no other', () => {
  const parts = findChangedParts(aPaint(seededGenerator(1), { addedMs: 62, blocks: 12 }));
  expect(parts.map(({ isSettled }) => isSettled)).toEqual([false, true, false, false]);
  const { changeMs, low, high } = parts[1]!;
  expect(low!).toBeGreaterThan(40);
  expect(high!).toBeLessThan(85);
  expect(Math.abs(changeMs - 62)).toBeLessThan(8);
});

test('of 400 equal paints hardly any has a part that changed', () => {
  const generator = seededGenerator(2);
  const alarms = Array.from({ length: 400 }, () =>
    findChangedParts(aPaint(generator, { addedMs: 0, blocks: 20 })).some(
      ({ isSettled }) => isSettled,
    ),
  ).filter(Boolean);
  expect(alarms.length).toBeLessThanOrEqual(20);
});

test('a clock of 8 ms widens the interval, and settles no difference below it', () => {
  const coarse = { before: Array(12).fill(100), after: Array(12).fill(104), scaleMs: 100 };
  const [fine] = findChangedParts([coarse]);
  const [rounded] = findChangedParts([{ ...coarse, resolutionMs: 8 }]);
  expect(fine!.isSettled).toBe(true);
  expect(rounded!.isSettled).toBe(false);
});

test('nothing to compare is nothing found', () => {
  expect(findChangedParts([])).toEqual([]);
});
