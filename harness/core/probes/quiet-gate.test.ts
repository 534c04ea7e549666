import { expect, test } from '@playwright/test';
import { clockTicksPerSecond } from '../system-files.ts';
import { filesOfSystem } from '../other-systems.ts';
import { quietGate, type QuietWait } from './quiet-gate.ts';

/** A machine with a number of busy cores, as a function of the time. */
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
  });
  const told: QuietWait[] = [];
  const wait = (): Promise<number> => gate((one) => told.push(one));
  return { wait, told };
}

test('returns as soon as it sees a quiet machine', async () => {
  const { wait, told } = aMachine(() => 0.1);
  expect(await wait()).toBe(100);
  expect(await wait()).toBe(100);
  expect(told).toEqual([]);
});

test('waits for the processes of the last session', async () => {
  const { wait, told } = aMachine((ms) => (ms < 300 ? 1 : 0));
  expect(await wait()).toBe(400);
  expect(told).toEqual([]);
});

test('reports a long wait once and halves the next one', async () => {
  const { wait, told } = aMachine((ms) => (ms < 4_000 ? 1.5 : 0));
  const waits: number[] = [];
  for (let trial = 0; trial < 6; trial += 1) waits.push(await wait());
  expect(waits).toEqual([2_000, 1_000, 500, 250, 150, 100]);
  expect(told).toEqual([{ why: 'others use 1.5 cores', leftMs: 1_500 }]);
});

test('names who it waits for, but not the browser that is to measure', async () => {
  const perMs = clockTicksPerSecond() / 1000;
  let ms = 0;
  // One is the browser of the trial; two run one program, each on half of a core.
  const stat = (pid: string, ticks: number): string =>
    `${pid} (x) R 1 ${'0 '.repeat(9)}${String(Math.floor(ticks))} 0 0 0 0 0 0 0 5 ${'0 '.repeat(16)}1\n`;
  const files: Readonly<Record<string, () => string>> = {
    '/proc/stat': () => `cpu0 ${String(Math.floor(ms * perMs))} 0 0 99 0 0 0 0\n`,
    '/proc/uptime': () => `${(1000 + ms / 1000).toFixed(2)} 0.00\n`,
    '/proc/7/stat': () => stat('7', ms * perMs),
    '/proc/8/stat': () => stat('8', 0.5 * ms * perMs),
    '/proc/9/stat': () => stat('9', 0.5 * ms * perMs),
    '/proc/8/cmdline': () => '/usr/bin/make\0-j2\0',
    '/proc/9/cmdline': () => 'make\0',
  };
  const gate = quietGate({
    platform: 'linux',
    files: { read: (path) => files[path]?.() ?? null, list: () => ['7', '8', '9', 'self'] },
    now: () => ms,
    rest: (span) => Promise.resolve(void (ms += span)),
  });
  const told: QuietWait[] = [];
  await gate(
    (one) => told.push(one),
    () => [7],
  );
  expect(told.map(({ why }) => why)).toEqual(['others use 1.0 cores: make × 2 (100 %)']);
});

test('waits the full time again after the machine was quiet once', async () => {
  const { wait } = aMachine((ms) => (ms < 2_000 || ms >= 2_150 ? 1 : 0));
  expect([await wait(), await wait(), await wait()]).toEqual([2_000, 100, 2_000]);
});

test('waits by what Node.js tells of the cores on another system', async () => {
  let ms = 0;
  const times = () => ({ user: Math.min(ms, 400), nice: 0, sys: 0, idle: 0, irq: 0 });
  const files = filesOfSystem('win32', {
    platform: 'win32',
    cpus: () => [{ times: times() }],
    ps: () => '',
    loadavg: () => [],
    freeBytes: () => 0,
    uptime: () => 0,
    now: () => 0,
  });
  const rest = (span: number): Promise<void> => Promise.resolve(void (ms += span));
  const gate = quietGate({ platform: 'win32', files, now: () => ms, rest });
  expect(await gate(() => undefined)).toBe(500);
});
