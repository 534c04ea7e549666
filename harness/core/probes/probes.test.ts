import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import { expect, test } from '@playwright/test';
import type { ThreadReading } from '../model/reading.ts';
import { type CoreTicks, parsePidStat, parseSchedstat } from '../procfs.ts';
import { createCpuCoreProbe } from './cpu-core.ts';
import { createCpuThreadProbe } from './cpu-thread.ts';
import { createEnvironmentProbe, computeShares } from './environment.ts';
import { defaultProbes } from './index.ts';
import type { AttachedProbe, WatchedSession } from './probe.ts';
import { realFiles, type SystemFiles } from '../system-files.ts';

/** A child that burns CPU time when asked to, and answers with the time that it really used. */
const burner = `
  const { Worker } = require('node:worker_threads');
  const { spawn } = require('node:child_process');
  const usedMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  const burn = (ms) => { const from = usedMs(); while (usedMs() - from < ms); };
  // Node.js before 24 calls all its threads "node".
  const named = 'require("node:fs").writeFileSync("/proc/thread-self/comm","WorkerThread");';
  const loop = 'const t=()=>{const u=process.cpuUsage();return u.user+u.system};const f=t();while(t()-f<300000);';
  let held;
  const works = {
    main: async () => burn(300),
    // A worker that is over before the window ends.
    thread: () => new Promise((done) => new Worker(named + loop, { eval: true }).on('exit', done)),
    // A worker that has worked, and lives until it is released.
    held: () => new Promise((done) => {
      const wait = 'const { parentPort } = require("node:worker_threads"); parentPort.once("message", () => {}); parentPort.postMessage(0);';
      held = new Worker(named + loop + wait, { eval: true }).on('message', done);
    }),
    released: () => new Promise((done) => held.on('exit', done).postMessage(0)),
    // A child that is over, and waited for, before the window ends.
    process: () => new Promise((done) => spawn(process.execPath, ['-e', loop]).on('exit', done)),
    // A child that still lives when the window ends.
    living: () => new Promise((done) => {
      const code = loop + 'process.send(0); setInterval(() => {}, 1e6); process.on("disconnect", () => process.exit());';
      spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }).on('message', done);
    }),
  };
  process.on('message', async (work) => {
    const from = usedMs();
    await works[work]();
    process.send(usedMs() - from);
  });
  process.on('disconnect', () => process.exit());
  process.send('ready');
`;

const linuxOnly = 'reads /proc, which only Linux has';

let child: ChildProcess;

test.beforeEach(async () => {
  test.skip(process.platform !== 'linux', linuxOnly);
  child = spawn(process.execPath, ['-e', burner], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  await once(child, 'message');
});

test.afterEach(async () => {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
});

type Work = 'main' | 'thread' | 'held' | 'released' | 'process' | 'living';

/** Lets the child work and gives the CPU time that it says it used, in milliseconds. */
async function letWork(work: Work): Promise<number> {
  const answer = once(child, 'message');
  child.send(work);
  return Number((await answer)[0]);
}

const watched: WatchedSession = { browser: 'program', processTree: () => treeOf(child.pid!) };

/** Milliseconds on CPU of a process's worker; 0 without any. */
function usedByWorker(pid: number): number {
  const folder = `/proc/${String(pid)}/task`;
  const used = realFiles.list(folder).map((tid) => {
    const name = realFiles.read(`${folder}/${tid}/comm`)?.trim();
    const text = realFiles.read(`${folder}/${tid}/schedstat`);
    return name === 'WorkerThread' && text ? parseSchedstat(text).onCpuNs / 1e6 : 0;
  });
  return Math.max(0, ...used);
}

function treeOf(root: number): readonly number[] {
  const stats = realFiles
    .list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => parsePidStat(realFiles.read(`/proc/${pid}/stat`) ?? '') ?? []);
  const found = new Set([root]);
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const { pid, ppid } of stats) if (found.has(ppid)) found.add(pid);
  }
  return [...found];
}

