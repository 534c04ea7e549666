import { test, expect } from '@playwright/test';
import type { ThreadReading } from '../../../core/model/reading.ts';
import type { Assertion, Counterfactual, Arm, Question } from '../../../core/model/question.ts';
import type { Trial } from '../../../core/model/trial.ts';
import { seededGenerator } from '../../../core/analysis/stats/random.ts';
import {
  aCase,
  aCompletion,
  aJob,
  aMeasurement,
  aResult,
  aTrial,
} from '../../../testing/builders.ts';
import { judge, measureRatio } from './judge.ts';
import { questionState } from './unsettled.ts';
import { directionText, figure, headlineText } from './wording.ts';

const fast: Arm = { deviceId: 'fast', case: aCase() };
const slow: Arm = { deviceId: 'slow', case: aCase() };
const changed: Arm = { deviceId: 'changed', case: aCase() };

const slower: Assertion = {
  kind: 'ratio',
  role: 'verdict',
  sentence: 'slow takes longer',
  quantity: 'duration',
  a: slow,
  b: fast,
  expected: { above: 1 },
  published: { text: '5× to 6×', low: 5, high: 6 },
};

function ask(
  assertions: readonly Assertion[],
  counterfactuals: readonly Counterfactual[] = [],
): Question {
  return {
    id: 'T1',
    title: 'Claim T1',
    sentence: 'For tests.',
    source: 'nobody',
    published: '5× to 6×',
    assertions,
    counterfactuals,
    notes: [],
    measurement: aMeasurement,
  };
}

interface Making {
  readonly blocks: number;
  /** Typical duration by arm, in milliseconds. */
  readonly durations: ReadonlyMap<Arm, number>;
  readonly noise?: number;
  readonly seed?: number;
}

/** One trial a block and arm, with normal noise on the logarithm. */
function makeTrials({ blocks, durations, noise = 0.05, seed = 3 }: Making): readonly Trial[] {
  const generator = seededGenerator(seed);
  return Array.from({ length: blocks }, (_, block) =>
    [...durations].map(([arm, typical], index) =>
      aTrial(aJob({ ...arm, block, ordinal: block * 10 + index }), [
        typical * Math.exp(noise * generator.normal()),
      ]),
    ),
  ).flat();
}

test('confirms a claim in direction and size', () => {
  const durations = new Map([
    [slow, 55],
    [fast, 10],
  ]);
  const { verdict, assertions } = judge(ask([slower]), makeTrials({ blocks: 10, durations }));
  expect(verdict).toBe('confirmed');
  expect(assertions[0]).toMatchObject({ outcome: 'holds', size: 'as published', blocks: 10 });
  expect(assertions[0]?.measured?.low).toBeLessThan(5.5);
  expect(assertions[0]?.measured?.high).toBeGreaterThan(5.5);
});

test('confirms the direction and refutes the size: slower, but by 2 and not by 6', () => {
  const durations = new Map([
    [slow, 20],
    [fast, 10],
  ]);
  const { verdict, assertions } = judge(ask([slower]), makeTrials({ blocks: 10, durations }));
  expect(verdict).toBe('confirmed');
  expect(assertions[0]).toMatchObject({ outcome: 'holds', size: 'smaller' });
});

test('refutes a claim by the opposite', () => {
  const durations = new Map([
    [slow, 9],
    [fast, 10],
  ]);
  const judged = judge(ask([slower]), makeTrials({ blocks: 30, durations }));
  expect(judged.verdict).toBe('refuted');
  expect(judged).toMatchObject({ direction: 'refuted', size: 'refuted' });
  expect(judged.assertions[0]).toMatchObject({ outcome: 'fails', size: 'smaller' });
});

test('equality refutes no direction, and ends the run', () => {
  const durations = new Map([
    [slow, 10],
    [fast, 10],
  ]);
  const question = ask([{ ...slower, published: { text: 'slower', low: null, high: null } }]);
  const trials = makeTrials({ blocks: 24, durations, noise: 0.005, seed: 2 });
  const judged = judge(question, trials);
  expect(judged).toMatchObject({ verdict: 'inconclusive', direction: 'open' });
  expect(judged.assertions[0]).toMatchObject({ equal: true });
  expect(directionText(judged)).toMatch(/equal within 2 %.*no direction/);
  expect(questionState(question, trials).kind).toBe('answered');
});

