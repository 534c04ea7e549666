import { expect, test } from '@playwright/test';
import type { Reading, ThreadTotal } from '../model/reading.ts';
import {
  aCompletion,
  aJob,
  anEnvironment,
  aResult,
  aThreadReading,
  aTrial,
} from '../../testing/builders.ts';
import { readCompilerShare, readCpuTime } from './measuring-thread.ts';
import type { CompletedTrial } from './series.ts';

/** A window of 300 ms: 50 iterations of three operations, 2 ms each. */
function watched(...readings: readonly Reading[]): CompletedTrial {
  const result = aResult(Array<number>(50).fill(2), { repeats: 3 });
  return aTrial(aJob(), aCompletion({ result, readings })) as CompletedTrial;
}

function withThreads(...threads: readonly Partial<ThreadTotal>[]): CompletedTrial {
  return watched(aThreadReading(threads));
}

test('takes the CPU time of one operation from the busiest JavaScript thread', () => {
  const trial = withThreads(
    { role: 'gc', tid: 1, cpuMs: 500 },
    { role: 'js-main', tid: 7, cpuMs: 3 },
    { role: 'js-worker', tid: 8, cpuMs: 270 },
  );
  expect(readCpuTime(trial)).toBeCloseTo(270 / 150);
});

test('leaves out CPU time beyond the iterations, which the marks used', () => {
  expect(readCpuTime(withThreads({ cpuMs: 303 }))).toBeCloseTo(2);
});

test('subtracts the CPU time of the reference work, not that of others', () => {
  const cpuTimeBeside = (windowMs: number): unknown => {
    const reference = { windowMs, rounds: 10_000_000, roundNs: 1, calmNs: 1.2 };
    const steadyState = {
      firstMs: 1,
      steadyAfterMs: 1,
      noisy: false,
      windowAtMs: 1,
      reference,
      warmUpEndMs: [],
      segments: [],
    };
    const result = aResult(Array<number>(50).fill(4), { repeats: 3, steadyState });
    const readings = [aThreadReading([{ cpuMs: 312 }])];
    return readCpuTime(aTrial(aJob(), aCompletion({ result, readings })) as CompletedTrial);
  };
  // 12 ms of work, which alone took a little less, and with others 80.
  expect(cpuTimeBeside(80)).toBeCloseTo(300 / 150);
  expect(cpuTimeBeside(9)).toBeCloseTo(303 / 150);
});

test('ignores a page that the browser prepares in another process', () => {
  const trial = withThreads({ cpuMs: 290 }, { role: 'js-main', pid: 9, tid: 9, cpuMs: 55 });
  expect(readCpuTime(trial)).toBeCloseTo(290 / 150);
});

test('gives an exact share for compilers with separate threads', () => {
  const trial = withThreads(
    { cpuMs: 300 },
    { role: 'jit', tid: 9, name: 'JITWorker', cpuMs: 3.1 },
    { role: 'jit', pid: 70, tid: 71, name: 'JITWorker', cpuMs: 90 },
  );
  expect(readCompilerShare(trial)).toEqual({ share: 0.01, atMost: false });
});

for (const [engine, pool] of [
  ['Chromium', { role: 'gc', name: 'ThreadPoolForeg' }],
  ['Firefox', { role: 'other', name: 'TaskCon~ller #0' }],
] as const) {
  test(`gives a bound for compilers that share a pool, as in ${engine}`, () => {
    const trial = withThreads({ cpuMs: 300 }, { ...pool, tid: 9, cpuMs: 6.2 });
    expect(readCompilerShare(trial)).toEqual({ share: 0.02, atMost: true });
  });
}

test('knows nothing of compilers if no thread was read', () => {
  expect(readCompilerShare(watched())).toBeNull();
});

for (const [what, trial, why] of [
  ['no reading', watched(), 'the probe was off'],
  [
    'a system without one',
    watched({ probe: 'cpu-thread', notSupported: 'this is darwin' }),
    'this is darwin',
  ],
  ['threads without a role', withThreads({ role: 'other' }), 'no JavaScript thread was identified'],
  [
    'two workers',
    withThreads({ tid: 8, cpuMs: 280 }, { tid: 9, cpuMs: 270 }),
    'the work is spread over several threads',
  ],
  [
    'workers that ended unseen',
    withThreads({ role: 'js-main', cpuMs: 40 }, { role: 'other', tid: 0, cpuMs: 250 }),
    'the work is spread over several threads',
  ],
  [
    'a phone',
    watched(aThreadReading([{}]), anEnvironment({ phone: aPhone() })),
    'a phone counts the time of its threads in steps of 10 ms',
  ],
] as const) {
  test(`gives a reason instead of a CPU time for ${what}`, () => {
    expect(readCpuTime(trial)).toEqual({ why });
  });
}

function aPhone() {
  return {
    clockOffsetMs: 0,
    clockErrorMs: 1,
    batteryPercent: 80,
    powered: true,
    batteryCelsius: 30,
    thermalStatus: 0,
  };
}
