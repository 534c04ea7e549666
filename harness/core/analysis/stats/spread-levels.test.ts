import { mean } from 'simple-statistics';
import { expect, test } from '@playwright/test';
import { seededGenerator, type SeededGenerator } from './random.ts';
import { bestSharedWindow, bestWindow, spreadLevels } from './spread-levels.ts';

interface SeriesOptions {
  readonly sessions: number;
  readonly stretches: number;
  readonly iterations: number;
  /** Standard deviations of the levels. */
  readonly sd: {
    readonly sessions: number;
    readonly stretches: number;
    readonly iterations: number;
  };
}

function simulate(generator: SeededGenerator, { sd, ...count }: SeriesOptions): number[][][] {
  return Array.from({ length: count.sessions }, () => {
    const session = sd.sessions * generator.normal();
    return Array.from({ length: count.stretches }, () => {
      const stretch = session + sd.stretches * generator.normal();
      return Array.from(
        { length: count.iterations },
        () => stretch + sd.iterations * generator.normal(),
      );
    });
  });
}

test('golden: a table that can be checked by hand', () => {
  const spread = spreadLevels([
    [
      [1, 3],
      [5, 7],
    ],
    [
      [11, 13],
      [11, 13],
    ],
  ]);
  // Inside a stretch 2; of its means 8 and 0, so 4; of the sessions' means, 4 and 12, it is 32.
  expect(spread).toEqual({ iterations: 2, stretches: 3, sessions: 30, stretchMeans: 4 });
});

test('finds the components that the values were made with', () => {
  const sd = { sessions: 0.05, stretches: 0.02, iterations: 0.1 };
  const made = simulate(seededGenerator(3), { sessions: 400, stretches: 10, iterations: 50, sd });
  const spread = spreadLevels(made);
  expect(Math.sqrt(spread.iterations)).toBeCloseTo(0.1, 2);
  expect(Math.sqrt(spread.stretches)).toBeCloseTo(0.02, 2);
  expect(Math.sqrt(spread.sessions)).toBeCloseTo(0.05, 2);
});

test('no component is below 0', () => {
  const alike = [
    [
      [0, 9],
      [0, 9],
    ],
    [
      [9, 0],
      [9, 0],
    ],
  ];
  expect(spreadLevels(alike)).toMatchObject({ stretches: 0, sessions: 0, stretchMeans: 0 });
});

test('refuses a level with one value', () => {
  expect(() =>
    spreadLevels([
      [
        [1, 2],
        [1, 2],
      ],
    ]),
  ).toThrow(/only one session/);
  expect(() => spreadLevels([[[1, 2]], [[1, 2]]])).toThrow(/only one stretch/);
  expect(() => spreadLevels([])).toThrow(/no session/);
});

test('the best window is that of the formula, and no shorter than a stretch', () => {
  const spread = { stretchMeans: 0.01, sessions: 0.0025 };
  expect(bestWindow({ stretch: 100, session: 3600, spread })).toBeCloseTo(1200);
  expect(bestWindow({ stretch: 100, session: 1, spread })).toBe(100);
  const alone = { stretchMeans: 0.01, sessions: 0 };
  expect(bestWindow({ stretch: 100, session: 1, spread: alone })).toBe(Infinity);
  expect(bestWindow({ stretch: 100, session: 1, spread: { stretchMeans: 0, sessions: 0 } })).toBe(
    100,
  );
});

test('no other window has a smaller error in a given time', () => {
  const sd = { sessions: 0.03, stretches: 0.06, iterations: 0 };
  const [stretch, session] = [100, 400];
  const errorOf = (stretches: number): number => {
    const generator = seededGenerator(stretches);
    const sessions = Math.round(100_000 / (session + stretches * stretch));
    const runs = Array.from({ length: 400 }, () =>
      mean(simulate(generator, { sessions, stretches, iterations: 1, sd }).flat(2)),
    );
    return Math.sqrt(mean(runs.map((one) => one * one)));
  };
  const best = bestWindow({
    stretch,
    session,
    spread: { stretchMeans: sd.stretches ** 2, sessions: sd.sessions ** 2 },
  });
  expect(best).toBeCloseTo(400);
  expect(errorOf(4)).toBeLessThan(errorOf(1));
  expect(errorOf(4)).toBeLessThan(errorOf(30));
});

test("takes the block's window for two devices, and either's when alike", () => {
  const side = { stretch: 100, session: 3600, spread: { stretchMeans: 0.01, sessions: 0.0025 } };
  expect(bestSharedWindow([side])).toBeCloseTo(1200);
  expect(bestSharedWindow([side, side])).toBeCloseTo(1200);
  // √(mean session 2000 · (100 · 0.01 + 50 · 0.02) / (0.0025 + 0.0075))
  const other = { stretch: 50, session: 400, spread: { stretchMeans: 0.02, sessions: 0.0075 } };
  expect(bestSharedWindow([side, other])).toBeCloseTo(Math.sqrt((2000 * 2) / 0.01));
});

test('a side with equal sessions does not ask for an infinite window', () => {
  const alike = { stretch: 100, session: 3600, spread: { stretchMeans: 0.0001, sessions: 0 } };
  const other = { stretch: 100, session: 3600, spread: { stretchMeans: 0.01, sessions: 0.01 } };
  expect(bestWindow(alike)).toBe(Infinity);
  expect(bestSharedWindow([alike, other])).toBeLessThan(1.01 * bestWindow(other));
  expect(bestSharedWindow([alike, alike])).toBe(Infinity);
});