test('judges a sentence that states a size by that size', () => {
  const durations = new Map([
    [slow, 105],
    [fast, 10],
  ]);
  const trials = makeTrials({ blocks: 12, durations });
  const published = { text: '2× to 3×', low: 2, high: 3 };
  const how = { ...slower, published };
  const which = judge(ask([how]), trials);
  expect(which).toMatchObject({ verdict: 'confirmed', direction: 'confirmed', size: 'refuted' });
  const large = judge(ask([{ ...how, expected: { above: 1.6, below: 3.75 } }]), trials);
  expect(large).toMatchObject({ verdict: 'refuted', direction: 'confirmed', size: 'refuted' });
  expect(headlineText(large)).toMatch(
    /direction confirmed.*size refuted.*larger.* 3\.[45]\d*\).* 10\.\d× \([\d.]+ … [\d.]+\).* 2× to 3×.* 1\.6× to 3\.75×/,
  );
});

test('shows an estimate outside its interval together with the interval of the last look', () => {
  const drifting = [...Array<number>(12).fill(0.7), ...Array<number>(12).fill(0)].map(
    (ratio, index) => ratio + (index % 2) / 100,
  );
  const measured = measureRatio(drifting, 0.05);
  expect(measured?.value).toBeCloseTo(Math.exp(0.355), 5);
  expect(measured?.lastLook?.low).toBeLessThan(measured?.value ?? 0);
  expect(measured?.lastLook?.high).toBeGreaterThan(measured?.value ?? Infinity);
  expect(figure(measured, '×')).toContain('by the last look alone');
  expect(measureRatio(drifting.slice(0, 12), 0.05)).not.toHaveProperty('lastLook');
});

test('judges nothing before there are enough blocks', () => {
  const durations = new Map([
    [slow, 55],
    [fast, 10],
  ]);
  const question = ask([slower]);
  const few = makeTrials({ blocks: 5, durations });
  expect(judge(question, few)).toMatchObject({ verdict: 'inconclusive', blocks: 5 });
  expect(judge(question, few).assertions[0]).toMatchObject({ outcome: 'open', size: 'open' });
  expect(judge(question, [])).toMatchObject({ verdict: 'inconclusive', blocks: 0 });
  expect(judge(question, []).assertions[0]?.measured).toBeNull();
});

test('calls two equal sides slower in at most 5 % of all runs, at any look', () => {
  const durations = new Map([
    [slow, 10],
    [fast, 10],
  ]);
  const runs = 200;
  let confirmed = 0;
  for (let seed = 1; seed <= runs; seed += 1) {
    const trials = makeTrials({ blocks: 24, durations, seed });
    if (judge(ask([slower]), trials).verdict === 'confirmed') confirmed += 1;
  }
  expect(confirmed / runs).toBeLessThanOrEqual(0.05);
});

test('ignores a quarantined trial, a failed one and a value of 0', () => {
  const durations = new Map([
    [slow, 55],
    [fast, 10],
  ]);
  const trials = makeTrials({ blocks: 10, durations }).map((trial) => {
    if (trial.job.deviceId !== 'fast' || trial.job.block < 5) return trial;
    return { ...trial, outcome: aCompletion({ result: aResult([10]), quarantine: ['busy'] }) };
  });
  expect(judge(ask([slower]), trials).assertions[0]?.blocks).toBe(5);
  const zero = trials.map((trial) => aTrial(trial.job, [trial.job.deviceId === 'fast' ? 0 : 5]));
  const judged = judge(ask([slower]), zero);
  expect(judged.verdict).toBe('inconclusive');
  expect(judged.assertions[0]?.measured).toBeNull();
});

test('only shows the number if nothing is expected', () => {
  const durations = new Map([
    [slow, 55],
    [fast, 10],
  ]);
  const beside: Assertion = { ...slower, role: 'explanation', expected: {} };
  const trials = makeTrials({ blocks: 2, durations });
  expect(judge(ask([slower, beside]), trials).assertions[1]).toMatchObject({ outcome: 'holds' });
});

test('measures a growing advantage as a ratio of ratios', () => {
  const one: Arm = { deviceId: 'fast-1', case: aCase() };
  const other: Arm = { deviceId: 'slow-1', case: aCase() };
  const durations = new Map([
    [slow, 60],
    [fast, 10],
    [other, 60],
    [one, 20],
  ]);
  const change: Assertion = { ...slower, kind: 'change', a: slow, b: fast, c: other, d: one };
  const { verdict, assertions } = judge(ask([change]), makeTrials({ blocks: 12, durations }));
  expect(verdict).toBe('confirmed');
  const measured = assertions[0]?.measured ?? null;
  expect(measured?.value).toBeCloseTo(2, 0);
  const [over = NaN, under = NaN] = measured?.ratios ?? [];
  expect([over, under].map(Math.round)).toEqual([6, 3]);
  expect(over / under).toBeCloseTo(measured?.value ?? NaN, 12);
  expect(figure(measured, '×')).toMatch(/\): \d\.\d+× over \d\.\d+×$/);
});

