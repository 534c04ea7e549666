import { expect, test } from '@playwright/test';
import type { Trial } from '../../../core/model/trial.ts';
import {
  aCase,
  aCompletion,
  aFoundDevice,
  aJob,
  aQuarantinedTrial,
  aRecord,
  aResult,
  aSteadyState,
  aTrial,
} from '../../../testing/builders.ts';
import { rebuildCharts } from './charts.ts';

const devices = [
  aFoundDevice('chromium', { browser: 'chromium' }),
  aFoundDevice('firefox', { browser: 'firefox' }),
];

/** Trials whose first call took `firstMs`, and all others 1 ms. */
function firstCalls(deviceId: string, fn: string, byN: Readonly<Record<number, number>>): Trial[] {
  return Object.entries(byN).map(([n, firstMs], ordinal) => {
    const result = aResult([1], { steadyState: aSteadyState({ firstMs }) });
    const job = aJob({ deviceId, case: aCase(Number(n), fn), ordinal });
    return aTrial(job, aCompletion({ result }));
  });
}

const curvesOf = (id: string, trials: readonly Trial[]) => {
  const chart = rebuildCharts(aRecord(devices, trials)).find((one) => one.id === id);
  return chart?.kind === 'curves' ? chart.curves : null;
};

const calls = { 1: 1, 10: 10, 15: 30, 20: 100, 26: 1000, 30: 5000 };

test('draws the single calls of each function and browser, and their mean over browsers where all have one', () => {
  const trials = [
    ...firstCalls('chromium', 'asyncFib', calls),
    ...firstCalls('firefox', 'asyncFib', { ...calls, 20: 300, 30: 9000 }),
    ...firstCalls('chromium', 'syncFib', { 20: 1, 26: 2, 45: 7000 }),
  ];
  const both = curvesOf('a3-sync-and-async', trials);
  expect(both?.map(({ label }) => label)).toEqual([
    'syncFib, chromium',
    'syncFib, firefox',
    'asyncFib, chromium',
    'asyncFib, firefox',
  ]);
  expect(both?.[3]?.points.map(({ x, value }) => [x, value])).toEqual([
    [1, 1],
    [10, 10],
    [15, 30],
    [20, 300],
    [26, 1000],
    [30, 9000],
  ]);
  const together = curvesOf('a1-sync-and-async', trials)?.[1];
  expect(together?.points.map(({ x, value }) => [x, value])).toEqual([
    [1, 1],
    [10, 10],
    [15, 30],
    [20, 200],
    [26, 1000],
  ]);
});

test('draws no chart of a run that has only some points of it, nor of trials that do not count', () => {
  expect(rebuildCharts(aRecord(devices, firstCalls('chromium', 'asyncFib', { 14: 1 })))).toEqual(
    [],
  );
  const quarantined = Object.keys(calls).map((n) =>
    aQuarantinedTrial(aJob({ deviceId: 'chromium', case: aCase(Number(n), 'asyncFib') }), [1]),
  );
  expect(rebuildCharts(aRecord(devices, quarantined))).toEqual([]);
});

test('draws the cores of the calls that the source shows and the run has', () => {
  const trials = firstCalls('firefox', 'asyncBusyFib', { 13: 20_000 });
  const charts = rebuildCharts(aRecord(devices, trials));
  expect(charts).toMatchObject([
    { id: 'a5-cores', calls: [{ label: 'asyncBusyFib(13), firefox', targetId: 'firefox' }] },
  ]);
});
