import { expect, test } from '@playwright/test';
import type { LaneFacts, NightFacts, NightNumbers } from '../../../core/results/index.ts';
import { anExample } from '../../../../reports/golden/example.ts';
import { visibleWords } from '../../../../reports/golden/markup.ts';
import { aNightExample } from '../../../../reports/golden/night-example.ts';
import { renderWhole } from '../../../../reports/golden/whole-report.ts';

const lane: LaneFacts = {
  targetId: anExample().targets[0]!.id,
  cases: [
    {
      caseName: 'fib n=20',
      metric: 'duration',
      blocks: 8,
      alarm: false,
      smallestVisible: 0.034,
      usually: 0.05,
      nights: 3,
    },
    {
      caseName: 'control',
      metric: 'duration',
      blocks: 3,
      alarm: true,
      smallestVisible: null,
      usually: null,
      nights: 1,
    },
  ],
  nights: 3,
  comparisons: 24,
  alarms: 1,
  rate: { rate: 1 / 24, low: 0.001, high: 0.21 },
};

const history = {
  series: 24,
  anomalies: ['N1: fib is slower'],
  gone: [],
  unconfirmed: ['promise: equivalent'],
};

const quiet = {
  headline: 'Nothing changed',
  changes: [],
  numbers: null,
  ledger: null,
  devices: [],
  anomalies: [],
} as const;

async function wordsOfNight(night: Partial<NightFacts>): Promise<string> {
  const whole: NightFacts = { ...quiet, lane: null, history: null, ...night };
  return visibleWords(await renderWhole({ ...anExample(), night: whole }));
}

test("a night's report begins with its changes or their absence", async () => {
  expect(await wordsOfNight({})).toContain('no device lost or back');
  expect(await wordsOfNight({ changes: ['firefox is lost'] })).toContain('before firefox is lost');
  expect(await wordsOfNight({ changes: null })).toContain('It is the first night');
  const unfit = ['The machine was not fit when the night began: it is busy.'];
  expect(await wordsOfNight({ unfit })).toContain(unfit[0]);
});

const numbers: NightNumbers = {
  run: 12,
  before: { run: 11, startedAt: '2026-11-19T02:30:00Z' },
  margin: 0.02,
  alpha: 0.05,
  compared: 40,
  tally: { slower: 1, faster: 0, equivalent: 37, undecided: 2 },
  tooFew: 1,
  apart: 3,
  differences: [
    {
      targetId: 'chromium',
      caseName: 'fib <n>=20',
      metric: 'duration',
      unit: 'ms',
      verdict: 'slower',
      ratio: 1.204,
      low: 1.18,
      high: 1.23,
      relevant: true,
      before: { median: 10, trials: 8 },
      now: { median: 12.04, trials: 7 },
      cause: 'browser 155.0 → 156.0',
    },
  ],
};

