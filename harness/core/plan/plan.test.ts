import { test, expect } from '@playwright/test';
import fc from 'fast-check';
import { caseName, type Benchmark, type Case } from '../model/case.ts';
import { detectFirstRound, findRound } from '../model/plan.ts';
import { aBenchmark, aCase, aFoundDevice, aMeasurement } from '../../testing/builders.ts';
import { crossArms, describeLeftOut, makePlan, type PlanRequest } from './plan.ts';

const presences = ['a', 'b', 'c'].map((id) => aFoundDevice(id));

const request: PlanRequest = {
  seed: 42,
  isolation: 'session',
  blocks: 3,
  measurement: aMeasurement,
  presences,
  arms: crossArms(
    presences,
    [10, 11, 12, 13].map((n) => aCase(n)),
  ),
};

const cellOf = (job: {
  block: number;
  deviceId: string;
  case: Parameters<typeof caseName>[0];
}): string => `${String(job.block)} ${job.deviceId} ${caseName(job.case)}`;

test('the same seed gives the same plan, another seed another order', () => {
  const order = (seed: number): string[] => makePlan({ ...request, seed }).jobs.map(cellOf);
  expect(order(42)).toEqual(order(42));
  expect(order(42)).not.toEqual(order(43));
});

test('each block holds every case on every device once under any seed', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.constantFrom('session' as const, 'page' as const),
      fc.integer({ min: 1, max: 4 }),
      (seed, isolation, blocks) => {
        const { jobs } = makePlan({ ...request, seed, isolation, blocks });
        expect(new Set(jobs.map(cellOf)).size).toBe(blocks * 12);
        expect(jobs.map((job) => job.ordinal)).toEqual(jobs.map((_, index) => index));
        expect(jobs.map((job) => job.block)).toEqual(
          jobs.map((job) => job.block).toSorted((a, b) => a - b),
        );
      },
    ),
  );
});

test('isolation session gives every trial its own session', () => {
  const { jobs } = makePlan(request);
  expect(new Set(jobs.map((job) => job.sessionKey)).size).toBe(jobs.length);
});

test("isolation page shares a session among cases, never among a case's trials", () => {
  const { jobs } = makePlan({ ...request, isolation: 'page' });
  expect(new Set(jobs.map((job) => job.sessionKey)).size).toBe(9);
  const changes = jobs.filter((job, index) => job.sessionKey !== jobs[index - 1]?.sessionKey);
  expect(changes).toHaveLength(9);
  const trialsOfOneCase = jobs.filter(
    (job) => job.deviceId === 'a' && job.case.parameters['n'] === 10,
  );
  expect(new Set(trialsOfOneCase.map((job) => job.sessionKey)).size).toBe(3);
});

test('over many seeds either of two devices comes first about equally often', () => {
  for (const isolation of ['session', 'page'] as const) {
    const first = Array.from({ length: 400 }, (_, seed) => {
      const { jobs } = makePlan({ ...request, seed, isolation, blocks: 1 });
      const at = (id: string): number =>
        jobs.findIndex((job) => job.deviceId === id && job.case.parameters['n'] === 10);
      return at('a') < at('b');
    }).filter(Boolean).length;
    // A fair coin leaves this range once in ten thousand times; the seeds are fixed, so it never flakes.
    expect(first).toBeGreaterThan(160);
    expect(first).toBeLessThan(240);
  }
});

test('a plan of more blocks begins with the plan of fewer', () => {
  for (const isolation of ['session', 'page'] as const) {
    const few = makePlan({ ...request, isolation, blocks: 2 }).jobs;
    const many = makePlan({ ...request, isolation, blocks: 5 }).jobs;
    expect(many.slice(0, few.length)).toEqual(few);
  }
});