async function threadsOf(work: Work): Promise<{
  reading: ThreadReading;
  usedMs: number;
}> {
  const probe = createCpuThreadProbe().attach(watched);
  probe.start();
  const usedMs = await letWork(work);
  probe.stop();
  const reading = probe.collect() as ThreadReading;
  probe.detach();
  return { reading, usedMs };
}

function sumOf(reading: ThreadReading): number {
  return reading.threads.reduce((sum, thread) => sum + thread.cpuMs, 0);
}

test.describe('cpu-thread', () => {
  test("finds a busy child's time on its thread, within the cores' limit", async () => {
    const { reading, usedMs } = await threadsOf('main');
    const [first] = reading.threads;
    expect(first).toMatchObject({ pid: child.pid, tid: child.pid, process: 'node', name: 'node' });
    expect(first!.cpuMs).toBeGreaterThanOrEqual(usedMs * 0.5);
    expect(first!.lastCore).toBeLessThan(os.cpus().length);
    expect(first!.lastCore).toBeGreaterThanOrEqual(0);
    expect(sumOf(reading)).toBeLessThanOrEqual((reading.wallMs + 50) * os.cpus().length);
    expect(reading.costMs).toBeGreaterThan(0);
  });

  test('gives the time of ended threads as a row of their process', async () => {
    const { reading, usedMs } = await threadsOf('thread');
    // The worker ran for 300 ms, so the sampler saw it and knows its name.
    const ended = reading.threads.find((thread) => thread.name.endsWith(' (ended)'));
    expect(ended).toMatchObject({ pid: child.pid, tid: 0, lastCore: null });
    expect(ended!.cpuMs).toBeGreaterThanOrEqual(usedMs * 0.5);
    expect(sumOf(reading)).toBeLessThanOrEqual((reading.wallMs + 50) * os.cpus().length);
  });

  test('threads that ended inside the window keep their role', async () => {
    const probe = createCpuThreadProbe().attach({ ...watched, browser: 'node' });
    probe.start();
    const usedMs = await letWork('thread');
    probe.stop();
    const { threads, timeline } = probe.collect() as ThreadReading;
    probe.detach();
    const workers = threads.filter(({ role }) => role === 'js-worker');
    expect(workers).toMatchObject([{ name: 'WorkerThread (ended)' }]);
    expect(workers[0]!.cpuMs).toBeGreaterThanOrEqual(usedMs * 0.5);
    expect(timeline.at(-1)?.cpuMs['js-worker']).toBeGreaterThan(0);
  });

  test('counts nothing of a thread that was seen and ended before the window', async () => {
    await letWork('held');
    // More than is allowed to be counted below.
    expect(usedByWorker(child.pid!)).toBeGreaterThan(200);
    const probe = createCpuThreadProbe().attach(watched);
    await letWork('released');
    probe.start();
    probe.stop();
    const reading = probe.collect() as ThreadReading;
    probe.detach();
    expect(sumOf(reading)).toBeLessThan(150);
  });

  test('gives the time of ended processes as a row of their parent', async () => {
    const { reading } = await threadsOf('process');
    const ended = reading.threads.find((thread) => thread.name === '(ended processes)');
    expect(ended).toMatchObject({ pid: child.pid, role: 'other' });
    expect(ended!.cpuMs).toBeGreaterThanOrEqual(300 * 0.5);
  });

  test('counts a process that was born inside the window from its beginning', async () => {
    const { reading } = await threadsOf('living');
    const others = reading.threads.filter((thread) => thread.pid !== child.pid);
    expect(others.reduce((sum, thread) => sum + thread.cpuMs, 0)).toBeGreaterThanOrEqual(300 * 0.5);
  });

  async function aTimeline(): Promise<ThreadReading> {
    const probe = createCpuThreadProbe().attach(watched);
    // As in a warm-up: until the first full round only threads that were at work are read.
    await letWork('main');
    probe.start();
    await letWork('main');
    probe.stop();
    const reading = probe.collect() as ThreadReading;
    probe.detach();
    return reading;
  }

  test('shows how the time grew by role, from nothing to the totals', async () => {
    // Two instants and both ends. A busy machine may wake the sampler too late for them.
    let reading = await aTimeline();
    for (let tries = 0; tries < 10 && reading.timeline.length < 4; tries++)
      reading = await aTimeline();
    const { timeline, threads, wallMs } = reading;
    expect(timeline.length).toBeGreaterThanOrEqual(4);
    expect(timeline[0]).toEqual({ atMs: 0, cpuMs: {} });
    expect(timeline.at(-1)?.atMs).toBe(wallMs);
    for (const [index, { atMs, cpuMs }] of timeline.slice(1).entries()) {
      expect(atMs).toBeGreaterThan(timeline[index]!.atMs);
      for (const [role, ms] of Object.entries(timeline[index]!.cpuMs)) {
        expect(cpuMs[role as keyof typeof cpuMs]).toBeGreaterThanOrEqual(ms);
      }
    }
    const living = threads.filter(({ tid }) => tid !== 0);
    const total = living.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    expect(timeline.at(-1)?.cpuMs.other).toBeCloseTo(total, 6);
    expect(timeline.at(-2)?.cpuMs.other).toBeGreaterThan(total / 4);
  });

  test('gives no timeline of a window that is too short to sample', () => {
    const probe = createCpuThreadProbe().attach(watched);
    probe.start();
    probe.stop();
    expect(probe.collect()).toMatchObject({ timeline: [] });
    probe.detach();
  });

  test('leaves out what was used before the window', async () => {
    const usedBefore = await letWork('main');
    const probe = createCpuThreadProbe().attach(watched);
    probe.start();
    probe.stop();
    expect(sumOf(probe.collect() as ThreadReading)).toBeLessThan(usedBefore / 2);
  });

  test('counts nothing for an old process that joins the tree late', async () => {
    const usedBefore = await letWork('main');
    let pids: readonly number[] = [];
    const late: WatchedSession = { browser: 'program', processTree: () => pids };
    const probe = createCpuThreadProbe().attach(late);
    probe.start();
    pids = [child.pid!];
    probe.stop();
    expect(usedBefore).toBeGreaterThan(0);
    expect(probe.collect()).toMatchObject({ threads: [] });
  });
});

