import { expect, test } from '@playwright/test';
import { jobsToDo } from '../model/plan.ts';
import type { RunSetting } from '../model/run.ts';
import {
  aBenchmark,
  aFoundDevice,
  aJob,
  aMeasurement,
  aMissingDevice,
  aRecord,
  aTrial,
} from '../../testing/builders.ts';
import { makePlan } from './plan.ts';
import { listBenchmarks, planFurther, planRest } from './rest.ts';

const setting: RunSetting = {
  measurement: { ...aMeasurement, iterations: 77 },
  repeatQuarantined: false,
  endsEarly: false,
  pages: '/pages',
  deadlineMs: 5_000,
  probes: true,
  probe: [],
};

const jobs = [0, 1, 2, 3].map((ordinal) =>
  aJob({ ordinal, block: Math.floor(ordinal / 2), deviceId: ordinal % 2 === 0 ? 'one' : 'two' }),
);
const devices = [aFoundDevice('one'), aFoundDevice('two')];
const rest = { setting, presences: devices, benchmarks: [aBenchmark] };

test('the rest is the cells without outcome, in order and measurement', () => {
  const record = aRecord(devices, [aTrial(jobs[2]!, [1]), aTrial(jobs[0]!, [1])], jobs);
  const plan = planRest(record, rest);
  expect(jobsToDo(plan)).toEqual([jobs[1], jobs[3]]);
  expect(plan).toMatchObject({
    seed: record.run.seed,
    isolation: record.run.isolation,
    blocks: 2,
    jobs,
    measurement: { iterations: 77 },
    repeatQuarantined: false,
  });
  expect(plan.presences).toEqual(devices);
});

test('a run of which nothing was done is done from its beginning', () => {
  expect(jobsToDo(planRest(aRecord(devices, [], jobs), rest))).toEqual(jobs);
});

test('runs a planned repeat before the blocks after its own', () => {
  const repeat = aJob({ ordinal: 4, block: 0, deviceId: 'one', repeats: 0 });
  const done = [aTrial(jobs[0]!, [1]), aTrial(jobs[1]!, [1])];
  const plan = planRest(aRecord(devices, done, [...jobs, repeat]), rest);
  expect(jobsToDo(plan)).toEqual([repeat, jobs[2], jobs[3]]);
});

test('continues an interrupted first round in order, its repeats first', () => {
  const round = [3, 0, 4, 1, 0, 2, 1, 3, 2, 4, 5, 5].map((block, ordinal) =>
    aJob({ ordinal, block, deviceId: ordinal < 5 || ordinal === 10 ? 'one' : 'two' }),
  );
  const repeat = aJob({ ordinal: 12, block: 3, deviceId: 'one', repeats: 0 });
  const trials = round.slice(0, 4).map((job) => aTrial(job, [1]));
  const plan = planRest(aRecord(devices, trials, [...round, repeat]), rest);
  expect(plan.firstRound).toBe(5);
  expect(jobsToDo(plan)).toEqual([...round.slice(4, 10), repeat, ...round.slice(10)]);
});

test("an extended plan equals a longer one's blocks, numbered after repeats", () => {
  const arms = ['one', 'two'].map((deviceId) => ({ deviceId, case: aJob().case }));
  const request = { seed: 7, isolation: 'session' as const, measurement: aMeasurement };
  for (const rounds of [{}, { firstRound: 5 }]) {
    const made = (blocks: number) =>
      makePlan({ ...request, ...rounds, blocks, presences: devices, arms });
    const few = made(6).jobs;
    const repeat = aJob({ ordinal: 99, block: 5, deviceId: few.at(-1)!.deviceId, repeats: 11 });
    const trials = few.slice(0, 11).map((job) => aTrial(job, [1]));
    const record = aRecord(devices, trials, [...few, repeat]);
    const sofar = planRest({ ...record, run: { ...record.run, seed: 7 } }, rest);
    const plan = planFurther(sofar, { arms, blocks: 3 });
    expect(plan.blocks).toBe(9);
    const cell = ({ block, deviceId }: { block: number; deviceId: string }): string =>
      `${String(block)} ${deviceId}`;
    const further = plan.jobs.slice(13);
    expect(further.map(cell)).toEqual(made(9).jobs.slice(12).map(cell));
    expect(further.map(({ ordinal }) => ordinal)).toEqual([100, 101, 102, 103, 104, 105]);
    expect(jobsToDo(plan)).toEqual([few.at(-1), repeat, ...further]);
  }
});

test('leaves out changed devices with both versions, missing ones with the reason', () => {
  const other = aFoundDevice('two');
  if (other.status !== 'found') throw new TypeError('it is found');
  const newer = {
    ...other,
    target: { ...other.target, browser: { name: 'chromium', version: '2.0' } },
  };
  const presences = [aMissingDevice('one'), newer];
  const plan = planRest(aRecord(devices, [], jobs), { ...rest, presences });
  expect(plan.presences).toEqual([
    aMissingDevice('one'),
    expect.objectContaining({
      status: 'missing',
      reason: expect.stringMatching(/chromium 2\.0 now.* 1\.2\.3$/) as unknown,
    }),
  ]);
});

test('a device missing at the start does not join the run later', () => {
  const record = aRecord([aFoundDevice('one'), aMissingDevice('two')], [], jobs);
  expect(planRest(record, rest).presences[1]).toMatchObject({
    status: 'missing',
    reason: expect.stringMatching(/missing when the run began.*two is not installed$/) as unknown,
  });
});

test('benchmarks are those of today, with what the store does not keep of them', () => {
  const metrics = aBenchmark.metrics.map((metric) => ({ ...metric, optional: true }));
  const record = aRecord(devices, [], jobs);
  expect(listBenchmarks(record)).toEqual([aBenchmark]);
  const plan = planRest(record, { ...rest, benchmarks: [{ ...aBenchmark, metrics }] });
  expect(plan.jobs.map((job) => job.case.benchmark.metrics)).toEqual(jobs.map(() => metrics));
});
