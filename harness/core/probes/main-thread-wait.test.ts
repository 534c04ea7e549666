import { mock } from 'node:test';
import { expect, test } from '@playwright/test';
import type { SystemFiles } from '../system-files.ts';
import { createMainThreadWaitProbe } from './main-thread-wait.ts';

/** Of a process: its command line, and what its main thread ran and waited, in milliseconds. */
interface Process {
  readonly argv: string;
  ran: number;
  waited: number;
  ended?: boolean;
}

/** Three cores, one of which does what the processes do; they may use the first two. */
function cores(processes: Readonly<Record<number, Process>>): string {
  const ticks = String(Object.values(processes).reduce((sum, { ran }) => sum + ran / 10, 0));
  const lines = [ticks, '100', ticks].map((busy, core) => {
    return `cpu${String(core)} ${busy} 0 0 5 0 0 0 0 0 0\n`;
  });
  return `cpu 0\n${lines.join('')}intr 0\n`;
}

/** proc_pid_stat(5): field 14 is the time in user mode, in ticks. */
function statOf(pid: number, ticks: number): string {
  const fields = Array<number>(49).fill(0).with(10, ticks);
  return `${String(pid)} (a) S ${fields.join(' ')}\n`;
}

function aSystem(processes: Readonly<Record<number, Process>>): SystemFiles {
  return {
    list: () => Object.keys(processes),
    read: (path) => {
      const [, pid = '', file] = /^\/proc\/(\w+)\/(\w+)$/.exec(path) ?? [];
      if (path === '/proc/stat') return cores(processes);
      if (pid === 'self') return '0 0 0\n';
      const process = processes[Number(pid)];
      if (process === undefined || process.ended === true) return null;
      if (file === 'stat') return statOf(Number(pid), process.ran / 10);
      if (file === 'status') return 'Name:\ta\nCpus_allowed_list:\t0-1\n';
      if (file === 'cmdline') return process.argv.replaceAll(' ', '\0');
      return `${String(process.ran * 1e6)} ${String(process.waited * 1e6)} 5\n`;
    },
  };
}

const aBrowser = (): Process => ({ argv: 'chromium --headless', ran: 900, waited: 900 });
const renderer = (): Process => ({ argv: 'chromium --type=renderer', ran: 10, waited: 5 });

function watch(
  processes: Readonly<Record<number, Process>>,
  change: () => void,
): Readonly<Record<string, readonly number[]>> {
  const probe = createMainThreadWaitProbe(aSystem(processes), 'linux').create!();
  const pids = (): number[] => Object.keys(processes).map(Number);
  const attached = probe.attach({ browser: 'chromium', processTree: pids });
  attached.start();
  change();
  attached.stop();
  const reading = attached.collect();
  attached.detach();
  if (!('values' in reading)) throw new Error('it reads counters');
  return Object.fromEntries(
    Object.entries(reading.values).map(([name, { value }]) => [name, value as readonly number[]]),
  );
}

test('reads the counters of the main thread that ran most in the window', () => {
  const [spare, page] = [renderer(), renderer()];
  const { at, waited, ran, busy, browser } = watch({ 1: aBrowser(), 2: spare, 3: page }, () => {
    page.ran += 40;
    page.waited += 30;
    spare.ran += 1;
  });
  expect(waited).toEqual([5, 35]);
  expect(ran).toEqual([10, 50]);
  expect(browser).toEqual([920, 961]);
  expect(busy![1]! - busy![0]!).toBeCloseTo(41, 6);
  expect(Math.abs(at!.at(-1)! - Date.now())).toBeLessThan(5_000);
});

test('a page whose process begins with its navigation has waited evenly since then', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    const processes: Record<number, Process> = { 1: aBrowser(), 2: renderer() };
    const { waited, ran } = watch(processes, () => {
      mock.timers.tick(100);
      processes[3] = { argv: 'chromium --type=renderer', ran: 80, waited: 40 };
      mock.timers.tick(150);
    });
    expect(ran!.at(-1)).toBe(80);
    expect(ran![0]).toBe(0);
    expect(waited!.slice(0, 11), 'it was not there').toEqual(Array(11).fill(0));
    expect([...waited!]).toEqual(waited!.toSorted((a, b) => a - b));
    expect(waited!.filter((ms) => ms > 0 && ms < 40).length).toBeGreaterThan(3);
  } finally {
    mock.timers.reset();
  }
});

test('stops the counters of an ended process, gives none without a page', () => {
  const page = renderer();
  const { waited } = watch({ 1: aBrowser(), 2: page }, () => {
    page.ended = true;
  });
  expect(waited).toEqual([5, 5]);
  const none = watch({ 1: aBrowser() }, () => undefined);
  expect(none).toMatchObject({ at: [], waited: [], ran: [] });
});

test('a long window is read more and more seldom', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    const page = renderer();
    const { at, ran } = watch({ 1: page }, () => {
      for (let ms = 0; ms < 100_000; ms += 10) {
        page.ran += 10;
        mock.timers.tick(10);
      }
    });
    expect(at!.length).toBeLessThan(4_000);
    expect(at!.length).toBeGreaterThan(2_000);
    expect(ran!.at(-1)).toBe(100_010);
    // Evenly spread from begin to end.
    expect(ran![Math.floor(ran!.length / 2)]).toBeCloseTo(50_000, -4);
  } finally {
    mock.timers.reset();
  }
});

test('is not supported where the kernel has no such counters', () => {
  const files = { read: () => null, list: () => [] };
  for (const platform of ['linux', 'darwin'] as const) {
    const support = createMainThreadWaitProbe(files, platform).create!().supports();
    expect(support).toMatchObject({ supported: false });
  }
});
