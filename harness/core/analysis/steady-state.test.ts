import { expect, test } from '@playwright/test';
import type { Steadiness, SteadyState } from '../../../pages/protocol.d.ts';
import type { TrialResult } from '../model/trial.ts';
import {
  aCompletion,
  aFoundDevice,
  aJob,
  aRecord,
  aResult,
  aSteadyState,
  aSearchedTrial,
  aThreadReading,
  aTrial,
} from '../../testing/builders.ts';
import { describeRun } from './findings.ts';
import { seededGenerator } from './stats/random.ts';

const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };

interface TrialOptions {
  readonly deviceId?: string;
  readonly steadiness?: Steadiness;
  readonly found?: Partial<SteadyState>;
  /** The duration of one operation, in each of 100 iterations of the window. */
  readonly level?: number;
  /** CPU time of the measuring thread, if its threads were read. */
  readonly cpuMs?: number;
  readonly granuleUs?: number;
}

/** A trial of 1 s with a window of 100 iterations, which alternate by ± 1 %. */
function aSearched(
  block: number,
  {
    deviceId = 'one',
    steadiness = 'warm-up',
    found = {},
    level = 2,
    cpuMs,
    granuleUs = 5,
  }: TrialOptions = {},
) {
  const timed = Array.from({ length: 100 }, (_, i) => level * (i % 2 === 0 ? 0.99 : 1.01));
  const steadyState = aSteadyState(found);
  const clock = { granuleUs, isolated: true };
  const samples = [{ metric: 'duration', unit: 'ms', warmUp: [], timed }];
  const own: Partial<TrialResult> = { steadiness, steadyState, samples, repeats: 2, clock };
  const job = aJob({ block, deviceId, ordinal: block });
  const readings = cpuMs === undefined ? [] : [aThreadReading([{ cpuMs }])];
  return aTrial(job, aCompletion({ result: aResult([], own), readings }));
}

function describe(trials: ReturnType<typeof aTrial>[]) {
  // Two builds: of one browser with itself nothing is bet on the first round.
  const presences = [aFoundDevice('one'), aFoundDevice('two', { flags: ['--x'] })];
  return describeRun(aRecord(presences, trials), writing);
}

test('takes classes, first call and time to steady state from the trials that count', () => {
  const { steady, cautions } = describe([
    aSearched(0, { found: { firstMs: 9 } }),
    aSearched(1, { found: { firstMs: 12, steadyAfterMs: 140 } }),
    aSearched(2, {
      steadiness: 'no steady state',
      found: { firstMs: 10, steadyAfterMs: null, noisy: true },
    }),
  ]);
  expect(steady?.cells).toHaveLength(1);
  expect(steady?.cells[0]).toMatchObject({
    trials: 3,
    classes: [
      { name: 'warm-up', trials: 2 },
      { name: 'no steady state', trials: 1 },
    ],
    noisy: 1,
    firstMs: { median: 10, low: 9, high: 12 },
    steadyAfterMs: { median: 120 },
  });
  expect(cautions.join()).not.toContain('searched for');
});

test('shows two speeds with their shares, in the table as well', () => {
  const levels = [1.1, 5.1, 1.1, 1.12, 5.0, 1.09];
  const { steady, rows } = describe(levels.map((level, block) => aSearched(block, { level })));
  const speeds = steady?.cells[0]?.speeds;
  expect(speeds?.map(({ trials }) => trials)).toEqual([4, 2]);
  expect(speeds?.[0]?.value).toBeCloseTo(1.1);
  expect(speeds?.[1]?.value).toBeCloseTo(5.05);
  expect(rows[0]?.cells[0]).toMatchObject({ speeds });
  const { rows: others } = describe(
    [1, 1, 1, 1].map((level, block) => aSearched(block, { level })),
  );
  expect(others[0]?.cells[0]).not.toHaveProperty('speeds');
});

