/** Drifts of a history: many commits that change a measure a little. */
import { expect, test } from '@playwright/test';
import { seededGenerator } from '../../core/analysis/stats/random.ts';
import { findDrifts, type Point } from './trends.ts';

interface Asked {
  readonly seed?: number;
  readonly commits?: number;
  /** How many times slower the commit at this place is. */
  readonly ratioAt?: (place: number) => number;
  /** Of a comparison, as a share. */
  readonly noise?: number;
  readonly verdictAt?: (place: number) => string;
  readonly isApartAt?: (place: number) => boolean;
}

function aHistory({
  seed = 1,
  commits = 40,
  ratioAt = () => 1,
  noise = 0.01,
  verdictAt = () => 'undecided',
  isApartAt = () => false,
}: Asked): readonly Point[] {
  const generator = seededGenerator(seed);
  const commit = { hash: 'a'.repeat(40), branch: 'main', committedAt: '2026-01-01T00:00:00Z' };
  return Array.from({ length: commits }, (_none, place): Point => {
    const ratio = ratioAt(place) * Math.exp(noise * generator.normal());
    const end = Math.exp(1.96 * noise);
    return {
      entry: {
        format: 'crossfarm-history-1',
        measuredAt: '',
        page: 'x.html',
        pull: null,
        base: commit,
        head: commit,
        machine: '',
        rows: [],
      },
      row: {
        device: 'chromium',
        title: 'work',
        unit: 'ms',
        value: 1,
        firstValue: 1,
        blocks: 20,
        verdict: verdictAt(place),
        ratio,
        low: ratio / end,
        high: ratio * end,
      },
      level: 1,
      isApart: isApartAt(place),
    };
  });
}

test('commits that are each a little slower are named together', () => {
  // 0.8 % each, with an error of 0.6 %: none is decided by itself.
  const ratioAt = (place: number): number => (place >= 10 && place < 30 ? 1.008 : 1);
  const points = aHistory({ ratioAt, noise: 0.006 });
  const [drift, ...others] = findDrifts(points);
  expect(others).toEqual([]);
  expect(drift?.ratio).toBeGreaterThan(1.1);
  expect(drift?.from).toBeGreaterThan(4);
  expect(drift?.to).toBeLessThan(36);
});

test('two drifts in opposite directions are two', () => {
  const points = aHistory({ ratioAt: (place) => (place < 20 ? 1.01 : 0.99), noise: 0.005 });
  const ratios = findDrifts(points).map(({ ratio }) => ratio);
  expect(ratios).toEqual([expect.closeTo(1.22, 1), expect.closeTo(0.82, 1)]);
});

test('of 300 histories without a change at most 5 % name a drift', () => {
  const named = Array.from({ length: 300 }, (_none, seed) =>
    findDrifts(aHistory({ seed, noise: 0.02 })),
  ).filter(({ length }) => length > 0);
  expect(named.length).toBeLessThanOrEqual(15);
});

test('a drift ends at a commit that is decided, and at one that was not measured', () => {
  const slow = { ratioAt: () => 1.01, noise: 0.002 };
  const crosses = (points: readonly Point[]): boolean =>
    findDrifts(points).some(({ from, to }) => from < 20 && to >= 20);
  expect(crosses(aHistory(slow))).toBe(true);
  expect(crosses(aHistory({ ...slow, isApartAt: (place) => place === 20 }))).toBe(false);
  const decided = aHistory({ ...slow, verdictAt: (place) => (place === 20 ? 'slower' : 'same') });
  expect(crosses(decided)).toBe(false);
  expect(findDrifts(decided)).toHaveLength(2);
});

test('rows without an interval name nothing', () => {
  const points = aHistory({}).map((point) => ({
    ...point,
    row: { ...point.row, ratio: null, low: null, high: null },
  }));
  expect(findDrifts(points)).toEqual([]);
  expect(findDrifts([])).toEqual([]);
});
