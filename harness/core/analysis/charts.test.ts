import { test, expect } from '@playwright/test';
import type { Benchmark } from '../model/case.ts';
import { aBenchmark, aFoundDevice, aJob, aRecord, aTrial } from '../../testing/builders.ts';
import { fitCurves } from './charts.ts';
import { describeRun } from './findings.ts';

const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };

const at = (targetId: string, by: string, x: number, y: number) => ({
  targetId,
  by,
  x,
  y,
  low: y,
  high: y,
});
const phi = (1 + Math.sqrt(5)) / 2;

test('fits the growth per step of each curve of three points', () => {
  const fits = fitCurves([
    ...[20, 23, 26].map((n) => at('one', 'syncFib', n, phi ** n)),
    ...[20, 23, 26].map((n) => at('two', 'syncFib', n, 2 ** n)),
  ]);
  expect(fits.map(({ targetId, by, points }) => [targetId, by, points])).toEqual([
    ['one', 'syncFib', 3],
    ['two', 'syncFib', 3],
  ]);
  expect(fits[0]!.perStep).toBeCloseTo(phi, 9);
  expect(fits[1]!.perStep).toBeCloseTo(2, 9);
});

test('fits no curve to two points, or three with a non-positive one', () => {
  expect(fitCurves([1, 2].map((n) => at('one', 'f', n, n)))).toEqual([]);
  expect(fitCurves([0, 1, 2].map((n) => at('one', 'f', n, n)))).toEqual([]);
  expect(fitCurves([1, 1, 2].map((n) => at('one', 'f', n, n)))).toEqual([]);
});

const hashing: Benchmark = {
  ...aBenchmark,
  id: 'hashing',
  title: 'Hashing',
  parameters: [
    { kind: 'integer', name: 'calls', minimum: 1, maximum: 1_000_000, default: 1 },
    { kind: 'integer', name: 'threads', minimum: 0, maximum: 8, default: 0 },
    { kind: 'choice', name: 'run', values: ['warm', 'first'], default: 'warm' },
  ],
  growth: undefined,
  crossover: { over: 'calls', by: 'threads', base: 0 },
};

interface Cell {
  readonly calls: number;
  readonly threads: number;
  readonly block?: number;
  readonly run?: string;
  readonly ms?: number;
  readonly deviceId?: string;
}

function aCell({ calls, threads, block = 0, run = 'warm', ms, deviceId = 'one' }: Cell) {
  const cost = threads === 0 ? { fixed: 0, each: 1 } : { fixed: 90, each: 0.1 };
  const parameters = { calls, threads, run };
  return aTrial(aJob({ block, deviceId, case: { benchmark: hashing, parameters } }), [
    ms ?? cost.fixed + cost.each * calls,
  ]);
}

function crossoverOf(cells: readonly Cell[]) {
  const record = aRecord([aFoundDevice('one'), aFoundDevice('two')], cells.map(aCell));
  return describeRun(record, writing).crossover;
}

const grid = (calls: readonly number[], threads: readonly number[], more: Partial<Cell> = {}) =>
  calls.flatMap((one) => threads.map((count) => ({ calls: one, threads: count, ...more })));

test('makes a crossover for each value, target and other parameter', () => {
  const [warm, first, ...others] = crossoverOf([
    ...grid([10, 1000], [0, 2, 4]),
    ...grid([10, 1000], [0, 2], { deviceId: 'two' }),
    ...grid([10, 1000], [0, 2], { run: 'first' }),
  ]);
  expect(others).toEqual([]);
  expect(warm).toMatchObject({
    title: 'Hashing',
    metric: 'Duration',
    over: 'calls',
    by: 'threads',
    base: '0',
    fixed: 'run = warm',
  });
  expect(warm?.crossings.map(({ targetId, by }) => [targetId, by])).toEqual([
    ['one', '2'],
    ['one', '4'],
    ['two', '2'],
  ]);
  expect(warm?.crossings[0]).toMatchObject({ blocks: 1, smallest: 10, largest: 1000 });
  expect(warm?.crossings[0]?.at).toBeCloseTo(100, 9);
  expect(warm?.points[0]).toEqual({ targetId: 'one', by: '2', x: 10, y: 9.1, low: 9.1, high: 9.1 });
  expect(first).toMatchObject({ fixed: 'run = first' });
});

test('gives no number outside the measured amounts', () => {
  const [chart] = crossoverOf([
    ...grid([200, 1000], [0, 2]),
    ...grid([200], [4]),
    ...grid([1000], [4]),
  ]);
  expect(chart?.crossings.map(({ at }) => at)).toEqual(['always', 'always']);
  const [early] = crossoverOf(grid([10, 20], [0, 2]));
  expect(early?.crossings.map(({ at, low, high }) => [at, low, high])).toEqual([
    ['never', 'never', 'never'],
  ]);
});

test('leaves out blocks without a trial and amounts that one side lacks', () => {
  const [chart] = crossoverOf([
    ...grid([10, 1000], [0, 2]),
    ...grid([10, 1000], [0], { block: 1 }),
    ...grid([10], [2], { block: 1 }),
    ...grid([5000], [0]),
  ]);
  expect(chart?.crossings).toMatchObject([{ blocks: 1, largest: 1000 }]);
  expect(chart?.points.map(({ x }) => x)).toEqual([10, 1000]);
});

test('makes no crossover of one amount, or without the base', () => {
  expect(crossoverOf(grid([10], [0, 2]))).toEqual([]);
  expect(crossoverOf(grid([10, 1000], [2, 4]))).toEqual([]);
});

const place = {
  kind: 'choice',
  name: 'place',
  values: ['worker', 'main'],
  default: 'worker',
} as const;
const calibration: Benchmark = {
  ...aBenchmark,
  id: 'calibrate',
  title: 'Calibration',
  parameters: [{ kind: 'choice', name: 'waitUs', values: [1, 1000], default: 1 }, place],
  growth: undefined,
  truth: { parameter: 'waitUs', unit: 'µs' },
};

function chartsOf(benchmark: Benchmark, waits: readonly (number | string)[]) {
  const trials = waits.map((waitUs) =>
    aTrial(
      aJob({ deviceId: 'one', case: { benchmark, parameters: { waitUs, place: 'main' } } }),
      [0.011],
    ),
  );
  return describeRun(aRecord([aFoundDevice('one')], trials), writing).truth;
}

test('shows recorded and true values in the metric’s unit', () => {
  const charts = chartsOf(calibration, [1, 1000]);
  expect(charts).toHaveLength(1);
  expect(charts[0]).toMatchObject({ unit: 'ms', parameter: 'waitUs', fixed: 'place = main' });
  expect(charts[0]!.points.map((point) => [point.expected, point.recorded, point.trials])).toEqual([
    [0.001, 0.011, 1],
    [1, 0.011, 1],
  ]);
});

test('makes no chart of a non-positive truth or one in another unit', () => {
  expect(chartsOf(calibration, ['long'])).toEqual([]);
  expect(chartsOf({ ...calibration, truth: { parameter: 'waitUs', unit: 'count' } }, [1])).toEqual(
    [],
  );
});

test('makes no chart for a benchmark without a truth', () => {
  expect(chartsOf({ ...calibration, truth: undefined }, [1])).toEqual([]);
});