test('splits the spread by level, and advises a longer window if sessions are alike', () => {
  const levels = [2, 2.02, 1.98, 2.01, 1.99];
  const { steady } = describe(levels.map((level, block) => aSearched(block, { level })));
  const { spread, windowMs } = steady!.cells[0]!;
  expect(spread?.iterations).toBeCloseTo(0.0105, 3);
  expect(spread?.stretches).toBeCloseTo(0);
  expect(spread?.sessions).toBeCloseTo(0.0079, 3);
  expect(windowMs.was).toBeCloseTo(400, -1);
  const few = describe([aSearched(0), aSearched(1)]).steady?.cells[0]?.windowMs;
  expect(few?.best).toBeNull();
});

test('decides both times block by block against the baseline', () => {
  const blocks = Array.from({ length: 20 }, (_, block) => {
    const noise = 1 + (block % 3) / 100;
    const slow = { firstMs: 30 * noise, steadyAfterMs: 600 };
    const quick = { firstMs: 10, steadyAfterMs: 20 * noise };
    return [aSearched(block, { found: slow }), aSearched(block, { deviceId: 'two', found: quick })];
  });
  const verdicts = describe(blocks.flat()).steady?.verdicts;
  expect(verdicts).toHaveLength(2);
  expect(verdicts?.[0]).toMatchObject({ metric: 'first call', verdict: 'faster', blocks: 20 });
  expect(verdicts?.[0]?.ratio).toBeCloseTo(1 / 3, 1);
  expect(verdicts?.[1]).toMatchObject({ metric: 'time to steady state', discovery: true });
  expect(verdicts?.[1]?.ratio).toBeCloseTo(1 / 30, 2);
});

test('decides CPU time and duration, unaffected by a busy machine', () => {
  const blocks = Array.from({ length: 20 }, (_, block) => {
    // Other programs have the core for up to half of the time.
    const levels = [2 + (block % 5) / 2, 2 + ((block * 3) % 5) / 2];
    return ['one', 'two'].map((deviceId, i) =>
      aSearched(block, {
        deviceId,
        level: levels[i] ?? 2,
        cpuMs: (deviceId === 'one' ? 390 : 351) + (block % 3),
      }),
    );
  });
  const { steady, verdicts } = describe(blocks.flat());
  expect(verdicts.pairs[0]).toMatchObject({ metric: 'duration', verdict: 'undecided' });
  const pair = steady?.verdicts.find(({ metric }) => metric === 'CPU time');
  expect(pair).toMatchObject({ verdict: 'faster', blocks: 20, discovery: true });
  expect(pair?.ratio).toBeCloseTo(0.9, 2);
  expect(steady?.cells[0]?.compilers).toEqual({ share: 0, atMost: false });
  expect(steady?.cells[0]?.cpuMs).toMatchObject({ median: 391 / 200, low: 1.95, high: 1.96 });
});

test('CPU time is finer than the page’s clock', () => {
  const blocks = Array.from({ length: 20 }, (_, block) =>
    ['one', 'two'].map((deviceId) =>
      aSearched(block, { deviceId, granuleUs: 1000, cpuMs: 380 + (block % 3) }),
    ),
  );
  const pair = describe(blocks.flat()).steady?.verdicts.at(-1);
  expect(pair).toMatchObject({ metric: 'CPU time', verdict: 'equivalent' });
});

test('uses the first round for these times as for the duration', () => {
  const order = [0, 3, 1, 4, 2, 5, 6].flatMap((block) => [
    { block, deviceId: 'one', cpuMs: 380 + block },
    { block, deviceId: 'two', cpuMs: 300 + block },
  ]);
  const trials = order.map(({ block, ...told }, ordinal) => {
    const trial = aSearched(block, told);
    return { ...trial, job: { ...trial.job, ordinal } };
  });
  const pair = describe(trials).steady?.verdicts.at(-1);
  expect(pair).toMatchObject({ metric: 'CPU time', blocks: 7, because: null, verdict: 'faster' });
});

