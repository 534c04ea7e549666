import { expect, test } from '@playwright/test';
import { type SeededGenerator, seededGenerator } from '../../../core/analysis/stats/random.ts';
import { findBlame, othersKey, type ProfiledBlock, type ProfiledTrial } from './blame.ts';

/** An operation of 100 ms in 50 functions, as a sampling profiler with 4 samples a millisecond sees it. */
interface Scene {
  readonly generator: SeededGenerator;
  /** Added to the function `f7` of the later version, in milliseconds. */
  readonly addedMs: number;
}

const functions = 50;
const scaleMs = 100;

/** Self times without noise: a few long functions and many short ones. */
function trueTimes(): readonly number[] {
  const weights = Array.from({ length: functions }, (_, index) => 1 / (index + 3));
  const whole = weights.reduce((sum, one) => sum + one, 0);
  return weights.map((one) => (one * scaleMs) / whole);
}

function aTrial({ generator, addedMs }: Scene): ProfiledTrial {
  // A slow session, noise of each function, and the chance of sampling.
  const session = 1 + 0.02 * generator.normal();
  const times = trueTimes().map((ms, index) => {
    const real = (ms + (index === 7 ? addedMs : 0)) * session * (1 + 0.03 * generator.normal());
    return Math.max(0, real + Math.sqrt(Math.max(0, real) / 4) * generator.normal());
  });
  return {
    totalMs: times.reduce((sum, one) => sum + one, 0),
    selfMs: new Map(times.map((ms, index) => [`f${String(index)}`, ms])),
  };
}

function blocksOf(count: number, { generator, addedMs }: Scene): readonly ProfiledBlock[] {
  return Array.from({ length: count }, () => ({
    before: aTrial({ generator, addedMs: 0 }),
    after: aTrial({ generator, addedMs }),
  }));
}

/** The block after which something is settled, looking after each; null if nothing is. */
function firstSettled(
  blocks: readonly ProfiledBlock[],
): { readonly after: number; readonly key: string } | null {
  for (let after = 6; after <= blocks.length; after += 1) {
    const [first] = findBlame(blocks.slice(0, after), { scaleMs }).rows;
    if (first?.isSettled === true) return { after, key: first.key };
  }
  return null;
}

test('blames nothing in 200 equal pairs, whenever one stops, but for one in twenty', () => {
  const generator = seededGenerator(1);
  const alarms = Array.from({ length: 200 }, () =>
    firstSettled(blocksOf(20, { generator, addedMs: 0 })),
  ).filter((one) => one !== null);
  expect(alarms.length).toBeLessThanOrEqual(10);
});

test('finds a step of 10 % in one of 50 functions first, in some 12 blocks', () => {
  const generator = seededGenerator(2);
  const found = Array.from({ length: 100 }, () =>
    firstSettled(blocksOf(24, { generator, addedMs: 10 })),
  );
  const right = found.filter((one) => one?.key === 'f7');
  expect(right.length).toBeGreaterThanOrEqual(95);
  const needed = right.map((one) => one?.after ?? Infinity).sort((a, b) => a - b);
  expect(needed[50]).toBeLessThanOrEqual(13);
});

test('an interval of what it blames holds the true change', () => {
  const generator = seededGenerator(3);
  const rows = Array.from({ length: 60 }, () => {
    const [first] = findBlame(blocksOf(14, { generator, addedMs: 10 }), { scaleMs }).rows;
    return first;
  }).filter((one) => one?.isSettled === true);
  const holding = rows.filter((one) => (one?.low ?? 0) <= 10 && (one?.high ?? 0) >= 10);
  expect(rows.length).toBeGreaterThan(50);
  expect(holding.length / rows.length).toBeGreaterThan(0.95);
});

function exactBlocks(
  count: number,
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): readonly ProfiledBlock[] {
  const trial = (times: Readonly<Record<string, number>>): ProfiledTrial => ({
    totalMs: Object.values(times).reduce((sum, one) => sum + one, 0),
    selfMs: new Map(Object.entries(times)),
  });
  return Array.from({ length: count }, () => ({ before: trial(before), after: trial(after) }));
}

test('gives the change in milliseconds and its share of the whole difference', () => {
  const blocks = exactBlocks(8, { parse: 10, draw: 90 }, { parse: 18, draw: 93 });
  const { rows, total } = findBlame(blocks, { scaleMs });
  expect(total.changeMs).toBeCloseTo(11);
  expect(rows.map(({ key, changeMs }) => [key, Math.round(changeMs)])).toEqual([
    ['parse', 8],
    ['draw', 3],
  ]);
  expect(rows[0]?.share).toBeCloseTo(8 / 11);
});

test('gives no share while the whole difference is not decided', () => {
  const blocks = exactBlocks(8, { parse: 10, draw: 90 }, { parse: 18, draw: 82 });
  const { rows } = findBlame(blocks, { scaleMs });
  expect(rows.every(({ isSettled }) => isSettled)).toBe(true);
  expect(rows.every(({ share }) => share === null)).toBe(true);
});

test('takes a function that was not there before', () => {
  const blocks = exactBlocks(8, { draw: 90 }, { draw: 90, parse: 12 });
  const [first] = findBlame(blocks, { scaleMs }).rows;
  expect(first).toMatchObject({ key: 'parse', beforeMs: 0, afterMs: 12, isSettled: true });
});

test('adds up what is too short to be told apart', () => {
  const short = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`s${String(at)}`, 0.1]));
  const longer = Object.fromEntries(Object.keys(short).map((key) => [key, 0.12]));
  const { rows, shortFunctions } = findBlame(
    exactBlocks(8, { draw: 70, ...short }, { draw: 70, ...longer }),
    { scaleMs },
  );
  expect(shortFunctions).toBe(300);
  expect(rows[0]).toMatchObject({ key: othersKey, isSettled: true });
  expect(rows[0]?.changeMs).toBeCloseTo(6);
});
