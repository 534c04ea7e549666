import { expect, test } from '@playwright/test';
import {
  aBenchmark,
  aCase,
  aFoundDevice,
  aJob,
  aRecord,
  aTrial,
} from '../../../testing/builders.ts';
import { namesIn, selectPart } from './labels.ts';

const other = { ...aBenchmark, id: 'hash' };
const jobs = ['chromium', 'firefox'].flatMap((deviceId, device) =>
  [aBenchmark, other].map((benchmark, index) =>
    aJob({ ordinal: device * 2 + index, deviceId, case: aCase(12, 'asyncFib', benchmark) }),
  ),
);
const record = aRecord(
  [aFoundDevice('chromium'), aFoundDevice('firefox')],
  jobs.map((job) => aTrial(job, [1])),
);

test('keeps the whole run without a choice', () => {
  expect(selectPart(record, { devices: [], benchmarks: [] })).toEqual(record);
});

test('keeps cells, trials and presences of chosen devices and benchmarks', () => {
  const part = selectPart(record, { devices: ['firefox'], benchmarks: ['hash'] });
  expect(part.presences.map(({ device }) => device.id)).toEqual(['firefox']);
  expect(part.jobs).toHaveLength(1);
  expect(part.trials.map(({ job }) => [job.deviceId, job.case.benchmark.id])).toEqual([
    ['firefox', 'hash'],
  ]);
});

test('chooses a device of one run by its id and run', () => {
  expect(selectPart(record, { devices: ['firefox@1'], benchmarks: [] }).jobs).toHaveLength(2);
  expect(selectPart(record, { devices: ['firefox@2'], benchmarks: [] }).jobs).toHaveLength(0);
});

test('lists every name that can be chosen', () => {
  expect(namesIn([record])).toEqual({
    devices: ['chromium', 'chromium@1', 'firefox', 'firefox@1'],
    benchmarks: ['fib', 'hash'],
  });
});