test('gives the median share of compilers over the trials', () => {
  const pools = [0, 3.1, 6.2].map((cpuMs, block) => {
    const trial = aSearched(block);
    const pool = { tid: 9, role: 'gc', name: 'ThreadPoolForeg', cpuMs } as const;
    const outcome = { ...trial.outcome, readings: [aThreadReading([{}, pool])] };
    return { ...trial, outcome };
  });
  expect(describe(pools).steady?.cells[0]?.compilers).toEqual({ share: 0.01, atMost: true });
});

test('gives a reason and no verdict for CPU time if no thread was read', () => {
  const { steady } = describe(
    Array.from({ length: 8 }, (_, block) =>
      ['one', 'two'].map((deviceId) => aSearched(block, { deviceId })),
    ).flat(),
  );
  expect(steady?.cells[0]?.cpuMs).toEqual({ why: 'the probe was off' });
  expect(steady?.cells[0]).not.toHaveProperty('compilers');
  expect(steady?.verdicts.map(({ metric }) => metric)).toEqual([
    'first call',
    'time to steady state',
  ]);
});

test('reports only that trials are older than the search for steady state', () => {
  const { steady, cautions } = describe([aTrial(aJob(), [1, 2])]);
  expect(steady).toBeUndefined();
  expect(cautions.join()).toMatch(/before steady state was/);
});

test('gives no such warning of pages that are not ours, which are not searched', () => {
  const { cautions } = describe(
    (['flat', 'no steady state'] as const).map((steadiness, block) => {
      const result = aResult([1, 2], { steadiness });
      return aTrial(aJob({ block }), aCompletion({ result }));
    }),
  );
  expect(cautions.join()).not.toMatch(/before steady state was/);
});

test('searches no steady state in a first run', () => {
  const result = aResult([1], { steadiness: 'first run' });
  const { steady, cautions } = describe([aTrial(aJob(), aCompletion({ result }))]);
  expect(steady).toBeUndefined();
  expect(cautions.join()).not.toContain('searched for');
});

test('shows the window of later rounds next to the first one', () => {
  const generator = seededGenerator(5);
  // Two blocks of the first round are out of their order: that is how a run shows that it had one.
  const blocks = [1, 0, 2, 3, 4, 5, 6];
  const trialsOf = (then: number) =>
    blocks.map((block, ordinal) =>
      aSearchedTrial(aJob({ block, ordinal }), { windowMs: block < 5 ? 300 : then, generator }),
    );
  const windowOf = (then: number) => describe(trialsOf(then)).steady?.cells[0]?.windowMs;
  expect(windowOf(1_620)?.was).toBeCloseTo(300, -1);
  expect(windowOf(1_620)?.then).toBeCloseTo(1_620, -1);
  expect(windowOf(300)).not.toHaveProperty('then');
});

/** One speed in the 200 ms before the window, another in its 200 ms. */
function steadySpread(segments: SteadyState['segments']): number {
  const trials = [1, 1.1, 0.9, 1.05].map((level, block) => {
    const warmUp = Array.from({ length: 100 }, (_, i) => level * (i % 2 === 0 ? 2.02 : 2.04));
    const timed = Array.from({ length: 100 }, (_, i) => level * (i % 2 === 0 ? 1.98 : 1.96));
    const steadyState: SteadyState = {
      firstMs: 2,
      steadyAfterMs: 0,
      noisy: false,
      windowAtMs: 203,
      segments,
      warmUpEndMs: warmUp.map((_, i) => 2.03 * (i + 1)),
    };
    const samples = [{ metric: 'duration', unit: 'ms', warmUp, timed }];
    const result = aResult([], { steadiness: 'flat', steadyState, samples });
    return aTrial(aJob({ block, ordinal: block }), aCompletion({ result }));
  });
  return describe(trials).steady?.cells[0]?.spread?.stretches ?? NaN;
}

test('the settled iterations before the window show slower changes than the window', () => {
  expect(steadySpread([{ fromMs: 0, toMs: 400, level: 2 }])).toBeGreaterThan(0.01);
});

test('ignores an interruption before the last segment', () => {
  const last = { fromMs: 203, toMs: 400, level: 1.97 };
  expect(steadySpread([{ fromMs: 0, toMs: 203, level: 2.03 }, last])).toBeLessThan(0.001);
});
