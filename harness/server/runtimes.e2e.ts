import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test, expect } from '@playwright/test';
import type { Session } from '../../drivers/driver.ts';
import { processDriver } from '../../drivers/process/process.ts';
import type { Assignment, Parameters, TrialResult } from '../../pages/protocol.d.ts';
import { engineOf } from '../probes/processes.ts';
import { roleOf } from '../probes/roles.ts';
import { realFiles } from '../system-files.ts';
import { startPageServer, type PageServer } from './page-server.ts';
import { type PageOutcome } from './trial-registry.ts';

/** The benchmarks of `pages/` in real runtimes, by the same protocol as in browsers. */

const pages = fileURLToPath(new URL('../../pages', import.meta.url));
const installed = (path: string): string => resolve('.farm/runtimes', path);
const found = (...paths: string[]): string | null => paths.find(existsSync) ?? null;

const runtimes = [
  { name: 'node', executable: process.execPath, userAgent: /^Node\.js\/\d+/ },
  {
    name: 'deno',
    executable: found('/usr/bin/deno', installed('deno/node_modules/deno/deno')),
    userAgent: /^Deno\/\d+/,
  },
  {
    name: 'bun',
    executable: found('/usr/bin/bun', installed('bun/node_modules/bun/bin/bun.exe')),
    userAgent: /^Bun\/\d+/,
  },
];

let folder: string;
let server: PageServer;
let session: Session | null = null;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runtimes-'));
  await cp(pages, join(folder, 'pages'), { recursive: true });
  server = await startPageServer({ pages: join(folder, 'pages'), port: 0 });
});

