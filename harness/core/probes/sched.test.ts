import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { ScheduleReading } from '../model/reading.ts';
import type { AttachedProbe, WatchedSession } from './probe.ts';
import { createSchedProbe, type SchedHost } from './sched.ts';
import { parseMountPoints } from '../procfs.ts';
import { realFiles } from '../system-files.ts';
import { mountTracefs, pidNamespace } from './tracefs/mounting.ts';

function aHost(changes: Partial<SchedHost> = {}): SchedHost {
  return {
    platform: 'linux',
    userId: 0,
    files: { list: () => [], read: () => 'nodev\ttracefs\n' },
    tryTracepoints: () => undefined,
    ...changes,
  };
}

test.describe('without tracepoints', () => {
  const obstacles: readonly [string, Partial<SchedHost>, RegExp][] = [
    ['another system', { platform: 'darwin' }, /tracepoints of Linux, and this is darwin/],
    ['another user', { userId: 1000 }, /only root/],
    [
      'another kernel',
      { files: { list: () => [], read: () => 'nodev\tproc\n' } },
      /CONFIG_TRACING/,
    ],
    [
      'a container',
      {
        tryTracepoints: () => {
          throw new Error('mount: permission denied.');
        },
      },
      /cannot be used here: mount: permission denied/,
    ],
  ];
  for (const [what, changes, because] of obstacles) {
    test(`the probe says so: ${what}`, () => {
      expect(createSchedProbe(aHost(changes)).supports()).toEqual({
        supported: false,
        because: expect.stringMatching(because),
      });
    });
  }

  test('the machine is checked once', () => {
    let asked = 0;
    const probe = createSchedProbe(aHost({ tryTracepoints: () => (asked += 1) }));
    probe.supports();
    expect(probe.supports()).toEqual({ supported: true });
    expect(asked).toBe(1);
  });
});

test.describe('with the kernel’s tracepoints', () => {
  const support = createSchedProbe().supports();
  test.skip(!support.supported, support.supported ? '' : support.because);

  const ourMounts = (): readonly string[] =>
    parseMountPoints(realFiles.read('/proc/self/mounts') ?? '', 'tracefs').filter((point) =>
      point.startsWith(join(tmpdir(), 'crossfarm-')),
    );

  /** Instances with the farm's name, made by any process. */
  function instances(): readonly string[] {
    const mounted = mountTracefs();
    try {
      return readdirSync(join(mounted.path, 'instances')).filter((name) =>
        name.startsWith('cross'),
      );
    } finally {
      mounted.release();
    }
  }

  /** Lets a child be busy on one thread for 200 ms of its CPU time, inside the probe's window. */
  async function watchBurner(): Promise<{ reading: ScheduleReading; pid: number }> {
    const burn = `process.once('message', () => {
      const used = () => { const { user, system } = process.cpuUsage(); return user + system; };
      for (const from = used(); used() - from < 200000;);
      process.send('done');
    }); process.on('disconnect', () => process.exit()); process.send('ready');`;
    const child = spawn(process.execPath, ['-e', burn], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await once(child, 'message');
    const session: WatchedSession = { browser: 'program', processTree: () => [child.pid!] };
    const probe = createSchedProbe().attach(session);
    try {
      probe.start();
      child.send('go');
      await once(child, 'message');
      probe.stop();
      return { reading: probe.collect() as ScheduleReading, pid: child.pid! };
    } finally {
      probe.detach();
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }

  test('a busy child is on cores as long as stated, without overlaps', async () => {
    const { reading, pid } = await watchBurner();
    expect(reading.lostEvents).toBe(0);
    expect(reading.cores).toHaveLength(cpus().length);
    const ours = reading.cores.flat().filter(({ tid }) => tid === pid);
    const busyMs = ours.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    expect(busyMs).toBeGreaterThan(150);
    expect(ours.every(({ role, thread }) => role === 'other' && thread === 'node')).toBe(true);
    expect(reading.coresBusy * reading.wallMs).toBeGreaterThanOrEqual(busyMs - 0.001);
    expect(reading.coresBusy).toBeLessThanOrEqual(cpus().length);
    const wrong = reading.cores.flatMap((lane) =>
      lane.filter(({ fromMs, toMs }, index) => {
        const follows = fromMs >= (lane[index - 1]?.toMs ?? 0) && toMs > fromMs;
        return !follows || toMs > reading.wallMs + 0.001;
      }),
    );
    expect(wrong).toEqual([]);
    // The farm itself waits on a core now and then: it is not of the session.
    expect(reading.cores.flat().some(({ role }) => role === 'foreign')).toBe(true);
  });

  const nobody: WatchedSession = { browser: 'program', processTree: () => [] };
  const moments: Readonly<Record<string, (probe: AttachedProbe) => void>> = {
    'right after attach': () => undefined,
    'inside the window': (probe) => {
      probe.start();
    },
    'after the window': (probe) => {
      probe.start();
      probe.stop();
    },
    'for the second time': (probe) => {
      probe.detach();
    },
  };
  for (const [moment, reach] of Object.entries(moments)) {
    test(`leaves no instance and no mount when detached ${moment}`, () => {
      const before = instances();
      const probe = createSchedProbe().attach(nobody);
      reach(probe);
      probe.detach();
      expect(instances()).toEqual(before);
      expect(ourMounts()).toEqual([]);
    });
  }

  test('can be used for a second window, which knows nothing of the first', () => {
    const probe = createSchedProbe().attach(nobody);
    try {
      for (const window of ['first', 'second']) {
        probe.start();
        probe.stop();
        const reading = probe.collect() as ScheduleReading;
        expect(reading.lostEvents, window).toBe(0);
        const times = reading.cores.flat().map(({ toMs }) => toMs);
        expect(Math.max(0, ...times), window).toBeLessThanOrEqual(reading.wallMs + 0.001);
      }
    } finally {
      probe.detach();
    }
  });

  test('removes what a crashed farm left behind', async () => {
    const farm = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await once(farm, 'exit');
    const name = ['crossfarm', pidNamespace(), farm.pid, 1, 1].map(String).join('-');
    const mounted = mountTracefs();
    mkdirSync(join(mounted.path, 'instances', name));
    mounted.release();
    const folder = join(tmpdir(), name);
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tracefs', 'nodev', folder]);

    createSchedProbe().attach(nobody).detach();
    expect(instances()).not.toContain(name);
    expect(ourMounts()).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  test('refuses to give a reading before the window is over', () => {
    const probe = createSchedProbe().attach(nobody);
    probe.start();
    expect(() => probe.collect()).toThrow('collect() comes after stop()');
    probe.detach();
  });
});
