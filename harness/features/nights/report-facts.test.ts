import { expect, test } from '@playwright/test';
import { aDevice, anAnomaly } from '../../testing/builders.ts';
import { aNight } from '../../testing/nights.ts';
import { summariseLanes, type LaneOfNight } from './aa-lane.ts';
import { nightFacts } from './changes.ts';

const alone = { earlier: [], anomalies: [], numbers: null };

function aLane(target: string, smallestVisible: number): LaneOfNight {
  const interval = { low: 1 - smallestVisible, high: 1 + smallestVisible, smallestVisible };
  return {
    target,
    results: [{ case: 'fib n=1', metric: 'duration', blocks: 8, ...interval, alarm: false }],
  };
}

test('gives the smallest visible effect of tonight and of usual nights, for the same case and target', () => {
  const tonight = aLane('one', 0.04);
  const history = summariseLanes([tonight, aLane('one', 0.02), aLane('two', 0.5)]);
  const { lane } = nightFacts(aNight({ aa: { ...tonight, history } }), alone);
  expect(lane).toMatchObject({ targetId: 'one', nights: 3, comparisons: 3, alarms: 0 });
  expect(lane!.cases).toEqual([
    {
      caseName: 'fib n=1',
      metric: 'duration',
      blocks: 8,
      alarm: false,
      smallestVisible: 0.04,
      usually: 0.03,
      nights: 2,
    },
  ]);
});

test('the history is reported in sentences, and nothing without one', () => {
  const analysis = {
    series: 9,
    suspects: [],
    anomalies: [{ id: 'N1', title: 'fib is slower' }],
    unconfirmed: [{ title: 'promise is slower', reason: 'equivalent after 20 blocks' }],
    gone: [],
  };
  expect(nightFacts(aNight({ analysis }), alone).history).toEqual({
    series: 9,
    gone: [],
    anomalies: ['N1: fib is slower'],
    unconfirmed: ['promise is slower: equivalent after 20 blocks'],
  });
  const bare = nightFacts(aNight({ analysis: null, aa: null }), alone);
  expect(bare).toMatchObject({ lane: null, history: null, changes: null });
});

const device = (version: string | null, because: string | null = null) => ({
  id: 'firefox',
  browser: version === null ? null : 'firefox',
  version,
  because,
  state: version === null ? ('missing' as const) : ('found' as const),
  tried: 0,
  counting: 0,
});

test('a report says what changed since the night before, and which builds it was measured on', () => {
  const before = aNight({ devices: [device('152.0')] });
  const { changes, devices } = nightFacts(aNight({ devices: [device('153.0')] }), {
    ...alone,
    earlier: [before],
  });
  expect(changes).toEqual([]);
  expect(devices).toEqual([
    {
      targetId: 'firefox',
      state: 'found',
      because: null,
      build: 'firefox 153.0',
      before: 'firefox 152.0',
    },
  ]);
  const lost = nightFacts(aNight({ devices: [device(null, 'it is not installed')] }), {
    ...alone,
    earlier: [before],
  });
  expect(lost.changes).toEqual([expect.stringMatching(/^firefox .*lost.*not installed$/)]);
  expect(lost.devices[0]).toMatchObject({ build: null, before: 'firefox 152.0' });
});

test('cells without an outcome are in the ledger, and anomalies with their state, the newest first', () => {
  const older = anAnomaly({ id: 'N1', createdAt: '2026-11-01T00:00:00.000Z', state: 'closed' });
  const newer = anAnomaly({ id: 'N2', createdAt: '2026-11-20T00:00:00.000Z' });
  const { ledger, anomalies } = nightFacts(aNight(), { ...alone, anomalies: [older, newer] });
  expect(ledger).toMatchObject({ planned: 4, completed: 4, withoutOutcome: 0 });
  expect(anomalies.map(({ id, state }) => [id, state])).toEqual([
    ['N2', newer.state],
    ['N1', 'closed'],
  ]);
  expect(anomalies[0]!.command).toBe('npx crossfarm findings reproduce N2');
});

test('an anomaly between two builds names its series and both builds', () => {
  const { question, ...anomaly } = anAnomaly({
    targets: [aBuild('chromium@after', '157.0'), aBuild('chromium@before', '156.0')],
  });
  const [ratio] = question.assertions;
  if (ratio?.kind !== 'ratio') throw new TypeError('the question is one of a ratio');
  const sides = {
    a: { ...ratio.a, deviceId: 'chromium@after' },
    b: { ...ratio.b, deviceId: 'chromium@before' },
  };
  const asked = { ...question, assertions: [{ ...ratio, ...sides }] };
  const { anomalies } = nightFacts(aNight(), {
    ...alone,
    anomalies: [{ ...anomaly, question: asked }],
  });
  expect(anomalies[0]!.series).toMatchObject({
    targetId: 'chromium',
    metric: 'duration',
    builds: { before: '156.0', after: '157.0' },
  });
});

function aBuild(id: string, version: string) {
  const browser = { name: 'chromium', version };
  return { device: aDevice(id), browser, executable: `/opt/${version}` };
}
