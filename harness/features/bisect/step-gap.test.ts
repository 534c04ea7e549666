import { expect, test } from '@playwright/test';
import { seededGenerator } from '../../core/analysis/stats/random.ts';
import { searchPlace } from './search.ts';
import { type BlockTimes, findGap } from './step-gap.ts';

/** A history of 64 commits, and what its trials would take. */
interface History {
  /** Ratio of the time of a commit to that of the first. */
  readonly ratioOf: (commit: number) => number;
  /** Standard deviation of one trial, as a share. */
  readonly noise: number;
  /** Of it, what a trial shares with the one before it. */
  readonly memory?: number;
  /** A share of the trials takes twice the time. */
  readonly wild?: number;
  readonly broken?: ReadonlySet<number>;
}

interface Found {
  readonly before: number;
  readonly after: number;
  readonly rounds: number;
  readonly trials: number;
}

const commits = 65;
const mostBlocks = 60;

async function search(history: History, seed: number, alpha = 0.01): Promise<Found> {
  const { ratioOf, noise, memory = 0, wild = 0, broken = new Set() } = history;
  const generator = seededGenerator(seed);
  let [last, rounds, trials] = [0, 0, 0];
  const timeOf = (commit: number): number => {
    last = memory * last + Math.sqrt(1 - memory ** 2) * generator.normal();
    trials += 1;
    const isWild = generator.uniform() < wild;
    return Math.log(ratioOf(commit) * (isWild ? 2 : 1)) + noise * last;
  };
  const block = (places: readonly number[]): BlockTimes => {
    const order = generator.shuffle(places);
    const times = new Map(order.map((commit) => [commit, timeOf(commit)]));
    return places.map((commit) => times.get(commit) ?? null);
  };
  const { before, after } = await searchPlace({
    count: commits,
    atOnce: 7,
    measure: (points, ends) => {
      const unusable = points.filter((point) => broken.has(point));
      if (unusable.length > 0) {
        const why = new Map(unusable.map((point) => [point, 'broken']));
        return Promise.resolve({ kind: 'unusable', why });
      }
      rounds += 1;
      const places = [ends.first, ...points, ends.last];
      const step = Math.log(ratioOf(ends.last) / ratioOf(ends.first));
      const blocks: BlockTimes[] = [];
      for (;;) {
        blocks.push(block(places));
        const gap = findGap(blocks, { commits: places.length, step, alpha });
        if (gap.last > gap.first + 1 && blocks.length < mostBlocks) continue;
        const [first = 0, end = 0] = [places[gap.first], places[gap.last]];
        return Promise.resolve({ kind: 'narrowed', first, last: end });
      }
    },
  });
  return { before, after, rounds, trials };
}

const cases = 40;

async function searchAll(
  historyOf: (step: number, seed: number) => History,
): Promise<{ readonly right: number; readonly trials: number; readonly rounds: number }> {
  let [right, trials, rounds] = [0, 0, 0];
  for (let seed = 1; seed <= cases; seed += 1) {
    const step = 1 + seededGenerator(seed).nextInt(commits - 1);
    const history = historyOf(step, seed);
    const found = await search(history, seed);
    const isStep = Math.log(history.ratioOf(found.after) / history.ratioOf(found.before)) !== 0;
    const { broken = new Set() } = history;
    const isNarrow = Array.from(
      { length: found.after - found.before - 1 },
      (_, index) => found.before + 1 + index,
    ).every((one) => broken.has(one));
    if (isStep && isNarrow) right += 1;
    trials += found.trials;
    rounds = Math.max(rounds, found.rounds);
  }
  return { right, trials: trials / cases, rounds };
}

const oneStep =
  (step: number, size = 1.1) =>
  (commit: number): number =>
    commit >= step ? size : 1;

for (const [what, historyOf, mostTrials] of [
  ['noise of 1 %', (step) => ({ ratioOf: oneStep(step), noise: 0.01 }), 80],
  ['noise of 3 %', (step) => ({ ratioOf: oneStep(step), noise: 0.03 }), 160],
  ['noise of 6 %', (step) => ({ ratioOf: oneStep(step), noise: 0.06 }), 450],
  ['noise that lasts', (step) => ({ ratioOf: oneStep(step), noise: 0.03, memory: 0.8 }), 140],
  ['trials of twice the time', (step) => ({ ratioOf: oneStep(step), noise: 0.01, wild: 0.1 }), 200],
  ['a faster commit', (step) => ({ ratioOf: oneStep(step, 0.9), noise: 0.02 }), 110],
  [
    'another step',
    (step, seed) => ({
      ratioOf: (commit: number) =>
        oneStep(step)(commit) * oneStep(1 + ((step + 7 * seed) % 64))(commit),
      noise: 0.02,
    }),
    170,
  ],
  [
    'commits that are broken',
    (step) => ({
      ratioOf: oneStep(step),
      noise: 0.02,
      broken: new Set([step - 2, step + 1, 8, 32].filter((one) => one > 0 && one < 64)),
    }),
    170,
  ],
] as readonly (readonly [string, (step: number, seed: number) => History, number])[]) {
  test(`finds the step among 64 commits in 19 of 20 searches: ${what}`, async () => {
    const { right, trials, rounds } = await searchAll(historyOf);

    expect(right).toBeGreaterThanOrEqual(0.95 * cases);
    expect(rounds).toBeLessThanOrEqual(3);
    expect(trials).toBeLessThanOrEqual(mostTrials);
  });
}

test('rules the true gap out no more often than its error rate, at any look', () => {
  let wrong = 0;
  for (let seed = 1; seed <= 100; seed += 1) {
    const generator = seededGenerator(seed);
    const blocks: BlockTimes[] = [];
    for (let block = 0; block < 20; block += 1) {
      blocks.push([0, 0, 0.1, 0.1, 0.1].map((time) => time + 0.1 * generator.normal()));
      const { first, last } = findGap(blocks, { commits: 5, step: 0.1, alpha: 0.05 });
      if (first <= 1 && last >= 2) continue;
      wrong += 1;
      break;
    }
  }
  expect(wrong).toBeLessThanOrEqual(0.05 * 100);
});

test('keeps every gap open without a block, and those beside a commit without a time', () => {
  expect(findGap([], { commits: 4, step: 0.1, alpha: 0.01 })).toEqual({ first: 0, last: 3 });
  const blocks = Array.from({ length: 20 }, () => [0, 0, null, 0.1, 0.1]);
  expect(findGap(blocks, { commits: 5, step: 0.1, alpha: 0.01 })).toEqual({ first: 1, last: 3 });
});
