import { test, expect } from '@playwright/test';
import { fallingFit, findCrossing, type BlockCurves } from './crossing.ts';
import { noiseShapes, slotNoise, type NoiseShape } from './noise.ts';
import { seededGenerator, type SeededGenerator } from './random.ts';

const halfDecades = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
const decades = [1_000, 10_000, 100_000, 1_000_000];

/** Milliseconds of a fixed part, and of each unit of work. */
interface Cost {
  readonly fixed: number;
  readonly each: number;
}

const oneThread: Cost = { fixed: 0.01, each: 0.002 };
const workers: Cost = { fixed: 30, each: 0.0011 };
const truth = (workers.fixed - oneThread.fixed) / (oneThread.each - workers.each);

function timesOf({ fixed, each }: Cost, amounts: readonly number[]): readonly number[] {
  return amounts.map((amount) => fixed + each * amount);
}

/** One block: every cell in its own slot of the noise, in an order drawn at random. */
function simulateCells(
  amounts: readonly number[],
  costs: readonly [Cost, Cost],
  { noise, generator }: { noise: () => number; generator: SeededGenerator },
): BlockCurves {
  const slots = Array.from({ length: 2 * amounts.length }, () => Math.exp(noise()));
  const drawn = generator.shuffle(slots);
  const [base, other] = costs.map((cost, side) =>
    timesOf(cost, amounts).map((time, i) => time * drawn[side * amounts.length + i]!),
  );
  return { base: base!, other: other! };
}

/** Shares of runs in which the true crossing lies in the interval. */
function coverage(
  shape: NoiseShape,
  {
    amounts,
    blocks,
    spread,
    runs = 400,
  }: { amounts: readonly number[]; blocks: number; spread: number; runs?: number },
): number {
  const generator = seededGenerator(5);
  const covered = Array.from({ length: runs }, () => {
    const noise = slotNoise(shape, { spread, generator });
    const cells = Array.from({ length: blocks }, () =>
      simulateCells(amounts, [oneThread, workers], { noise, generator }),
    );
    const { low, high } = findCrossing(amounts, cells);
    return low <= truth && truth <= high;
  });
  return covered.filter(Boolean).length / runs;
}

for (const shape of noiseShapes) {
  test(`the interval covers the true crossing as often as it claims under ${shape} noise`, () => {
    // 6 blocks promise 96.9 %, 9 blocks 96.1 %; 400 runs see that within 2 %.
    expect(coverage(shape, { amounts: halfDecades, blocks: 6, spread: 0.05 })).toBeGreaterThan(
      0.945,
    );
    expect(coverage(shape, { amounts: decades, blocks: 9, spread: 0.1 })).toBeGreaterThan(0.945);
  });
}

test('is exact without noise, however far the amounts are apart', () => {
  for (const amounts of [halfDecades, decades, [1_000, 1_000_000]]) {
    const block = { base: timesOf(oneThread, amounts), other: timesOf(workers, amounts) };
    const { at, low, high, confidence, blocks } = findCrossing(amounts, [block]);
    expect(at).toBeCloseTo(truth, 6);
    expect([low, high, confidence, blocks]).toEqual([at, at, 0, 1]);
  }
});

test('equal costs for each unit never win under any noise', () => {
  const same = { fixed: 30, each: oneThread.each };
  const still = { base: timesOf(oneThread, decades), other: timesOf(same, decades) };
  expect(findCrossing(decades, [still]).at).toBe(Infinity);
  const generator = seededGenerator(8);
  const noise = slotNoise('normal', { spread: 0.02, generator });
  const cells = Array.from({ length: 15 }, () =>
    simulateCells(decades, [oneThread, same], { noise, generator }),
  );
  expect(findCrossing(decades, cells)).toMatchObject({ at: Infinity, high: Infinity });
});

test('ignores a gain below the margin and accepts one from the start', () => {
  const base = [1, 10, 100];
  const times = (factor: number) => base.map((time) => factor * time);
  expect(findCrossing([1, 10, 100], [{ base, other: times(0.985) }]).at).toBe(Infinity);
  expect(findCrossing([1, 10, 100], [{ base, other: times(0.9) }]).at).toBe(-Infinity);
});

test('finds one change of sign where noise makes several', () => {
  const base = [1, 1, 1, 1, 1];
  const other = [2, 0.95, 1.1, 0.9, 0.5];
  const { at } = findCrossing([1, 2, 3, 4, 5], [{ base, other }]);
  expect(at).toBeGreaterThan(3);
  expect(at).toBeLessThan(4);
});

test('blocks that never cross count in the order', () => {
  const crosses = { base: [1, 10], other: [2, 5] };
  const never = { base: [1, 10], other: [2, 11] };
  const always = { base: [1, 10], other: [0.5, 5] };
  const half = findCrossing([1, 10], [crosses, never]);
  expect(half).toMatchObject({ at: Infinity, low: 2.5, high: Infinity, confidence: 0.5 });
  expect(findCrossing([1, 10], [never, always, crosses])).toMatchObject({
    at: 2.5,
    low: -Infinity,
    high: Infinity,
  });
});

test('fits the nearest falling sequence', () => {
  expect(fallingFit([3, 2, 1])).toEqual([3, 2, 1]);
  expect(fallingFit([1, 2, 3])).toEqual([2, 2, 2]);
  expect(fallingFit([4, 1, 3, 0])).toEqual([4, 2, 2, 0]);
  const generator = seededGenerator(3);
  const values = Array.from({ length: 7 }, () => generator.normal());
  const distance = (fit: readonly number[]): number =>
    fit.reduce((sum, one, i) => sum + (one - values[i]!) ** 2, 0);
  const fitted = fallingFit(values);
  // The slow twin: no falling sequence of random steps comes nearer.
  for (let i = 0; i < 2_000; i++) {
    const noisy = fitted.map((one) => one + 0.1 * generator.normal());
    expect(distance(noisy.toSorted((a, b) => b - a))).toBeGreaterThanOrEqual(distance(fitted));
  }
});
