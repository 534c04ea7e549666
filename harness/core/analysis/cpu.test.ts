import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { Reading, RoleSample, ScheduleReading } from '../model/reading.ts';
import {
  aFoundDevice,
  aJob,
  anEnvironment,
  aRecord,
  aResult,
  aTrial,
} from '../../testing/builders.ts';
import { describeRun } from './findings.ts';
import { roleTimeline, spentInSlices } from './cpu.ts';

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

test('shows the exact schedule and the trace with the other readings of the trial', () => {
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

test('says why a probe could not read and omits an unused one', () => {
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

test("takes other programs' share from the environment, which gives no CPU reading", () => {
  const environment = anEnvironment({ foreignShare: 0.07 });
  expect(cpuOf([schedule, environment])?.foreignShare).toBe(0.07);
  expect(cpuOf([schedule, { probe: 'environment', notSupported: 'no' }])?.foreignShare).toBeNull();
  expect(cpuOf([environment])).toBeUndefined();
});

test('gives a timeline in cores, role by role in a fixed order, from zero', () => {
  const timeline: readonly RoleSample[] = [
    { atMs: 100, cpuMs: { gc: 20, 'js-main': 100 } },
    { atMs: 200, cpuMs: { gc: 80, 'js-main': 150 } },
  ];
  expect(roleTimeline({ timeline })).toEqual({
    sliceMs: 100,
    roles: [
      { role: 'js-main', busy: [1, 0.5] },
      { role: 'gc', busy: [0.2, 0.6] },
    ],
  });
});

test('leaves out a role that never ran and shows late ones idle', () => {
  const timeline: readonly RoleSample[] = [
    { atMs: 0, cpuMs: {} },
    { atMs: 50, cpuMs: { io: 0 } },
    { atMs: 100, cpuMs: { io: 0, jit: 25 } },
  ];
  expect(roleTimeline({ timeline })?.roles).toEqual([{ role: 'jit', busy: [0, 0.5] }]);
});

test('makes no timeline of too few samples', () => {
  expect(roleTimeline({ timeline: [] })).toBeNull();
  expect(roleTimeline({ timeline: [{ atMs: 80, cpuMs: { gc: 3 } }] })).toBeNull();
});

test('the slices hold exactly the time used, however samples are spaced', () => {
  const step = fc.record({
    ms: fc.integer({ min: 1, max: 300 }),
    gc: fc.integer({ min: 0, max: 600 }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 200 }), (steps) => {
      let [atMs, gc] = [0, 0];
      const timeline = steps.map((one) => {
        atMs += one.ms;
        gc += one.gc;
        return { atMs, cpuMs: { gc } };
      });
      const slices = roleTimeline({ timeline })!;
      const used =
        (slices.roles[0]?.busy ?? []).reduce((sum, one) => sum + one, 0) * slices.sliceMs;
      expect(used).toBeCloseTo(gc, 6);
      expect(slices.roles[0]?.busy.length ?? 2).toBeLessThanOrEqual(Math.min(48, steps.length));
    }),
  );
});

test('a quantity grows evenly between two samples, and stands still outside them', () => {
  const samples = [
    { atMs: 10, value: 1 },
    { atMs: 20, value: 3 },
  ];
  const spent = spentInSlices(samples, { count: 5, ms: 5 })(({ value }) => value);
  expect(spent).toEqual([0, 0, 1, 1, 0]);
  expect(spentInSlices([], { count: 2, ms: 5 })(() => 7)).toEqual([0, 0]);
});
