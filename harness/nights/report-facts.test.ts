import { expect, test } from '@playwright/test';
import { aNight } from '../testing/night-example.ts';
import { summariseLanes, type LaneOfNight } from './aa-lane.ts';
import { nightFacts } from './report-facts.ts';

function aLane(target: string, smallestVisible: number): LaneOfNight {
  const interval = { low: 1 - smallestVisible, high: 1 + smallestVisible, smallestVisible };
  return {
    target,
    results: [{ case: 'fib n=1', metric: 'duration', blocks: 8, ...interval, alarm: false }],
  };
}

test('a report says what could be seen tonight, and what usually, of the same case on the same target', () => {
  const tonight = aLane('one', 0.04);
  const history = summariseLanes([tonight, aLane('one', 0.02), aLane('two', 0.5)]);
  const { lane } = nightFacts(aNight({ aa: { ...tonight, history } }));
  expect(lane).toMatchObject({ targetId: 'one', nights: 3, comparisons: 3, alarms: 0 });
  expect(lane!.cases).toEqual([
    {
      ...{ caseName: 'fib n=1', metric: 'duration', blocks: 8, alarm: false },
      ...{ smallestVisible: 0.04, usually: 0.03, nights: 2 },
    },
  ]);
});

test('what the history gave is told in sentences, and nothing where there was none', () => {
  const analysis = {
    ...{ series: 9, suspects: [] },
    anomalies: [{ id: 'N1', title: 'fib is slower' }],
    unconfirmed: [{ title: 'promise is slower', reason: 'equivalent after 20 blocks' }],
    gone: [],
  };
  expect(nightFacts(aNight({ analysis })).history).toEqual({
    ...{ series: 9, gone: [], anomalies: ['N1: fib is slower'] },
    unconfirmed: ['promise is slower: equivalent after 20 blocks'],
  });
  expect(nightFacts(aNight({ analysis: null, aa: null }))).toEqual({ lane: null, history: null });
});
