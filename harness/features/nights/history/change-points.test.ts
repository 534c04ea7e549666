import { expect, test } from '@playwright/test';
import { bestEnergySplit, findChangePoints, shortestSegment } from './change-points.ts';
import { monteCarloP } from './nights-noise.ts';
import { seededGenerator, type SeededGenerator } from '../../../core/analysis/stats/random.ts';
import { rateInterval } from '../../../core/analysis/stats/rate-interval.ts';

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
    test(`A/A, 100 nights, memory ${String(memory)}, ${String(100 * spikes)} % spikes: few series have a change`, () => {
      const generator = seededGenerator(42);
      const runs = 120;
      const flagged = Array.from({ length: runs }, () =>
        findChangePoints(nights({ count: 100, memory, generator, spikes }), { generator }),
      ).filter((found) => found.length > 0).length;
      expect(rateInterval({ count: flagged, of: runs }).rate).toBeLessThanOrEqual(0.05);
    });
  }
}

test('the check can fail: values in random order flag far more of the same series', () => {
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

test('finds a lasting change of 5 % at 2 % noise near its night', () => {
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

test('finds a clear change at its night, and two changes as two', () => {
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

test('equal medians of a coarse clock are no change, and one lasting granule is one', () => {
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

test('finds no change in too few nights and refuses non-numbers', () => {
  expect(indicesOf([1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9])).toEqual([]);
  expect(() => indicesOf([...Array<number>(20).fill(1), NaN])).toThrow(/NaN/);
});

/** The formula as it is printed: every pair, for every split. */
function slowSplit(values: readonly number[], shortest: number) {
  const pairs = (part: readonly number[]): number =>
    part.reduce(
      (sum, x, i) => sum + part.slice(0, i).reduce((inner, y) => inner + Math.abs(x - y), 0),
      0,
    );
  let best = { index: NaN, end: NaN, strength: -Infinity };
  for (let end = 2 * shortest; end <= values.length; end += 1) {
    for (let index = shortest; index <= end - shortest; index += 1) {
      const [x, y] = [values.slice(0, index), values.slice(index, end)];
      const [m, n] = [x.length, y.length];
      const cross = x.reduce(
        (sum, a) => sum + y.reduce((inner, b) => inner + Math.abs(a - b), 0),
        0,
      );
      const energy =
        (2 * cross) / (m * n) - pairs(x) / ((m * (m - 1)) / 2) - pairs(y) / ((n * (n - 1)) / 2);
      const strength = ((m * n) / (m + n)) * energy;
      if (strength > best.strength) best = { index, end, strength };
    }
  }
  return best;
}

test('golden: two clean steps, by hand from the formula', () => {
  // Cross pairs 4 × 1, none inside: Ê = 2·4/4, Q = (2·2/4)·2.
  expect(bestEnergySplit([0, 0, 1, 1], { shortest: 2 })).toEqual({ index: 2, end: 4, strength: 2 });
  // Cross 90, inside 4 each: Ê = 2·90/9 − 4/3 − 4/3, Q = 9/6 · 52/3.
  const split = bestEnergySplit([0, 1, 2, 10, 11, 12], { shortest: 2 });
  expect(split?.index).toBe(3);
  expect(split?.strength).toBeCloseTo(26, 10);
});

test('the fast sums equal the printed formula', () => {
  const generator = seededGenerator(1);
  for (let round = 0; round < 40; round += 1) {
    const values = Array.from({ length: 4 + generator.nextInt(30) }, () => generator.normal());
    const shortest = 2 + generator.nextInt(1);
    const [fast, slow] = [bestEnergySplit(values, { shortest }), slowSplit(values, shortest)];
    expect([fast?.index, fast?.end]).toEqual([slow.index, slow.end]);
    expect(fast?.strength).toBeCloseTo(slow.strength, 9);
  }
});

test('equal values and ties are no difference', () => {
  expect(bestEnergySplit([3, 3, 3, 3, 3, 3], { shortest: 2 })?.strength).toBe(0);
});

test('no part is shorter than allowed, and too few values have no split', () => {
  expect(bestEnergySplit([0, 9, 9, 9, 9, 9, 9], { shortest: 3 })?.index).toBeGreaterThanOrEqual(3);
  expect(bestEnergySplit([0, 0, 1, 1, 1], { shortest: 3 })).toBeNull();
});

test('splits at the beginning of a level that went again', () => {
  const values = [0, 1, 0, 1, 0, 9, 10, 9, 10, 9, 0, 1, 0, 1, 0];
  expect(bestEnergySplit(values, { shortest: 3 })).toMatchObject({ index: 5, end: 10 });
});

test('only the last part may be shorter', () => {
  const values = [0, 1, 0, 1, 0, 1, 0, 1, 0, 9, 10];
  expect(bestEnergySplit(values, { shortest: 4, shortestLast: 2 })?.index).toBe(9);
  expect(bestEnergySplit(values, { shortest: 4 })?.index).toBeLessThanOrEqual(7);
});
