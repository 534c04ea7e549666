import { test, expect } from '@playwright/test';
import type { Job } from '../model/plan.ts';
import type { RunRecord } from '../model/run.ts';
import type { Outcome } from '../model/trial.ts';
import {
  aBenchmark,
  aCase,
  aFoundDevice,
  aJob,
  aMissingDevice,
  aRecord,
  aResult,
  aTrial,
} from '../../testing/builders.ts';
import { versionCases, versionsBenchmark } from '../../features/compare/versions/benchmark.ts';
import { makeVerdicts } from './run-verdicts.ts';
import { versionNames } from './run-pairs.ts';

interface Value {
  readonly deviceId: string;
  readonly n?: number;
  /** Milliseconds in each block. */
  readonly values: readonly number[];
}

function aRun(all: readonly Value[], run: Partial<RunRecord['run']> = {}): RunRecord {
  const ids = [...new Set(all.map((one) => one.deviceId))];
  const trials = all.flatMap(({ deviceId, n = 12, values }) =>
    values.map((value, block) => aTrial(aJob({ block, deviceId, case: aCase(n) }), [value])),
  );
  const record = aRecord(
    ids.map((id) => aFoundDevice(id)),
    trials,
  );
  return { ...record, run: { ...record.run, ...run } };
}

/** `blocks` values around `centre`, which wander by a percent. */
function around(centre: number, blocks: number): readonly number[] {
  return Array.from({ length: blocks }, (_, i) => centre * (1 + 0.01 * Math.sin(7 * i + centre)));
}

test('compares every other target with the first one found', () => {
  const record = aRun([
    { deviceId: 'one', values: around(10, 12) },
    { deviceId: 'two', values: around(15, 12) },
    { deviceId: 'three', values: around(5, 12) },
  ]);
  const missing = aMissingDevice('gone');
  const verdicts = makeVerdicts({ ...record, presences: [missing, ...record.presences] });
  expect(verdicts).toMatchObject({
    baselineTargetId: 'one',
    margin: 0.02,
    alpha: 0.05,
    smallestBlocks: 6,
    course: null,
  });
  expect(
    verdicts.pairs.map(({ a, b, verdict, blocks }) => [a.targetId, b.targetId, verdict, blocks]),
  ).toEqual([
    ['two', 'one', 'slower', 12],
    ['three', 'one', 'faster', 12],
  ]);
  expect(verdicts.pairs[0]).toMatchObject({ significant: true, relevant: true, discovery: true });
  expect(verdicts.pairs[0]!.low).toBeGreaterThan(1.4);
});

test('gives the ratio without an interval with too few blocks', () => {
  const { pairs } = makeVerdicts(
    aRun([
      { deviceId: 'one', values: around(10, 3) },
      { deviceId: 'two', values: around(15, 3) },
    ]),
  );
  expect(pairs).toHaveLength(1);
  expect(pairs[0]).toMatchObject({
    verdict: 'undecided',
    because: 'too-few-blocks',
    blocks: 3,
    low: null,
    high: null,
  });
  expect(pairs[0]!.ratio).toBeCloseTo(1.5, 1);
});

test('one difference among many open pairs takes more evidence than alone', () => {
  const noisy = (blocks: number, phase: number): readonly number[] =>
    Array.from({ length: blocks }, (_, i) => 10 * (1 + 0.1 * Math.sin(7 * i + phase)));
  const equal = (blocks: number): readonly Value[] =>
    Array.from({ length: 30 }, (_, i) => [
      { deviceId: 'one', n: i + 1, values: noisy(blocks, i) },
      { deviceId: 'two', n: i + 1, values: noisy(blocks, 3 * i + 1) },
    ]).flat();
  const different = (blocks: number): readonly Value[] => [
    { deviceId: 'one', n: 40, values: around(10, blocks) },
    { deviceId: 'two', n: 40, values: around(15, blocks) },
  ];
  const alone = makeVerdicts(aRun(different(9))).pairs;
  expect(alone.map(({ verdict, discovery }) => [verdict, discovery])).toEqual([['slower', true]]);
  const among = (blocks: number) =>
    makeVerdicts(aRun([...equal(blocks), ...different(blocks)])).pairs.find(({ a }) =>
      a.caseName.includes('n=40'),
    );
  expect(among(9)).toMatchObject({ verdict: 'undecided', discovery: false });
  expect(among(12)).toMatchObject({ verdict: 'slower', discovery: true });
});

