import { expect, test } from '@playwright/test';
import { clockTicksPerSecond } from './system-files.ts';
import { quietGate, type QuietWait } from './quiet-gate.ts';

/** A machine of which so many cores are in use, as a function of the time. */
function aMachine(busyCores: (ms: number) => number) {
  let ms = 0;
  let busyMs = 0;
  const gate = quietGate({
    platform: 'linux',
    files: {
      read: () =>
        `cpu0 ${String(Math.floor((busyMs * clockTicksPerSecond()) / 1000))} 0 0 99 0 0 0 0\n`,
      list: () => [],
    },
    now: () => ms,
    rest: (span) => {
      busyMs += span * busyCores(ms);
      ms += span;
      return Promise.resolve();
    },
  })!;
  const told: QuietWait[] = [];
  const wait = (): Promise<number> => gate((one) => told.push(one));
  return { wait, told };
}

test('a quiet machine is waited for as long as it takes to see that it is', async () => {
  const { wait, told } = aMachine(() => 0.1);
  expect(await wait()).toBe(100);
  expect(await wait()).toBe(100);
  expect(told).toEqual([]);
});

test('what the last session leaves behind is waited for', async () => {
  const { wait, told } = aMachine((ms) => (ms < 300 ? 1 : 0));
  expect(await wait()).toBe(400);
  expect(told).toEqual([]);
});

test('who waits long is told once, and a machine that stays busy is waited for less each time', async () => {
  const { wait, told } = aMachine((ms) => (ms < 4_000 ? 1.5 : 0));
  const waits: number[] = [];
  for (let trial = 0; trial < 6; trial += 1) waits.push(await wait());
  expect(waits).toEqual([2_000, 1_000, 500, 250, 150, 100]);
  expect(told).toEqual([{ why: 'others use 1.5 cores', leftMs: 1_500 }]);
});

test('a machine that was busy and is quiet again is waited for in full the next time', async () => {
  const { wait } = aMachine((ms) => (ms < 2_000 || ms >= 2_150 ? 1 : 0));
  expect([await wait(), await wait(), await wait()]).toEqual([2_000, 100, 2_000]);
});

test('it is not supported where there is no /proc', () => {
  const rest = (): Promise<void> => Promise.resolve();
  expect(quietGate({ platform: 'darwin', now: () => 0, rest })).toBeNull();
});
