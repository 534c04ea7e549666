import { expect, test } from '@playwright/test';
import type { SeriesTrial, StoredSeries } from '../model/history.ts';
import { summarise } from './summary.ts';

function aSeries(trials: readonly SeriesTrial[]): StoredSeries {
  return {
    run: 1,
    runStartedAt: '2026-01-01T00:00:00.000Z',
    device: 'chromium',
    deviceName: 'Chromium',
    browser: 'chromium',
    family: 'chromium-based',
    version: '1.2.3',
    driver: 'playwright',
    os: 'linux',
    system: 'Debian GNU/Linux 12',
    cores: 2,
    emulated: false,
    benchmark: 'fib',
    benchmarkVersion: 1,
    case: 'fib n=12',
    parameters: { n: 12 },
    metric: 'duration',
    metricTitle: 'Duration',
    unit: 'ms',
    direction: 'lower',
    planned: trials.length,
    trials,
  };
}

const counted = (value: number): SeriesTrial => ({
  outcome: 'completed',
  block: 0,
  isRepeat: false,
  quarantine: [],
  value,
});

const quarantined = (value: number): SeriesTrial => ({
  ...counted(value),
  quarantine: ['it was busy'],
});

const failed: SeriesTrial = { ...counted(0), outcome: 'failed', value: null };

test('counts each trial once', () => {
  const summary = summarise(aSeries([counted(2), counted(4), counted(9)]));
  expect(summary.trials).toBe(3);
  expect(summary.statistics).toEqual({
    mean: 5,
    median: 4,
    minimum: 2,
    maximum: 9,
    low: 2,
    high: 9,
    confidence: 0.75,
  });
});

test('reports quarantined and failed trials, and does not count them', () => {
  const summary = summarise(aSeries([counted(1), quarantined(100), failed]));
  expect(summary).toMatchObject({
    trials: 1,
    quarantined: 1,
    notCompleted: 1,
    fromQuarantined: false,
    statistics: { mean: 1, maximum: 1 },
  });
});

test('shows quarantined values, marked, if no trial counts', () => {
  const summary = summarise(aSeries([quarantined(100), failed]));
  expect(summary).toMatchObject({ fromQuarantined: true, statistics: { median: 100 } });
});

test('has no statistics, and no zero, without a value', () => {
  expect(summarise(aSeries([failed])).statistics).toBeNull();
  expect(summarise(aSeries([]))).toMatchObject({ trials: 0, statistics: null });
});
