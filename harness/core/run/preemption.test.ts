import { expect, test } from '@playwright/test';
import type { CoreReading, Reading, ThreadReading, ThreadWait } from '../model/reading.ts';
import { aResult, aSteadyState } from '../../testing/builders.ts';
import { withPreemption } from './preemption.ts';

const thread = { pid: 1, process: 'renderer', lastCore: 0 } as const;

/** A window of 300 ms: its thread ran for 200 ms, another of the browser for `helperMs`. */
function threads(helperMs: number, wait: Partial<ThreadWait> | null = {}): ThreadReading {
  return {
    probe: 'cpu-thread',
    wallMs: 300,
    threads: [
      { ...thread, tid: 1, name: 'main', role: 'js-main', cpuMs: 200 },
      { ...thread, tid: 2, name: 'helper', role: 'gc', cpuMs: helperMs },
    ],
    timeline: [],
    costMs: 0,
    ...(wait !== null && { wait: { ranMs: 200, waitedMs: 90, spread: 0, ...wait } }),
  };
}

function cores(busyMs: readonly number[]): CoreReading {
  const snapshots = [{ atMs: 300, busyMs, stealMs: [0, 0] }];
  return { probe: 'cpu-core', wallMs: 300, intervalMs: 20, snapshots, costMs: 0 };
}

const result = aResult([1, 2], { steadyState: aSteadyState() });

const preempted = (readings: readonly Reading[]) =>
  withPreemption(result, readings).result.steadyState?.preemptedMs;

test("counts the measuring thread's wait as preemption while other programs ran", () => {
  // 600 ms of two cores, of which the browser had 220.
  expect(preempted([threads(20), cores([300, 300])])).toBeCloseTo((90 * 380) / 400, 3);
  expect(preempted([threads(20), cores([210, 10])])).toBe(0);
});

test("counts the time of the browser's own threads as the work's", () => {
  expect(preempted([threads(380), cores([300, 300])])).toBeCloseTo((90 * 20) / 400, 3);
});

test('subtracts nothing without a count or with several working threads', () => {
  expect(preempted([threads(0, null), cores([300, 300])])).toBeUndefined();
  expect(preempted([threads(0)])).toBeUndefined();
  expect(preempted([threads(0, { spread: 0.5 }), cores([300, 300])])).toBeUndefined();
  expect(preempted([])).toBeUndefined();
});

test("a page without the kit's window keeps its result without a wait", () => {
  const plain = aResult([1, 2]);
  const measured = withPreemption(plain, [threads(20), cores([300, 300])]);
  expect(measured).toEqual({ result: plain, readings: [threads(20, null), cores([300, 300])] });
});

test('moves the wait from the readings into the result', () => {
  const { readings } = withPreemption(result, [threads(20), cores([300, 300])]);
  expect(readings).toEqual([threads(20, null), cores([300, 300])]);
});
