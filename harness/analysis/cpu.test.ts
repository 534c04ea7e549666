import { test, expect } from '@playwright/test';
import type { Reading, ScheduleReading } from '../model/reading.ts';
import {
  aFoundDevice,
  aJob,
  anEnvironment,
  aRecord,
  aResult,
  aTrial,
} from '../testing/builders.ts';
import { describeRun } from './findings.ts';

const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };

function cpuOf(readings: readonly Reading[]) {
  const outcome = { kind: 'completed', result: aResult([1]), readings, quarantine: [] } as const;
  const trial = aTrial(aJob({ deviceId: 'one' }), outcome);
  return describeRun(aRecord([aFoundDevice('one')], [trial]), writing).cpu[0];
}

const schedule: ScheduleReading = {
  probe: 'sched',
  wallMs: 10,
  costMs: 1,
  coresBusy: 0.6,
  lostEvents: 3,
  cores: [
    [{ fromMs: 0, toMs: 6, role: 'js-main', thread: 'CrRendererMain', tid: 7 }],
    [{ fromMs: 2, toMs: 3, role: 'foreign', thread: 'cron', tid: 8 }],
  ],
};

test('the exact schedule and the trace stand beside the other readings of the trial', () => {
  const facts = cpuOf([
    schedule,
    { probe: 'trace', file: 'traces/run-1/x.json.gz', format: 'chrome-trace', costMs: 0 },
  ]);
  expect(facts).toEqual({
    caseName: 'fib function=asyncFib n=12',
    targetId: 'one',
    block: 0,
    wallMs: 10,
    cores: { notSupported: 'the probe was off' },
    threads: { notSupported: 'the probe was off' },
    foreignShare: null,
    schedule: {
      wallMs: 10,
      coresBusy: 0.6,
      lostEvents: 3,
      cores: [
        [{ fromMs: 0, toMs: 6, role: 'js-main', thread: 'CrRendererMain' }],
        [{ fromMs: 2, toMs: 3, role: 'foreign', thread: 'cron' }],
      ],
    },
    trace: { file: 'traces/run-1/x.json.gz', format: 'chrome-trace' },
  });
});

test('a probe that could not says why, and an opt-in one that was off is not spoken of', () => {
  const facts = cpuOf([
    { probe: 'cpu-core', notSupported: 'there is no /proc' },
    { probe: 'sched', notSupported: 'it takes root' },
  ]);
  expect(facts).toMatchObject({
    cores: { notSupported: 'there is no /proc' },
    schedule: { notSupported: 'it takes root' },
  });
  expect(facts).not.toHaveProperty('trace');
});

test('the share of others is the environment’s, and alone it is no CPU reading', () => {
  const environment = anEnvironment({ foreignShare: 0.07 });
  expect(cpuOf([schedule, environment])?.foreignShare).toBe(0.07);
  expect(cpuOf([schedule, { probe: 'environment', notSupported: 'no' }])?.foreignShare).toBeNull();
  expect(cpuOf([environment])).toBeUndefined();
});