test.describe('a first round of several blocks', () => {
  const round = { ...request, blocks: 8, firstRound: 5 };

  test('is one permutation of their jobs, and every block after it is shuffled alone', () => {
    for (const seed of [1, 2, 3]) {
      const { jobs, firstRound } = makePlan({ ...round, seed });
      expect(firstRound).toBe(5);
      const blocks = jobs.map(({ block }) => block);
      const first = blocks.slice(0, 60);
      expect(first).not.toEqual(first.toSorted());
      for (const block of [0, 1, 2, 3, 4]) {
        expect(new Set(jobs.filter((job) => job.block === block).map(cellOf)).size).toBe(12);
      }
      expect(blocks.slice(60)).toEqual([5, 6, 7].flatMap((block) => Array(12).fill(block)));
    }
  });

  test('puts any trial of it at any place equally often', () => {
    const arms = crossArms(presences.slice(0, 2), [aCase(10)]);
    const places = Array.from({ length: 10 }, () => 0);
    for (let seed = 0; seed < 2_000; seed += 1) {
      const { jobs } = makePlan({ ...round, arms, seed });
      const at = jobs.findIndex(({ block, deviceId }) => block === 3 && deviceId === 'a');
      places[at] = (places[at] ?? 0) + 1;
    }
    // 200 are expected of each, and 145 is four standard deviations below; the seeds are fixed.
    expect(Math.min(...places)).toBeGreaterThan(145);
    expect(Math.max(...places)).toBeLessThan(255);
  });

  test('stays the same in a plan of more blocks, and is never cut short', () => {
    const few = makePlan({ ...round, blocks: 5 }).jobs;
    const many = makePlan({ ...round, blocks: 9 }).jobs;
    expect(many.slice(0, few.length)).toEqual(few);
    expect(() => makePlan({ ...round, blocks: 4 })).toThrow(RangeError);
    expect(() => makePlan({ ...round, isolation: 'page' })).toThrow(RangeError);
  });

  test("detects a first round from a run's jobs, none for shuffled blocks", () => {
    const repeat = { ...makePlan(round).jobs[3]!, ordinal: 500, block: 0, repeats: 3 };
    for (let seed = 0; seed < 200; seed += 1) {
      const arms = crossArms(presences.slice(0, 2), [aCase(10)]);
      const { jobs } = makePlan({ ...round, arms, seed });
      expect(detectFirstRound(jobs.toReversed())).toEqual({ firstRound: 5 });
      const alone = makePlan({ ...request, arms, seed, blocks: 8 }).jobs;
      expect(detectFirstRound([...alone, repeat])).toEqual({});
    }
    expect(detectFirstRound([])).toEqual({});
  });

  test('counts as one of the rounds, and each block after it as another', () => {
    const numbers = (firstRound?: number): readonly number[] =>
      [0, 1, 4, 5, 6].map((block) =>
        findRound(firstRound === undefined ? {} : { firstRound }, block),
      );
    expect(numbers(5)).toEqual([0, 0, 0, 1, 2]);
    expect(numbers()).toEqual([0, 1, 4, 5, 6]);
  });
});

const page = aFoundDevice('page', { browser: 'chromium' });
const script = aFoundDevice('script', { browser: 'deno' });
const compiled = aFoundDevice('compiled', { browser: 'native' });

/** `setImmediate` is a value that browsers do not have. */
const everywhere: Benchmark = {
  ...aBenchmark,
  id: 'turns',
  hosts: ['browser', 'runtime'],
  parameters: [
    {
      kind: 'choice',
      name: 'by',
      values: ['setTimeout', 'setImmediate'],
      default: 'setTimeout',
      hosts: { setImmediate: ['runtime'] },
    },
  ],
};
const turns = (by: string): Case => ({ benchmark: everywhere, parameters: { by } });
const files: Case = {
  benchmark: { ...aBenchmark, id: 'files', hosts: ['runtime'] },
  parameters: {},
};

test('plans a case on the kinds of devices that can run it', () => {
  const cases = [aCase(10), files, turns('setTimeout'), turns('setImmediate')];
  const arms = crossArms([page, script], cases);
  expect(arms.map((arm) => [arm.deviceId, cases.indexOf(arm.case)])).toEqual([
    ['page', 0],
    ['page', 2],
    ['script', 1],
    ['script', 2],
    ['script', 3],
  ]);
});

test('a program runs what is for programs alone', () => {
  const threads: Case = {
    benchmark: { ...aBenchmark, id: 'threads', hosts: ['runtime', 'program'] },
    parameters: {},
  };
  const arms = crossArms([page, script, compiled], [aCase(10), files, threads]);
  const on = (id: string): readonly string[] =>
    arms.filter(({ deviceId }) => deviceId === id).map((arm) => arm.case.benchmark.id);
  expect(on('compiled')).toEqual(['threads']);
  expect(on('script')).toEqual(['files', 'threads']);
});

test('an old Node.js runs fresh processes only, without the rest', () => {
  const device = aFoundDevice('node10', { browser: 'node' });
  const at = (version: string) => ({
    ...device,
    target: { ...device.target, browser: { name: 'node', version } },
  });
  const reads = ['first', 'warm'].map((state): Case => ({
    ...files,
    parameters: { state, place: 'main' },
  }));
  const states = (version: string) =>
    crossArms([at(version)], reads).map((arm) => arm.case.parameters['state']);
  expect(states('10.14.2')).toEqual(['first']);
  expect(states('20.20.2')).toEqual(['first', 'warm']);
  expect(describeLeftOut([at('10.14.2')], reads)).toEqual([
    '1 of 2 cases of files cannot run on node10: left out there',
  ]);
});

test('describes what is left out once for each benchmark, and nothing if all fits', () => {
  const cases = [aCase(10), aCase(11), turns('setTimeout'), turns('setImmediate')];
  expect(describeLeftOut([page, script], cases)).toEqual([
    expect.stringMatching(/^fib .*\bscript.*left out/),
    expect.stringMatching(/^1 of 2 cases of turns .*\bpage.*left out/),
  ]);
  expect(describeLeftOut([page], [aCase(10), turns('setTimeout')])).toEqual([]);
  expect(describeLeftOut([page, compiled], [turns('setTimeout'), turns('setImmediate')])).toEqual([
    '1 of 2 cases of turns cannot run on page: left out there',
    'turns cannot run on compiled: left out there',
  ]);
});

test("a suite may choose some of a case's hosts without a note", () => {
  const inScripts: Case = { ...turns('setTimeout'), hosts: ['runtime'] };
  const arms = crossArms([page, script], [inScripts]);
  expect(arms.map(({ deviceId }) => deviceId)).toEqual(['script']);
  expect(describeLeftOut([page, script], [inScripts])).toEqual([]);
});
