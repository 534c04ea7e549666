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

const quiet = { changes: [], ledger: null, devices: [], anomalies: [] } as const;

async function wordsOfNight(night: Partial<NightFacts>): Promise<string> {
  const whole = { ...quiet, lane: null, history: null, ...night };
  return wordsOf(await renderComparison({ ...anExample(), night: whole }));
}

test('a night’s report begins with what changed since the night before, or says that nothing did', async () => {
  expect(await wordsOfNight({})).toContain('Since the night before: no device lost or back');
  expect(await wordsOfNight({ changes: ['firefox is lost: it is not installed'] })).toContain(
    'Since the night before firefox is lost: it is not installed',
  );
  expect(await wordsOfNight({ changes: null })).toContain('It is the first night');
});

test('it says how every cell and every device did, and which builds are new', async () => {
  const cells = { planned: 1_200, completed: 1_190, failed: 4, timedOut: 0, skipped: 6 };
  const words = await wordsOfNight({
    ledger: { ...cells, withoutOutcome: 0 },
    devices: [
      {
        targetId: 'chromium',
        state: 'found',
        build: 'chromium 156',
        before: 'chromium 155',
        because: null,
      },
      {
        targetId: 'webkitgtk',
        state: 'missing',
        build: null,
        before: 'webkitgtk 2.50',
        because: 'not installed',
      },
    ],
  });
  expect(words).toContain(
    'of 1,200 planned cells 1,190 completed, 4 failed, 0 timed out, 6 skipped',
  );
  expect(words).toContain('✓ none is missing');
  expect(words).toMatch(/Chromium found chromium 156 changed chromium 155/);
  expect(words).toMatch(/WebKitGTK missing not installed — webkitgtk 2\.50/);
  const red = await wordsOfNight({ ledger: { ...cells, withoutOutcome: 1 } });
  expect(red).toContain('✗ 1 has no outcome');
});

test('anomalies stand with their state and the command that measures them again', async () => {
  const anomaly = { id: 'N7', sentence: 'fib is slow in <Firefox>', reason: 'seen again in run 9' };
  const words = await wordsOfNight({
    anomalies: [
      {
        ...anomaly,
        ...{ state: 'reproduced', since: '2026-11-02T03:04:05Z', command: 'npx farm reproduce N7' },
      },
    ],
  });
  expect(words).toContain(
    'N7 fib is slow in <Firefox&gt; reproduced seen again in run 9 2026-11-02 npx farm reproduce N7',
  );
});

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
