import { expect, test } from '@playwright/test';
import type { PhoneFacts } from '../../../core/model/reading.ts';
import type { PidStat } from '../../../core/procfs.ts';
import { phoneReadings, type PhoneReadings } from './phone-probes.ts';
import type { SampleDump } from './sample-parser.ts';

const app = 'com.android.chrome';

const stat = (pid: number, name: string, ownTicks: number, startTick = 1): PidStat => ({
  pid,
  name,
  state: 'S',
  ppid: 7,
  ownTicks,
  childTicks: 0,
  startTick,
  lastCore: 1,
});

interface Moment {
  readonly word?: string;
  /** Busy ticks of the two cores. */
  readonly busy: readonly [number, number];
  /** Ticks of the renderer's threads: Java's first one, the page's, the collector's. */
  readonly threads?: readonly PidStat[];
  readonly own?: number;
}

function aDump(atMs: number, { word = 'tick', busy, threads, own = 0 }: Moment): SampleDump {
  const total = (threads ?? []).reduce((sum, { ownTicks }) => sum + ownTicks, 0);
  return {
    atMs,
    word,
    cores: busy.map((ticks, core) => ({ core, busy: ticks, idle: atMs / 10 - ticks, steal: 0 })),
    own: threads === undefined ? null : { ...stat(9, 'sh', own) },
    processes:
      threads === undefined
        ? null
        : new Map([[50, { process: stat(50, 'dboxed_process0', total), threads }]]),
  };
}

const main = (ticks: number): PidStat => stat(51, 'CrRendererMain', ticks);
const java = stat(50, 'dboxed_process0', 3);
const collector = (ticks: number, start = 1): PidStat => stat(52, 'ThreadPoolForeg', ticks, start);

/** The page ran for a second, from 1,005 to 2,005 ms of the phone's clock; half of it also a second thread. */
const dumps = [
  aDump(500, { word: 'go', busy: [50, 50], threads: [java, main(10)] }),
  aDump(1000, { word: 'mark', busy: [60, 50], threads: [java, main(20)], own: 1 }),
  aDump(1500, { busy: [110, 70], threads: [java, main(70), collector(20, 130)], own: 2 }),
  aDump(1800, { busy: [140, 100] }),
  aDump(1900, { busy: [150, 100], threads: [java, main(110), collector(50, 130)], own: 3 }),
  aDump(2000, {
    word: 'stop',
    busy: [160, 100],
    threads: [java, main(120), collector(50, 130)],
    own: 4,
  }),
];

const phone: PhoneFacts = {
  clockOffsetMs: 7,
  clockErrorMs: 3,
  batteryPercent: 80,
  powered: true,
  batteryCelsius: 30,
  thermalStatus: 0,
};

function read(
  changed: readonly SampleDump[] = dumps,
  window = { fromMs: 1005, toMs: 2005 },
): PhoneReadings | string {
  const names = new Map([[50, `${app}:sandboxed_process0:Service0:0`]]);
  const facts = new Map([
    ['loadavg', '1.50 1.00 0.50 2/400 123'],
    ['available', '2048'],
    ['governor', 'schedutil'],
    ['khz', '1803000'],
  ]);
  return phoneReadings({
    kept: { dumps: changed, names, facts },
    window,
    browser: 'chrome',
    app,
    phone,
  });
}

function sound(readings: PhoneReadings | string): PhoneReadings {
  if (typeof readings === 'string') throw new Error(readings);
  return readings;
}

test("reports busy cores from the window's start to end, at every dump", () => {
  const { cores } = sound(read());
  expect(cores).toMatchObject({ probe: 'cpu-core', wallMs: 1000, intervalMs: 100 });
  expect(cores.snapshots.map(({ atMs, busyMs }) => [atMs, ...busyMs])).toEqual([
    [0, 0, 0],
    [500, 500, 200],
    [800, 800, 500],
    [900, 900, 500],
    [1000, 1000, 500],
  ]);
  expect(cores.costMs).toBe(30);
});

test('threads have their time inside the window, their role and their process', () => {
  const { threads } = sound(read());
  expect(threads.threads).toEqual([
    {
      pid: 50,
      tid: 51,
      process: 'renderer',
      name: 'CrRendererMain',
      role: 'js-main',
      cpuMs: 1000,
      lastCore: 1,
    },
    {
      pid: 50,
      tid: 52,
      process: 'renderer',
      name: 'ThreadPoolForeg',
      role: 'gc',
      cpuMs: 500,
      lastCore: 1,
    },
  ]);
  expect(threads.timeline).toEqual([
    { atMs: 0, cpuMs: {} },
    { atMs: 500, cpuMs: { 'js-main': 500, gc: 200 } },
    { atMs: 900, cpuMs: { 'js-main': 900, gc: 500 } },
    { atMs: 1000, cpuMs: { 'js-main': 1000, gc: 500 } },
  ]);
});

test('edges between two dumps are found between their counters', () => {
  const { cores, threads } = sound(read(dumps, { fromMs: 755, toMs: 1255 }));
  expect(cores.snapshots.at(-1)).toMatchObject({ atMs: 500, busyMs: [300, 100] });
  expect(threads.threads[0]).toMatchObject({ name: 'CrRendererMain', cpuMs: 300 });
});

test('a thread seen late brings none of its earlier time', () => {
  const late = stat(60, 'Old', 999, 1);
  const seen = dumps.map((dump) =>
    dump.word === 'stop'
      ? aDump(2000, { word: 'stop', busy: [160, 100], threads: [java, main(120), late], own: 4 })
      : dump,
  );
  const { threads } = sound(read(seen));
  expect(threads.threads.map(({ name }) => name)).not.toContain('Old');
});

test('time of threads that ended is given with their process', () => {
  const ended = dumps.map((dump) =>
    dump.atMs < 1900 ? dump : { ...dump, processes: withoutCollector(dump) },
  );
  const { threads } = sound(read(ended));
  expect(threads.threads).toMatchObject([
    { name: 'CrRendererMain', cpuMs: 1000 },
    // All time of its process beyond its threads: 300 ms of it after it was seen last.
    { name: '(ended threads)', cpuMs: 300, role: 'other' },
    { name: 'ThreadPoolForeg', cpuMs: 200, lastCore: null },
  ]);
});

function withoutCollector({ processes }: SampleDump): SampleDump['processes'] {
  const own = processes?.get(50);
  if (own === undefined) return processes;
  return new Map([[50, { ...own, threads: own.threads.filter(({ pid }) => pid !== 52) }]]);
}

test('the environment says what the phone is like, and who else used it', () => {
  const { environment } = sound(read());
  expect(environment).toMatchObject({
    load1: 1.5,
    freeMemoryBytes: 2 * 2 ** 20,
    governor: 'schedutil',
    frequencyMhz: 1803,
    stealShare: 0,
    cpuPressure: null,
    throttleEvents: null,
    phone,
  });
  // Busy 1,600 ms of two cores in 1,500 ms; the app had 1,600 and the sampler 40 of them.
  expect(environment.foreignShare).toBe(0);
});

test('gives no reading without a dump before and after the window', () => {
  expect(read(dumps.slice(1))).toMatch(/not yet watched/);
  expect(read(dumps, { fromMs: 400, toMs: 2005 })).toMatch(/not yet watched/);
  expect(read(dumps.slice(0, -1))).toMatch(/did not come in time/);
});