test.describe('cpu-core', () => {
  test('shows the busy child on the cores for the whole window', async () => {
    const probe = createCpuCoreProbe().attach(watched);
    probe.start();
    const usedMs = await letWork('main');
    probe.stop();
    const reading = probe.collect();
    probe.detach();
    if (!('snapshots' in reading)) throw new Error('not supported here');
    const first = reading.snapshots[0]!;
    const last = reading.snapshots.at(-1)!;
    expect(first.atMs).toBe(0);
    expect(last.atMs).toBe(reading.wallMs);
    expect([...first.busyMs, ...first.stealMs].every((ms) => ms === 0)).toBe(true);
    expect(last.busyMs.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(usedMs * 0.5);
    for (const [index, snapshot] of reading.snapshots.slice(1).entries()) {
      const before = reading.snapshots[index]!;
      expect(snapshot.atMs).toBeGreaterThan(before.atMs);
      snapshot.busyMs.forEach((ms, core) => {
        expect(ms).toBeGreaterThanOrEqual(before.busyMs[core]!);
      });
    }
    // The child works for at least 300 ms, so the timer had its chance.
    expect(reading.snapshots.length).toBeGreaterThan(2);
    expect(reading.costMs).toBeGreaterThan(0);
    expect(reading.costMs).toBeLessThan(reading.wallMs * os.cpus().length);
  });
});

test('cpu-core keeps every sample of a long window', () => {
  const samples: (() => void)[] = [];
  const { setInterval: set } = globalThis;
  globalThis.setInterval = ((sample: () => void) => {
    samples.push(sample);
    return set(() => undefined, 1e6);
  }) as typeof set;
  const probe = createCpuCoreProbe().attach(watched);
  try {
    probe.start();
    // As after half a minute.
    for (let count = 0; count < 1500; count += 1) samples[0]!();
    probe.stop();
  } finally {
    globalThis.setInterval = set;
    probe.detach();
  }
  const reading = probe.collect();
  if (!('snapshots' in reading)) throw new Error('not supported here');
  expect(reading.snapshots).toHaveLength(1502);
  const instants = reading.snapshots.map(({ atMs }) => atMs);
  expect(instants).toEqual(instants.toSorted((a, b) => a - b));
  expect(reading.snapshots.every(({ busyMs }) => busyMs.length === os.cpus().length)).toBe(true);
});

test.describe('environment', () => {
  test('calls a session foreign only when it is not watched', async () => {
    const foreignOf = async (session: WatchedSession): Promise<number> => {
      const probe = createEnvironmentProbe().attach(session);
      probe.start();
      await letWork('main');
      probe.stop();
      const reading = probe.collect();
      if (!('foreignShare' in reading)) throw new Error('not supported here');
      expect(reading.load1).toBeGreaterThanOrEqual(0);
      expect(reading.freeMemoryBytes).toBeGreaterThan(0);
      expect(reading.foreignShare).toBeGreaterThanOrEqual(0);
      expect(reading.foreignShare).toBeLessThanOrEqual(1);
      expect(reading.stealShare).toBeGreaterThanOrEqual(0);
      return reading.foreignShare!;
    };
    await foreignOf(watched);
    const stranger = await foreignOf({ browser: 'program', processTree: () => [] });
    expect(stranger).toBeGreaterThan(0);
  });

  test('names the program that used the CPU, unless it is of the session', async () => {
    const namesBeside = async (session: WatchedSession): Promise<readonly string[]> => {
      const files = { ...realFiles, list: () => [String(child.pid)] };
      const probe = createEnvironmentProbe('linux', files).attach(session);
      await letWork('main');
      probe.start();
      probe.stop();
      const reading = probe.collect();
      return 'neighbours' in reading ? (reading.neighbours ?? []).map(({ name }) => name) : [];
    };
    expect(await namesBeside({ browser: 'program', processTree: () => [] })).toEqual(['node']);
    expect(await namesBeside(watched)).toEqual([]);
  });

  test('subtracts session and farm from the busy time, never below zero', () => {
    const cores = (busy: number, steal: number): readonly CoreTicks[] => [
      { core: 0, busy: 1000 + busy, idle: 0, steal },
      { core: 1, busy: 500, idle: 0, steal: 0 },
    ];
    const shares = (busy: number, knownMs: number): unknown =>
      computeShares({ before: cores(0, 0), after: cores(busy, 20), lastedMs: 1000, knownMs }, 10);
    // 80 ticks of 10 ms were busy, 600 ms of them ours; the two cores could give 2,000 ms.
    expect(shares(80, 600)).toEqual({ foreignShare: 0.1, stealShare: 0.1 });
    expect(shares(80, 900)).toEqual({ foreignShare: 0, stealShare: 0.1 });
  });

  test('gives no share of a window that is too short for the kernel’s ticks', () => {
    const cores: readonly CoreTicks[] = [{ core: 0, busy: 0, idle: 0, steal: 0 }];
    const use = { before: cores, after: cores, knownMs: 0 };
    const nothing = { foreignShare: null, stealShare: null };
    expect(computeShares({ ...use, lastedMs: 199 }, 10)).toEqual(nothing);
    expect(computeShares({ ...use, lastedMs: 200 }, 10)).toEqual({
      foreignShare: 0,
      stealShare: 0,
    });
  });

  test('counts throttling of every core and package since the warm-up', () => {
    let hotter = 0;
    const files: SystemFiles = {
      list: () => ['cpu0', 'cpu1', 'cpufreq'],
      read: (path) =>
        /cpu[01]\/thermal_throttle\/(core|package)_throttle_count$/.test(path)
          ? `${String(7 + hotter)}\n`
          : null,
    };
    const probe = createEnvironmentProbe('linux', files).attach(watched);
    hotter = 2;
    probe.start();
    probe.stop();
    expect(probe.collect()).toMatchObject({ throttleEvents: 8 });
    probe.start();
    probe.stop();
    expect(probe.collect()).toMatchObject({ throttleEvents: 0 });
  });

  test('counts what others used while the page warmed up, not only in its window', async () => {
    const probe = createEnvironmentProbe().attach({ browser: 'program', processTree: () => [] });
    const usedMs = await letWork('main');
    probe.start();
    probe.stop();
    const reading = probe.collect();
    if (!('foreignShare' in reading)) throw new Error('not supported here');
    expect(usedMs).toBeGreaterThan(0);
    expect(reading.foreignShare).toBeGreaterThan(0);
  });

  test('gives null for what the machine does not show', () => {
    const files: SystemFiles = { list: () => [], read: () => null };
    const probe = createEnvironmentProbe('linux', files).attach(watched);
    probe.start();
    probe.stop();
    expect(probe.collect()).toMatchObject({
      load1: null,
      cpuPressure: null,
      freeMemoryBytes: null,
      governor: null,
      frequencyMhz: null,
      foreignShare: null,
      stealShare: null,
      throttleEvents: null,
    });
  });
});

test.describe('every probe', () => {
  /** Descriptors of counters in /proc that this process holds. */
  const openStats = (): number =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return /^\/proc\/.*stat$/.test(readlinkSync(`/proc/self/fd/${fd}`));
      } catch (error) {
        // The listing's own descriptor is closed by now.
        return !(error instanceof Error);
      }
    }).length;

  const moments: Readonly<Record<string, (probe: AttachedProbe) => void>> = {
    'right after attach': () => undefined,
    'inside the window': (probe) => {
      probe.start();
    },
    'after stop': (probe) => {
      probe.start();
      probe.stop();
    },
    'inside the window, and once more': (probe) => {
      probe.start();
      probe.detach();
    },
  };
  for (const [moment, reach] of Object.entries(moments)) {
    test(`releases its timers and descriptors when detached ${moment}`, () => {
      const timers = new Set<NodeJS.Timeout>();
      const { setInterval: set, clearInterval: clear } = globalThis;
      globalThis.setInterval = ((...args: Parameters<typeof set>) => {
        const timer = set(...args);
        timers.add(timer);
        return timer;
      }) as typeof set;
      globalThis.clearInterval = ((timer: NodeJS.Timeout) => {
        timers.delete(timer);
        clear(timer);
      }) as typeof clear;
      try {
        const before = openStats();
        for (const probe of defaultProbes()) {
          const attached = probe.attach(watched);
          reach(attached);
          attached.detach();
        }
        expect(timers.size).toBe(0);
        expect(openStats()).toBe(before);
      } finally {
        globalThis.setInterval = set;
        globalThis.clearInterval = clear;
      }
    });
  }

  test('can be used for a second window after the first', () => {
    for (const probe of defaultProbes()) {
      const attached = probe.attach(watched);
      for (const window of ['first', 'second']) {
        attached.start();
        attached.stop();
        expect(attached.collect(), `${probe.name}, ${window} window`).toMatchObject({
          probe: probe.name,
        });
      }
      attached.detach();
    }
  });

  test('refuses to give a reading before the window is over', () => {
    for (const probe of defaultProbes()) {
      const attached = probe.attach(watched);
      attached.start();
      expect(() => attached.collect(), probe.name).toThrow('collect() comes after stop()');
      attached.detach();
    }
  });

  test('says on another system that it is not supported, and why', () => {
    expect(createCpuThreadProbe('linux').supports()).toEqual({ supported: true });
    expect(createCpuThreadProbe('darwin').supports()).toEqual({
      supported: false,
      because: expect.stringMatching(/Linux's \/proc.*darwin/),
    });
  });

  test('says that threads cannot be distinguished on a kernel without schedstat', () => {
    const files: SystemFiles = { read: () => null, list: () => [] };
    expect(createCpuThreadProbe('linux', files).supports()).toEqual({
      supported: false,
      because: expect.stringContaining('CONFIG_SCHED_INFO'),
    });
  });
});