test('rows decided together need less evidence, equal ones like different ones', () => {
  const table = Array.from({ length: 20 }, (_, i) => [
    { deviceId: 'one', n: i + 1, values: around(10, 14) },
    { deviceId: 'two', n: i + 1, values: around(i < 10 ? 15 : 10, 14) },
  ]).flat();
  const { pairs } = makeVerdicts(aRun(table));
  expect(pairs.map(({ verdict }) => verdict)).toEqual([
    ...Array.from({ length: 10 }, () => 'slower'),
    ...Array.from({ length: 10 }, () => 'equivalent'),
  ]);
});

test('a value without a ratio leaves out only its pair', () => {
  const { pairs } = makeVerdicts(
    aRun([
      { deviceId: 'one', n: 1, values: [1, 0] },
      { deviceId: 'two', n: 1, values: [1, 1] },
      { deviceId: 'one', n: 2, values: [1, 1] },
      { deviceId: 'two', n: 2, values: [1, 1] },
    ]),
  );
  expect(pairs.map(({ a }) => a.caseName)).toEqual(['fib function=asyncFib n=2']);
});

test('every metric has a row and a verdict', () => {
  const record = aRun([
    { deviceId: 'one', values: [1] },
    { deviceId: 'two', values: [1] },
  ]);
  const metrics = [
    ...aBenchmark.metrics,
    { id: 'rate', title: 'Rate', unit: 'ops/s', direction: 'higher' as const },
  ];
  const benchmark = { ...aBenchmark, metrics };
  const samples = [
    { metric: 'duration', unit: 'ms', warmUp: [], timed: [2] },
    { metric: 'rate', unit: 'ops/s', warmUp: [], timed: [3] },
  ];
  const trials = record.trials.map((trial) => ({
    ...trial,
    job: { ...trial.job, case: aCase(12, 'asyncFib', benchmark) },
    outcome: { ...trial.outcome, result: aResult([], { samples }) } as Outcome,
  }));
  const { pairs } = makeVerdicts({ ...record, trials, jobs: trials.map(({ job }) => job) });
  expect(pairs.map(({ metric, unit }) => [metric, unit])).toEqual([
    ['duration', 'ms'],
    ['rate', 'ops/s'],
  ]);
});

test('a comparison compares its first side with its second, and gives its course', () => {
  const record = aRun(
    [
      { deviceId: 'chromium@a', n: 13, values: around(11, 10) },
      { deviceId: 'chromium@b', n: 12, values: around(10, 10) },
    ],
    { suite: 'compare', command: 'npx crossfarm compare chromium chromium --margin 0.05 --seed 1' },
  );
  const { pairs, course, baselineTargetId, margin } = makeVerdicts(record);
  expect(baselineTargetId).toBe('chromium@b');
  expect(margin).toBe(0.05);
  expect(pairs).toHaveLength(1);
  expect(pairs[0]).toMatchObject({
    a: { targetId: 'chromium@a', caseName: 'fib function=asyncFib n=13' },
    b: { targetId: 'chromium@b', caseName: 'fib function=asyncFib n=12' },
    verdict: 'slower',
    blocks: 10,
  });
  expect(course?.ratios).toHaveLength(10);
  expect(course?.ratios[0]).toBeCloseTo(around(11, 1)[0]! / around(10, 1)[0]!);
  expect(course?.looks.map(({ blocks }) => blocks)).toEqual([6, 7, 8, 9, 10]);
  const last = course?.looks.at(-1);
  expect([last?.low, last?.high]).toEqual([pairs[0]!.low, pairs[0]!.high]);
  expect(course?.carryOver).toEqual({ a: null, b: null });
});

