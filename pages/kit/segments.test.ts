import { expect, test } from '@playwright/test';
import { fastestSpeed, findSegments, largestStep, tolerance } from './segments.js';

/** Park and Miller's generator, and Box and Muller's normal numbers. */
function aGenerator(seed: number) {
  let state = seed;
  const uniform = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}

const repeat = 300;

/** Share of simulated series that are cut; `level` is the speed at a share of the series. */
function shareCut(n: number, { spread, level }: { spread: number; level: (at: number) => number }) {
  const random = aGenerator(20_261_122);
  let cut = 0;
  for (let run = 0; run < repeat; run += 1) {
    const ms = Array.from({ length: n }, (_, i) => {
      const pause = random.uniform() < 0.02 ? 3 : 1;
      return level(i / n) * pause * Math.exp(spread * random.normal());
    });
    if (findSegments({ ms }).length > 1) cut += 1;
  }
  return cut / repeat;
}

for (const spread of [0.005, 0.02, 0.05, 0.13]) {
  test(`independent noise of ${String(spread * 100)} % with pauses is hardly ever cut`, () => {
    expect(shareCut(150, { spread, level: () => 5 })).toBeLessThanOrEqual(0.03);
    expect(shareCut(1_500, { spread, level: () => 5 })).toBeLessThanOrEqual(0.013);
  });
}

for (const spread of [0.005, 0.02, 0.05]) {
  test(`a step of 10 % in noise of ${String(spread * 100)} % is found`, () => {
    const level = (at: number) => (at < 0.5 ? 5.5 : 5);
    expect(shareCut(150, { spread, level })).toBeGreaterThanOrEqual(0.98);
    expect(shareCut(1_500, { spread, level })).toBeGreaterThanOrEqual(0.98);
  });
}

for (const spread of [0.01, 0.05]) {
  test(`noise of ${String(spread * 100)} % has no large step, however it is divided into bins`, () => {
    const random = aGenerator(7);
    const runs = Array.from({ length: repeat }, () =>
      largestStep({ ms: Array.from({ length: 700 }, () => Math.exp(spread * random.normal())) }),
    );
    expect(runs.filter((step) => step > 0.05).length / repeat).toBeLessThanOrEqual(0.03);
  });
}

test('finds a stretch that is 8 % slower at any start', () => {
  const random = aGenerator(11);
  const starts = Array.from({ length: 60 }, (_, i) => 300 + i);
  const found = starts.filter((start) => {
    const ms = Array.from({ length: 800 }, (_, i) => {
      const level = i >= start && i < start + 25 ? 1.08 : 1;
      return level * Math.exp(0.01 * random.normal());
    });
    return largestStep({ ms }) > 0.05;
  });
  expect(found.length / starts.length).toBeGreaterThanOrEqual(0.95);
});

test('a step is found where it is', () => {
  const ms = [...Array<number>(60).fill(5.1), ...Array<number>(90).fill(1.1)];
  expect(findSegments({ ms })).toEqual([
    { from: 0, to: 60, level: expect.closeTo(5.1) },
    { from: 60, to: 150, level: expect.closeTo(1.1) },
  ]);
});

test('ignores a step below the tolerance', () => {
  const ms = [...Array<number>(80).fill(1 + tolerance / 2), ...Array<number>(80).fill(1)];
  expect(findSegments({ ms })).toHaveLength(1);
});

test('a slow first call is its own segment, or none', () => {
  const ms = [300, ...Array<number>(100).fill(2)];
  expect(findSegments({ ms }).at(-1)?.from).toBeLessThanOrEqual(1);
});

test('segments cover the series, also where bins do not divide it', () => {
  const random = aGenerator(3);
  for (const n of [1, 2, 7, 161, 499, 3_001]) {
    const ms = Array.from(
      { length: n },
      (_, i) => (i < n / 3 ? 9 : 3) * (1 + random.uniform() / 9),
    );
    const segments = findSegments({ ms });
    expect(segments[0]?.from).toBe(0);
    expect(segments.at(-1)?.to).toBe(n);
  }
  expect(findSegments({ ms: [] })).toEqual([]);
});

test('values of zero, which a coarse clock may show, are no error', () => {
  expect(findSegments({ ms: Array<number>(50).fill(0) })).toHaveLength(1);
});

test('finds where the fastest speed began, and each return to it', () => {
  const lasting = [5, 2, 3, 2.01, 3, 2];
  const segments = lasting.map((level, i) => ({ from: 50 * i, to: 50 * (i + 1), level }));
  expect(fastestSpeed(segments)).toEqual({ from: 50, level: 2, returns: 2 });
});

test('takes three fast iterations for no speed', () => {
  const first = { from: 0, to: 3, level: 1e-6 };
  expect(fastestSpeed([first])).toBeNull();
  expect(fastestSpeed([first, { from: 3, to: 90, level: 2 }])).toMatchObject({ from: 3, level: 2 });
});
