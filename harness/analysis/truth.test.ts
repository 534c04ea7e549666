import { test, expect } from '@playwright/test';
import type { Benchmark } from '../model/case.ts';
import { aBenchmark, aFoundDevice, aJob, aRecord, aTrial } from '../testing/builders.ts';
import { describeRun } from './findings.ts';

const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };
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

test('what was recorded stands beside what is true, in the metric’s unit', () => {
  const charts = chartsOf(calibration, [1, 1000]);
  expect(charts).toHaveLength(1);
  expect(charts[0]).toMatchObject({ unit: 'ms', parameter: 'waitUs', fixed: 'place = main' });
  expect(charts[0]!.points.map((point) => [point.expected, point.recorded, point.trials])).toEqual([
    [0.001, 0.011, 1],
    [1, 0.011, 1],
  ]);
});

test('a truth that is no positive number, or in another kind of unit, gives no chart', () => {
  expect(chartsOf(calibration, ['long'])).toEqual([]);
  expect(chartsOf({ ...calibration, truth: { parameter: 'waitUs', unit: 'count' } }, [1])).toEqual(
    [],
  );
});

test('a benchmark that declares no truth gives no chart', () => {
  expect(chartsOf({ ...calibration, truth: undefined }, [1])).toEqual([]);
});
