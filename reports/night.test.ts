import { expect, test } from '@playwright/test';
import { renderComparison } from './comparison.ts';
import type { LaneFacts, NightFacts } from './findings.ts';
import { anExample } from './golden/example.ts';
import { wordsOf } from './golden/words.ts';

const lane: LaneFacts = {
  targetId: anExample().targets[0]!.id,
  cases: [
    {
      ...{ caseName: 'fib n=20', metric: 'duration', blocks: 8, alarm: false },
      ...{ smallestVisible: 0.034, usually: 0.05, nights: 3 },
    },
    {
      ...{ caseName: 'control', metric: 'duration', blocks: 3, alarm: true },
      ...{ smallestVisible: null, usually: null, nights: 1 },
    },
  ],
  ...{ nights: 3, comparisons: 24, alarms: 1, rate: { rate: 1 / 24, low: 0.001, high: 0.21 } },
};

const history = {
  ...{ series: 24, anomalies: ['N1: fib is slower'], gone: [] },
  unconfirmed: ['promise: equivalent'],
};

async function wordsOfNight(night: NightFacts): Promise<string> {
  return wordsOf(await renderComparison({ ...anExample(), night }));
}

test('a night’s report says how often it is mistaken, and what it could not have seen', async () => {
  const words = await wordsOfNight({ lane, history: null });
  expect(words).toContain(
    '1 of 24 comparisons: 4.2 %, with 95 % confidence between 0.1 % and 21 %',
  );
  expect(words).toContain('fib n=20 duration 8 3.4 % 5.0 % 3 no');
  expect(words).toContain('control duration 3 — — 1 yes');
});

test('it says what the history gave', async () => {
  const words = await wordsOfNight({ lane: null, history });
  expect(words).toContain('The history of 24 series was searched for changes');
  expect(words).toContain('Confirmed by measuring again N1: fib is slower');
  expect(words).toContain('Seen, and not confirmed promise: equivalent');
  expect(words).not.toContain('No longer there');
});

test('nights with too few blocks give no rate, instead of zero', async () => {
  const words = await wordsOfNight({ lane: { ...lane, rate: null }, history: null });
  expect(words).toContain('There were too few blocks to raise one');
});

test('a run that is no night says nothing of one', async () => {
  expect(await renderComparison(anExample())).not.toContain('id="night"');
});
