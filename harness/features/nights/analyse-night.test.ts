import { expect, test } from '@playwright/test';
import { anomalyQuestion } from '../../core/analysis/anomaly.ts';
import { makeNightSeries, type SearchedSeries } from './history/history.ts';
import type { Anomaly, AnomalyState } from '../../core/model/anomaly.ts';
import type { NightValue } from '../../core/model/night.ts';
import type { Decision } from '../../core/analysis/stats/verdict.ts';
import { aBenchmark, aCase, aDevice, aMeasurement } from '../../testing/builders.ts';
import { aNightValue, aSearchedSeries } from '../../testing/nights.ts';
import { analyseWith, type AnalysisMeans } from './analyse-night.ts';
import { buildNames } from '../compare/build-pair.ts';
import type { CarriedEvidence } from './same-test.ts';

const slower = { verdict: 'slower', ratio: 1.05, low: 1.03, high: 1.07, blocks: 14 } as Decision;

/** An anomaly as confirming the suspect of the builders saves it. */
function anAnomaly(state: AnomalyState = 'untriaged'): Anomaly {
  const [metric] = aBenchmark.metrics;
  if (metric === undefined) throw new Error('the benchmark of the tests has a metric');
  const names = buildNames('chromium');
  const one = aCase();
  const question = anomalyQuestion({
    pair: {
      a: { deviceId: names.after, case: one },
      b: { deviceId: names.before, case: one },
      metric,
    },
    decision: slower,
    run: 20,
    sentence: 'fib is slower',
    measurement: aMeasurement,
  });
  const build = (id: string, version: string) => ({
    device: aDevice(id),
    browser: { name: 'chromium', version },
    executable: `/opt/${version}/chrome`,
  });
  return {
    id: 'N1',
    run: 20,
    sentence: 'fib is slower',
    question: { ...question, id: 'N1', title: 'Anomaly N1' },
    targets: [build(names.after, '157.0'), build(names.before, '156.0')],
    state,
    reason: state === 'untriaged' ? null : 'because',
    createdAt: '2026-01-23T00:00:00.000Z',
    changedAt: '2026-01-23T00:00:00.000Z',
  };
}

interface AnalysisScene {
  readonly searched?: readonly SearchedSeries[];
  readonly anomalies?: readonly Anomaly[];
  readonly decision?: Decision;
  readonly carried?: CarriedEvidence;
}

async function analyse(
  { searched = [], anomalies = [], decision = slower, carried }: AnalysisScene,
  run = 23,
) {
  const closed: [string, string][] = [];
  const saved: string[] = [];
  const means: AnalysisMeans = {
    searchSeries: () => Promise.resolve(searched),
    listAnomalies: () => Promise.resolve(anomalies),
    closeAnomaly: (id, reason) => {
      closed.push([id, reason]);
      return Promise.resolve();
    },
    prepare: () =>
      Promise.resolve({
        kind: 'ready',
        ...(carried !== undefined && { carried }),
        remeasure: () =>
          Promise.resolve({
            decision,
            stopped: null,
            save: (sentence: string) => {
              saved.push(sentence);
              return Promise.resolve('N7');
            },
          }),
      }),
    now: () => 0,
  };
  const startedAt = new Date(Date.UTC(2026, 0, run)).toISOString();
  const limits = {
    run: { id: run, startedAt },
    budgetMs: 1000,
    signal: new AbortController().signal,
  };
  return { found: await analyseWith(means, limits), closed, saved };
}

test('a suspect that is confirmed is a suspect and an anomaly of the night', async () => {
  const { found } = await analyse({ searched: [aSearchedSeries()] });
  const title: unknown = expect.stringMatching(/duration .*fib .*n=12 .*chromium.* 1\.05× .*\b21$/);
  expect(found).toEqual({
    series: 1,
    suspects: [{ title, ratio: 1.05, cause: 'browser 156.0 → 157.0' }],
    anomalies: [{ id: 'N7', title }],
    unconfirmed: [],
    gone: [],
  });
});

test('one that is not confirmed is unconfirmed, with the reason', async () => {
  const decision = { ...slower, verdict: 'equivalent' } as Decision;
  const { found, saved } = await analyse({ searched: [aSearchedSeries()], decision });
  expect(found.anomalies).toEqual([]);
  expect(found.unconfirmed).toMatchObject([{ reason: expect.stringMatching(/equivalent/) }]);
  expect(saved).toEqual([]);
});