/** Threads that keep the given number of cores busy over 100 ms. */
function withThreads(trial: Trial, cores: number): Trial {
  const reading: ThreadReading = {
    probe: 'cpu-thread',
    wallMs: 100,
    threads: [
      { pid: 1, tid: 1, process: 'renderer', name: 'a', role: 'js-main', cpuMs: 90, lastCore: 0 },
      {
        pid: 1,
        tid: 2,
        process: 'renderer',
        name: 'b',
        role: 'gc',
        cpuMs: 100 * cores - 90,
        lastCore: 1,
      },
    ],
    timeline: [],
    costMs: 0,
  };
  return { ...trial, outcome: aCompletion({ result: aResult([10]), readings: [reading] }) };
}

const busy: Assertion = {
  kind: 'level',
  role: 'verdict',
  sentence: 'more than one core is busy',
  quantity: 'cores-busy',
  of: fast,
  expected: { above: 1.2 },
  published: { text: 'all 12', low: 12, high: 12 },
};

function threadTrials(levels: ReadonlyMap<Arm, number>): readonly Trial[] {
  return Array.from({ length: 10 }, (_, block) =>
    [...levels].map(([arm, cores], index) => {
      const job = aJob({ ...arm, block, ordinal: block * 10 + index });
      return withThreads(aTrial(job, [10]), cores + block / 1000);
    }),
  ).flat();
}

test('judges cores busy by the probes, and explains the share that goes with the suspect', () => {
  const without: Counterfactual = {
    id: 'parallel-gc',
    sentence: 'without parallel garbage collection',
    change: '--js-flags=--single-threaded-gc',
    quantity: 'cores-busy',
    withCause: fast,
    withoutCause: changed,
    effect: { kind: 'level', base: 1 },
  };
  const levels = new Map([
    [fast, 1.6],
    [changed, 1.06],
  ]);
  const judged = judge(ask([busy], [without]), threadTrials(levels));
  expect(judged.verdict).toBe('confirmed');
  expect(judged.assertions[0]?.size).toBe('smaller');
  const explained = judged.counterfactuals[0]?.explained;
  expect(explained?.value).toBeCloseTo(0.9, 1);
  expect(explained?.low).toBeGreaterThan(0.85);
  expect(explained?.high).toBeLessThan(0.95);
});

test('takes the share of a ratio in logarithms', () => {
  const without: Counterfactual = {
    id: 'cores',
    sentence: 'on one core',
    change: 'on 1 core',
    quantity: 'duration',
    withCause: fast,
    withoutCause: changed,
    effect: { kind: 'ratio', against: slow },
  };
  const durations = new Map([
    [slow, 90],
    [fast, 10],
    [changed, 30],
  ]);
  const trials = makeTrials({ blocks: 14, durations, noise: 0.02 });
  const explained = judge(ask([slower], [without]), trials).counterfactuals[0]?.explained;
  expect(explained?.value).toBeCloseTo(0.5, 1);
  expect(explained?.low).toBeLessThan(0.5);
  expect(explained?.high).toBeGreaterThan(0.5);
});

test('goes on while something is open, stops when all is settled, and ends without progress', () => {
  const durations = new Map([
    [slow, 55],
    [fast, 10],
  ]);
  const question = ask([slower]);
  expect(questionState(question, makeTrials({ blocks: 5, durations })).kind).toBe('go-on');
  expect(questionState(question, makeTrials({ blocks: 12, durations })).kind).toBe('answered');
  const failing = makeTrials({ blocks: 12, durations }).map((trial) =>
    trial.job.deviceId === 'fast'
      ? aTrial(trial.job, { kind: 'failed', failure: { code: 'page-error', message: 'no' } })
      : trial,
  );
  expect(questionState(question, failing)).toMatchObject({ kind: 'vanished' });
});

test('reads another quantity of the second side if the assertion names one', () => {
  const calls: Assertion = { ...slower, quantity: 'counter:calls', against: 'duration' };
  const trials = Array.from({ length: 8 }, (_, block) =>
    [slow, fast].map((arm, index) => {
      const job = aJob({ ...arm, block, ordinal: block * 10 + index });
      return aTrial(
        job,
        aCompletion({ result: aResult([10 + block * 0.01], { counters: { calls: 30 } }) }),
      );
    }),
  ).flat();
  const [judged] = judge(ask([calls]), trials).assertions;
  expect(judged?.measured?.value).toBeCloseTo(3, 1);
});