test.afterEach(async () => {
  await session?.close();
  session = null;
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function anAssignment(benchmark: string, parameters: Parameters): Assignment {
  return {
    protocol: 1,
    benchmark,
    parameters,
    measurement: {
      minGranules: 100,
      settled: { ms: 50, calls: 20 },
      window: { ms: 50, iterations: 8 },
      maxMs: 2_000,
    },
  };
}

interface Trial {
  readonly outcome: PageOutcome;
  readonly marks: readonly string[];
}

/**
 * Runs a trial, once more if the runtime deadlocks: Node.js was seen to do so about once in some
 * thousand starts of threads (nodejs/node#54918), and the farm does a trial that times out anew, too.
 */
const runTrial: typeof tryTrial = async (...trial) => {
  try {
    return await tryTrial(...trial);
  } catch (error) {
    if (!(error instanceof Deadlock)) throw error;
    await session?.close();
    return tryTrial(...trial);
  }
};

/** The main thread of a runtime sleeps in a lock: one that waits for events sleeps in epoll. */
class Deadlock extends Error {}

const patienceMs = 40_000;

async function noAnswer(program: Session): Promise<never> {
  await pause(patienceMs, undefined, { ref: false });
  const [pid = 0] = await program.processes();
  const waitsIn = realFiles.read(`/proc/${String(pid)}/wchan`) ?? 'nothing that is known';
  const message = `no answer in ${String(patienceMs)} ms; its main thread waits in ${waitsIn}`;
  throw waitsIn.startsWith('futex') ? new Deadlock(message) : new Error(message);
}

async function tryTrial(
  browser: string,
  executable: string,
  assignment: Assignment,
  atStart: (program: Session) => void = () => {},
): Promise<Trial> {
  const bounds = { signal: new AbortController().signal, timeoutMs: 60_000 };
  const opened = await processDriver.launch({
    browser,
    executable,
    script: join(folder, 'pages/kit/runtime.js'),
    flags: [],
    preferences: {},
    headless: true,
    sandbox: true,
    environment: { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder },
    profile: folder,
    ...bounds,
  });
  session = opened;
  const marks: string[] = [];
  const pageTrial = server.issue(`${assignment.benchmark}/index.html`, assignment, {
    onStart: () => {
      marks.push('start');
      atStart(opened);
    },
    onEnd: () => marks.push('end'),
  });
  await opened.open(pageTrial.url, bounds);
  const died = opened.ended.then((why) => Promise.reject(new Error(why)));
  const outcome = await Promise.race([pageTrial.outcome, died as Promise<never>, noAnswer(opened)]);
  return { outcome, marks };
}

/** Threads may end between the listing and the reading of their names: those have none. */
function rolesOfThreads(runtime: string, pid: number): readonly string[] {
  const tasks = `/proc/${String(pid)}/task`;
  return realFiles.list(tasks).flatMap((tid) => {
    const comm = realFiles.read(`${tasks}/${tid}/comm`);
    if (comm === null) return [];
    const thread = { pid, tid: Number(tid), process: runtime, name: comm.trim() };
    return [roleOf(engineOf(runtime), thread)];
  });
}

function resultOf({ outcome }: Trial): TrialResult {
  if (outcome.kind !== 'result') throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

/** A benchmark module whose operation differs from a sound one by `change`. */
function module(change: string): string {
  return `export const id = 'control';
    export const prepare = () => ({ once: () => 7, asynchronous: false, check() {}, ...{ ${change} } });`;
}

const faults = [
  ['does not load', 'throw new Error("no start")', 'load', /no start/],
  ['is no module', 'this is no JavaScript', 'load', /Error/],
  ['gives a wrong value', module('check() { throw new Error("not 7") }'), 'check', /not 7/],
  ['throws', module('once() { throw new Error("broken") }'), 'warm-up', /broken/],
  [
    'leaves a rejected promise',
    module(
      'once() { Promise.reject(new Error("stray")); return new Promise(() => {}) }, asynchronous: true',
    ),
    'warm-up',
    /stray/,
  ],
  [
    'throws where nobody catches',
    module(
      'once() { setTimeout(() => { throw new Error("late") }); return new Promise(() => {}) }, asynchronous: true',
    ),
    'warm-up',
    /late/,
  ],
] as const;

for (const { name, executable, userAgent } of runtimes) {
  test.describe(name, () => {
    test.skip(executable === null, `${name} is not on this machine: farm setup --runtimes`);
    const runtime = executable ?? '';

    for (const place of ['worker', 'main']) {
      test(`the farm gets a result of asyncFib on ${place}`, async () => {
        const parameters = { function: 'asyncFib', n: 10, place };
        const trial = await runTrial(name, runtime, anAssignment('fib', parameters));
        const result = resultOf(trial);
        expect(trial.marks.slice(-2)).toEqual(['start', 'end']);
        expect(result.clock.isolated).toBe(true);
        expect(result.clock.granuleUs).toBeGreaterThan(0);
        expect(result.clock.granuleUs).toBeLessThan(100);
        expect(result.samples[0]?.timed.length).toBeGreaterThanOrEqual(8);
        for (const value of result.samples[0]!.timed) expect(value).toBeGreaterThan(0);
        expect(result.counters).toEqual({ calls: 177 });
        expect(result.host.userAgent).toMatch(userAgent);
        expect(result.host.hardwareConcurrency).toBeGreaterThan(0);
      });

      for (const operation of ['resolve', 'MessageChannel', 'setImmediate']) {
        test(`promises: ${operation} on ${place}`, async () => {
          const parameters = { operation, n: 20, place };
          resultOf(await runTrial(name, runtime, anAssignment('promise', parameters)));
        });
      }

      test(`refused parameters are an error of the phase prepare on ${place}`, async () => {
        const parameters = { function: 'asyncFib', n: 1000, place };
        const { outcome } = await runTrial(name, runtime, anAssignment('fib', parameters));
        expect(outcome).toEqual({
          kind: 'error',
          error: {
            phase: 'prepare',
            message: expect.stringMatching(/n of asyncFib.*\b1000\b.* 32\b/),
          },
        });
      });

      for (const [what, script, phase, message] of faults) {
        test(`a benchmark that ${what} on ${place} is reported with its phase`, async () => {
          await writeFile(join(folder, 'pages/control/benchmark.js'), script);
          const { outcome } = await runTrial(name, runtime, anAssignment('control', { place }));
          expect(outcome.kind === 'error' ? outcome.error.phase : outcome).toBe(phase);
          expect(outcome.kind === 'error' ? outcome.error.message : '').toMatch(message);
        });
      }
    }

    for (const implementation of ['javascript', 'native']) {
      test(`three threads hash together: ${implementation}`, async () => {
        const parameters = { calls: 100, threads: 3, implementation, run: 'first', place: 'main' };
        const trial = await runTrial(name, runtime, anAssignment('worker-hash', parameters));
        expect(resultOf(trial)).toMatchObject({
          steadiness: 'first run',
          counters: { threads: 3, calls: 100 },
        });
      });
    }

    test('the kernel shows which thread is the worker', async () => {
      test.skip(process.platform !== 'linux', 'only Linux shows the names of threads');
      const parameters = { function: 'syncFib', n: 10, place: 'worker' };
      let looked: Promise<readonly string[]> = Promise.resolve([]);
      // The worker lives until the farm, which looks first, has answered its end.
      const look = (program: Session): void => {
        looked = program.processes().then(([pid = 0]) => rolesOfThreads(name, pid));
      };
      resultOf(await runTrial(name, runtime, anAssignment('fib', parameters), look));
      const roles = await looked;
      expect(roles.filter((role) => role === 'js-main')).toHaveLength(1);
      expect(roles.filter((role) => role === 'js-worker')).toHaveLength(1);
    });

    test('a worker whose script does not load is reported by the main thread', async () => {
      await rm(join(folder, 'pages/kit/worker.js'));
      const assignment = anAssignment('control', { place: 'worker' });
      const { outcome } = await runTrial(name, runtime, assignment);
      expect(outcome).toMatchObject({ kind: 'error', error: { phase: 'load' } });
    });
  });
}
