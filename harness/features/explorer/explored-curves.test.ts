import { expect, test } from '@playwright/test';
import type { FilterValues, Summary } from '../../core/model/history.ts';
import type { ExploreView } from '../../core/server/api/explore-view.ts';
import { placePoints, withCurves } from './explored-curves.ts';

const benchmark = { benchmark: 'fib', growthOver: 'n' } as FilterValues['benchmarks'][number];

const view: ExploreView = {
  filter: { benchmark: 'fib' },
  statistic: 'median',
  average: 'all',
  together: false,
  scale: 'log',
  largest: null,
  parameters: {},
  width: 420,
};

function aSummary(device: string, n: number, median: number): Summary {
  const range = { low: median, high: median, minimum: median, maximum: median };
  const statistics = { ...range, median, mean: median, confidence: 0.95 };
  const place = { run: 1, device, deviceName: device, benchmarkVersion: 1, version: null };
  const parameters = { function: 'syncFib', n };
  return {
    ...place,
    case: `fib n=${String(n)}`,
    parameters,
    trials: 3,
    statistics,
  } as Partial<Summary> as Summary;
}

function draw(summaries: readonly Summary[]): readonly (readonly [unknown, number])[] {
  return placePoints(summaries, view, benchmark).map(({ summary, value }) => [
    summary.parameters['n'],
    value,
  ]);
}

test('a mean has the same browsers along its curve', () => {
  const both = [1, 2, 3].flatMap((n) => [aSummary('a', n, 2), aSummary('b', n, 4)]);
  // Ten times slower, and known at one place alone: it may not lift the curve there.
  expect(draw([...both, aSummary('slow', 2, 30)])).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
  expect(placePoints([...both, aSummary('slow', 2, 30)], view, benchmark)[0]!.label).toBe(
    'all browsers: a, b',
  );
});

test('a mean has no point where one of its browsers has no value', () => {
  const a = [1, 2, 3, 4].map((n) => aSummary('a', n, 2));
  const b = [1, 2, 4].map((n) => aSummary('b', n, 4));
  expect(draw([...a, ...b]).map(([n]) => n)).toEqual([1, 2, 4]);
});

test('cases with one value of the parameter are rows, not curves of one point', () => {
  const one = [aSummary('a', 1, 2), aSummary('b', 1, 3)];
  expect(withCurves(one, benchmark).growthOver).toBeNull();
  expect(withCurves([...one, aSummary('a', 2, 2)], benchmark).growthOver).toBe('n');
});