test('gives two builds with a first round an interval from block 5', () => {
  const record = aRun(
    [
      { deviceId: 'chromium@a', values: around(15, 8) },
      { deviceId: 'chromium@b', values: around(10, 8) },
    ],
    { suite: 'compare' },
  );
  const place = (job: Job): number =>
    job.block < 5 ? (job.deviceId === 'chromium@a' ? 0 : 5) + job.block : 2 * job.block;
  const jobs = record.jobs.map((job) => ({ ...job, ordinal: place(job) }));
  const presences = [aFoundDevice('chromium@a'), aFoundDevice('chromium@b', { flags: ['--x'] })];
  const { smallestBlocks, course } = makeVerdicts({ ...record, jobs, presences });
  expect(smallestBlocks).toBe(5);
  expect(course?.looks[0]?.blocks).toBe(5);
  const inOrder = makeVerdicts(record);
  expect(inOrder.smallestBlocks).toBe(6);
});

for (const [option, expected] of [
  ['--margin 0.01', 0.01],
  ['--margin=5%', 0.05],
  ['--margin 7', 0.02],
  ['', 0.02],
] as const) {
  test(`the margin of a run with "${option}" is ${String(expected)}`, () => {
    const record = aRun([{ deviceId: 'one', values: [1] }], {
      command: `npx crossfarm run ${option}`,
    });
    expect(makeVerdicts(record).margin).toBe(expected);
  });
}

test('a run without a target has no baseline and no pairs', () => {
  const record = aRecord([aMissingDevice('gone')], []);
  expect(makeVerdicts(record)).toMatchObject({ baselineTargetId: null, pairs: [], course: null });
});

test('versions of a page are compared with the first one, in each browser', () => {
  const place = { kind: 'url', url: 'http://127.0.0.1:1/' } as const;
  const names = ['old.html', 'new.html', 'third.html'];
  const metric = { id: 'duration', title: 'duration', unit: 'ms', direction: 'lower' } as const;
  const benchmark = versionsBenchmark(
    names.map((name) => ({ name, kind: 'url', place })),
    { measures: [{ metric, reader: { by: 'load' } }] },
  );
  const devices = ['one', 'two'];
  const trials = devices.flatMap((deviceId) =>
    versionCases(benchmark).flatMap((one, version) =>
      around(10 * 2 ** version, 12).map((value, block) =>
        aTrial(aJob({ block, deviceId, case: one }), [value]),
      ),
    ),
  );
  const record = aRecord(
    devices.map((id) => aFoundDevice(id)),
    trials,
  );
  const verdicts = makeVerdicts({ ...record, run: { ...record.run, suite: 'versions' } });
  expect(verdicts).toMatchObject({ baselineTargetId: null, baselineVersion: 'old.html' });
  expect(
    verdicts.pairs.map(({ a, b, verdict }) => [a.targetId, a.caseName, b.caseName, verdict]),
  ).toEqual(
    devices.flatMap((device) =>
      ['new.html', 'third.html'].map((name) => [
        device,
        `page version=${name}`,
        'page version=old.html',
        'slower',
      ]),
    ),
  );
  for (const { ratio, blocks, blockRatios = [] } of verdicts.pairs) {
    expect(blockRatios).toHaveLength(blocks);
    const sorted = blockRatios.toSorted((a, b) => a - b);
    expect(sorted[0]).toBeLessThanOrEqual(ratio);
    expect(sorted.at(-1)).toBeGreaterThanOrEqual(ratio);
  }
  expect(versionNames({ ...record, run: { ...record.run, suite: 'versions' } })).toEqual(names);
  expect(versionNames(record)).toBeNull();
  const asked = makeVerdicts({ ...record, run: { ...record.run, suite: 'versions' } }, 'one');
  expect(asked).toMatchObject({ baselineTargetId: 'one' });
});