test('lists series that differ from the night before with both limits', async () => {
  const words = await wordsOfNight({ numbers });
  expect(words).toMatch(
    /40 series .{0,30}run 11 \(2026-11-19\): 1 ▼ slower , 37 = equivalent , 2 \? undecided \(1 .{0,20}too few trials/,
  );
  expect(words).toContain('3 more series');
  expect(words).toMatch(
    /fib <n&gt;=20 , duration Chromium ▼ slower 1\.204× 1\.180–1\.230× 10\.0 ms 8 trials 12\.0 ms 7 trials browser 155\.0 → 156\.0/,
  );
  expect(words).toMatch(/may be the machine/);
  expect(words).toContain('All of it: npx crossfarm report 11 12');
});

test('of very many differences the first twelve are listed, and the others counted', async () => {
  const [one] = numbers.differences;
  const differences = Array.from({ length: 15 }, (_, index) => ({
    ...one!,
    caseName: `case ${String(index)}.`,
  }));
  const words = await wordsOfNight({ numbers: { ...numbers, differences } });
  expect(words).toContain('case 11.');
  expect(words).not.toContain('case 12.');
  expect(words).toContain('3 more series differ.');
});

test('nights without a difference say so, and nights without anything in common why', async () => {
  const none = { ...numbers, tally: { ...numbers.tally, slower: 0 }, differences: [] };
  expect(await wordsOfNight({ numbers: none })).toContain('; no series is known to differ');
  expect(await wordsOfNight({ numbers: { ...none, compared: 0 } })).toMatch(
    /Nothing .{0,40}run 11 .*measured otherwise/,
  );
});

test('the night comes first, and the skip link leads to it', async () => {
  const night = { ...quiet, lane: null, history: null };
  const page = await renderWhole({ ...anExample(), night });
  expect(page.indexOf('id="night"')).toBeLessThan(page.indexOf('id="in-short"'));
  expect(page).toContain('class="skip" href="#night"');
});

test('shows the outcome of every trial and device, and the new builds', async () => {
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
  expect(words).toContain('468 trials: 330 count, 2 excluded, 10 failed, 9 timed out, 117 skipped');
  expect(words).toContain('✓ none is missing');
  expect(words).toMatch(/Chromium found chromium 156 changed chromium 155/);
  expect(words).toMatch(/WebKitGTK missing not installed — webkitgtk 2\.50/);
  const red = await wordsOfNight({ ledger: { ...cells, withoutOutcome: 1 } });
  expect(red).toContain('✗ 1 planned trial has no outcome');
});

test('anomalies are listed with their state and the command that measures them again', async () => {
  const anomaly = { id: 'N7', sentence: 'fib is slow in <Firefox>', reason: 'seen again in run 9' };
  const words = await wordsOfNight({
    anomalies: [
      {
        ...anomaly,
        state: 'reproduced',
        since: '2026-11-02T03:04:05Z',
        command: 'npx crossfarm findings reproduce N7',
        blame: 'it is in <b> (fib.js:12), +8.1 ms (6.9 … 9.4)',
      },
    ],
  });
  expect(words).toContain(
    'N7 fib is slow in <Firefox&gt; it is in <b&gt; (fib.js:12), +8.1 ms (6.9 … 9.4) reproduced seen again in run 9 2026-11-02 npx crossfarm findings reproduce N7',
  );
});

test('a night’s report has its rate of false alarms, and the smallest visible effect', async () => {
  const words = await wordsOfNight({ lane, history: null });
  expect(words).toMatch(/1 of 24 comparisons: 4\.2 %, .{0,9}95 % .{0,20}0\.1 % .{0,5}21 %/);
  expect(words).toContain('fib n=20 duration 8 3.4 % 5.0 % 3 no');
  expect(words).toContain('control duration 3 — — 1 yes');
});

test('shows the findings of the history', async () => {
  const words = await wordsOfNight({ lane: null, history });
  expect(words).toContain('24 series was searched');
  expect(words).toMatch(/Confirmed .{0,20} N1: fib is slower/);
  expect(words).toMatch(/not confirmed .{0,3}promise: equivalent/);
  expect(words).not.toContain('No longer there');
});

test('nights with too few blocks give no rate, instead of zero', async () => {
  const words = await wordsOfNight({ lane: { ...lane, rate: null }, history: null });
  expect(words).toContain('too few blocks');
});

test('a night begins with what changed, then what is suspected, then its ledger', async () => {
  const [trend] = aNightExample().trends!.trends;
  const suspect = {
    ...trend!,
    changes: trend!.changes.map((change) => ({ ...change, state: 'suspect' as const })),
  };
  const words = visibleWords(await renderWhole(aNightExample({ trends: [trend!, suspect] })));
  const places = [
    'Since the night before',
    'Levels that changed',
    'Suspected, and not confirmed yet',
    'Seen, and not confirmed',
    '24 series of this night against run 11',
    'none is missing',
    'A browser against itself',
  ].map((text) => words.indexOf(text));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  expect(words).toContain('▼ 20 % slower 10.1 ms → 12.1 ms since 2026-11-16, run 7.');
});

test("a night's title is its headline", async () => {
  const { night, ...findings } = aNightExample();
  const headline = 'Confirmed: <N7>';
  const page = await renderWhole({ ...findings, night: { ...night!, headline } });
  expect(page).toContain('<h1><bdi>Confirmed: &lt;N7&gt;</bdi>');
});

test('omits the section for a run that was not a night', async () => {
  expect(await renderWhole(anExample())).not.toContain('id="night"');
});
