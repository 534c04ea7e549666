import { expect, test } from '@playwright/test';
import { findChangePoints, shortestSegment } from './change-points.ts';
import { bestEnergySplit } from './energy-split.ts';
import { monteCarloP } from './monte-carlo-p.ts';
import { rateInterval } from './rate-interval.ts';
import { seededGenerator, type SeededGenerator } from './random.ts';

interface Nights {
  readonly count: number;
  readonly memory: number;
  readonly generator: SeededGenerator;
  /** Share of nights that are off by ten standard deviations. */
  readonly spikes?: number;
}

/** ln of medians that scatter by 2 %. */
function nights({ count, memory, generator, spikes = 0 }: Nights): number[] {
  let state = generator.normal();
  return Array.from({ length: count }, () => {
    state = memory * state + Math.sqrt(1 - memory ** 2) * generator.normal();
    return 0.02 * (state + (generator.uniform() < spikes ? 10 : 0));
  });
}

function shifted(values: readonly number[], from: number, ratio: number): number[] {
  return values.map((value, night) => (night >= from ? value + Math.log(ratio) : value));
}

const indicesOf = (values: readonly number[]): readonly number[] =>
  findChangePoints(values, { generator: seededGenerator(41) }).map(({ index }) => index);

for (const memory of [0, 0.5]) {
  for (const spikes of [0, 0.02]) {
    test(`A/A, 100 nights, memory ${String(memory)}, ${String(100 * spikes)} % spikes: few series are said to change`, () => {
      const generator = seededGenerator(42);
      const runs = 120;
      const flagged = Array.from({ length: runs }, () =>
        findChangePoints(nights({ count: 100, memory, generator, spikes }), { generator }),
      ).filter((found) => found.length > 0).length;
      expect(rateInterval({ count: flagged, of: runs }).rate).toBeLessThanOrEqual(0.05);
    });
  }
}

test('the check has teeth: values in random order flag far more of the same series', () => {
  const generator = seededGenerator(43);
  const strength = (values: readonly number[]): number =>
    bestEnergySplit(values, { shortest: shortestSegment })?.strength ?? 0;
  const runs = 60;
  const flagged = Array.from({ length: runs }, () => {
    const values = nights({ count: 100, memory: 0.5, generator });
    const draw = (): number => strength(generator.shuffle(values));
    return monteCarloP({ seen: strength(values), draw, mostDraws: 199 }) <= 0.05;
  }).filter(Boolean).length;
  expect(rateInterval({ count: flagged, of: runs }).low).toBeGreaterThan(0.2);
});

test('a lasting change of 5 % at 2 % noise is found, near where it was', () => {
  const generator = seededGenerator(44);
  const runs = 60;
  const found = Array.from({ length: runs }, () =>
    findChangePoints(
      shifted(nights({ count: 60, memory: 0.3, generator, spikes: 0.02 }), 30, 1.05),
      { generator },
    ),
  ).filter((points) => points.some(({ index }) => Math.abs(index - 30) <= 3)).length;
  expect(found / runs).toBeGreaterThan(0.7);
});

test('a clear change is found on its very night, and two changes are two', () => {
  const values = nights({ count: 60, memory: 0, generator: seededGenerator(45) });
  expect(indicesOf(shifted(values, 30, 1.3))).toEqual([30]);
  expect(indicesOf(shifted(shifted(values, 20, 1.3), 40, 1 / 1.3))).toEqual([20, 40]);
});

test('a single spike, and two in a row, are no change', () => {
  const values = nights({ count: 60, memory: 0, generator: seededGenerator(46) });
  const spike = (night: number): boolean => night === 30 || night === 31;
  expect(indicesOf(values.map((value, night) => (night === 30 ? value + 1 : value)))).toEqual([]);
  expect(indicesOf(values.map((value, night) => (spike(night) ? value + 1 : value)))).toEqual([]);
});

test('equal medians of a coarse clock are no change, and a granule more for good is one', () => {
  const equal = Array<number>(40).fill(Math.log(5));
  expect(indicesOf(equal)).toEqual([]);
  expect(indicesOf(shifted(equal, 20, 1.02))).toEqual([20]);
});

test('the same seed gives the same answer', () => {
  const values = shifted(
    nights({ count: 60, memory: 0.5, generator: seededGenerator(47) }),
    30,
    1.06,
  );
  const search = () => findChangePoints(values, { generator: seededGenerator(3) });
  expect(search()).toEqual(search());
});

test('fewer nights than two segments have no change, and what is no number is refused', () => {
  expect(indicesOf([1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9])).toEqual([]);
  expect(() => indicesOf([...Array<number>(20).fill(1), NaN])).toThrow(/NaN/);
});