for (const state of ['untriaged', 'ignored', 'closed'] as const) {
  test(`a change that is an anomaly already (${state}) is not suspected again`, async () => {
    const { found } = await analyse({
      searched: [aSearchedSeries()],
      anomalies: [anAnomaly(state)],
    });
    expect(found.suspects).toEqual([]);
    expect(found.anomalies).toEqual([]);
  });
}

test('finds what it had confirmed before its farm died, and does not measure it again', async () => {
  // The run that confirmed it, an earlier night had begun.
  const before = { ...anAnomaly(), run: 20, createdAt: '2026-01-23T01:00:00.000Z' };
  const { found } = await analyse({ searched: [aSearchedSeries()], anomalies: [before] });
  expect(found.suspects).toEqual([]);
  expect(found.anomalies).toEqual([{ id: 'N1', title: 'fib is slower' }]);
});

test('an anomaly says when blocks of an earlier night helped to confirm it', async () => {
  const carried = { run: 19, startedAt: '2026-01-22T02:30:00.000Z', blocks: 12, alpha: 0.05 };
  const { found } = await analyse({ searched: [aSearchedSeries()], carried });
  expect(found.anomalies[0]?.title).toMatch(
    /chromium: 1\.05× since run 21; .* 12 blocks .* run 19, .* 2026-01-22$/,
  );
});

test('the same case between other builds, or another case, is another suspect', async () => {
  const searched = [
    aSearchedSeries({ versions: ['157.0', '158.0'] }),
    aSearchedSeries({ caseName: 'fib function=syncFib n=12' }),
  ];
  const { found } = await analyse({ searched, anomalies: [anAnomaly()] });
  expect(found.suspects).toHaveLength(2);
});

test('series that have no value of tonight are neither counted nor suspected', async () => {
  const { found } = await analyse({ searched: [aSearchedSeries()] }, 24);
  expect(found).toMatchObject({ series: 0, suspects: [] });
});

/** Nights at 10 with the old build, at `after` with the new one, then `now` with the newest. */
function course(after: number, now: readonly number[], newest = '158.0'): SearchedSeries {
  const levels: (readonly [number, string])[] = [
    ...Array.from({ length: 12 }, () => [10, '156.0'] as const),
    ...Array.from({ length: 6 }, () => [after, '157.0'] as const),
    ...now.map((value) => [value, newest] as const),
  ];
  const values: NightValue[] = levels.map(([median, version], night) =>
    aNightValue(night + 1, median, { version }),
  );
  const [series] = makeNightSeries(values);
  if (series === undefined) throw new Error('nights make a series');
  return { series, changes: [], suspect: null, notSearched: null };
}

const closedBy = async (searched: SearchedSeries, anomaly = anAnomaly()) =>
  (await analyse({ searched: [searched], anomalies: [anomaly] }, searched.series.nights.length))
    .closed;

test('an anomaly whose level is back with a later build is closed, and says since which', async () => {
  const searched = course(11, [10.1, 9.9, 10]);
  const { found, closed } = await analyse({ searched: [searched], anomalies: [anAnomaly()] }, 21);
  const reason = 'since chromium 158.0 it is at the level of 156.0 again (1×, 3 nights)';
  expect(closed).toEqual([['N1', reason]]);
  expect(found.gone).toEqual([{ id: 'N1', title: `fib is slower: ${reason}` }]);
});

test('it stays open while nights are too few, one of them is not back, or no later build came', async () => {
  expect(await closedBy(course(11, [10, 10]))).toEqual([]);
  expect(await closedBy(course(11, [10, 10.9, 10]))).toEqual([]);
  expect(await closedBy(course(11, [10, 10, 10], '157.0'))).toEqual([]);
});

test('an anomaly whose level is half of the way back stays open', async () => {
  expect(await closedBy(course(12, [10.6, 10.6, 10.6]))).toEqual([]);
});

test('leaves ignored and closed anomalies alone', async () => {
  const searched = course(11, [10, 10, 10]);
  for (const state of ['ignored', 'closed'] as const) {
    expect(await closedBy(searched, anAnomaly(state))).toEqual([]);
  }
  expect(await closedBy(searched, anAnomaly('reproduced'))).toHaveLength(1);
});

test('the history does not close an anomaly between two browsers', async () => {
  const other = { ...anAnomaly(), targets: [] };
  expect(await closedBy(course(11, [10, 10, 10]), other)).toEqual([]);
});
