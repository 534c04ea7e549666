import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test, expect } from '@playwright/test';
import type { Session } from '../../../drivers/driver.ts';
import { processDriver } from '../../../drivers/process/process.ts';
import type { Assignment, Parameters, TrialResult } from '../../../pages/protocol.d.ts';
import { findEngine } from '../probes/processes.ts';
import { findRole } from '../probes/roles.ts';
import { realFiles } from '../system-files.ts';
import { startPageServer, type PageServer } from './page-server.ts';
import { type PageOutcome } from './trial-registry.ts';

/** The benchmarks of `pages/` in real runtimes, by the same protocol as in browsers. */

const pages = fileURLToPath(new URL('../../../pages', import.meta.url));
const installed = (path: string): string => resolve('.farm/runtimes', path);
const found = (...paths: string[]): string | null => paths.find(existsSync) ?? null;

interface Runtime {
  readonly name: string;
  readonly executable: string | null;
  readonly userAgent: RegExp;
}

const runtimes: readonly Runtime[] = [
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

/** A benchmark module whose operation differs from a sound one by `change`. */
function module(change: string): string {
  return `export const id = 'control';
    export const prepare = () => ({ once: () => 7, asynchronous: false, check() {}, ...{ ${change} } });`;
}

/** The error of a benchmark, its module, and the reported phase and message. */
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

let folder: string;
let server: PageServer;

// One copy of the pages and one server for all tests: none changes a page, and each trial is its own
// process.
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runtimes-'));
  await cp(pages, join(folder, 'pages'), { recursive: true });
  await cp(join(pages, 'kit'), join(folder, 'without-worker', 'kit'), {
    recursive: true,
    filter: (path) => basename(path) !== 'worker.js',
  });
  for (const [index, [, script]] of faults.entries()) {
    const faulty = join(folder, 'pages', faultyFolder(index));
    await mkdir(faulty);
    await writeFile(join(faulty, 'benchmark.js'), script);
  }
  server = await startPageServer({ pages: join(folder, 'pages'), port: 0 });
});

test.afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const faultyFolder = (index: number): string => `faulty-${String(index)}`;

/** As little measuring as gives a result: these tests ask for no steady state. */
const measurement: Assignment['measurement'] = {
  minGranules: 100,
  settled: { ms: 1, calls: 1 },
  window: { ms: 10, iterations: 8 },
  maxMs: 40,
};

interface AssignedCase {
  readonly benchmark: string;
  readonly parameters: Parameters;
  /** Folder of the page; that of the benchmark when left out. */
  readonly page?: string;
  /** Folder whose kit runs; the pages when left out. */
  readonly from?: string;
  /** Called with the program when the timed window begins. */
  readonly atStart?: (program: Session) => void;
}

interface Trial {
  readonly outcome: PageOutcome;
  readonly marks: readonly string[];
}

/**
 * Runs a trial, twice if the runtime deadlocks: Node.js was seen to do so about once in some
 * thousand starts of threads (nodejs/node#54918), and the farm repeats a trial that times out, too.
 */
const runTrial: typeof tryTrial = async (...trial) => {
  try {
    return await tryTrial(...trial);
  } catch (error) {
    if (!(error instanceof Deadlock)) throw error;
    return tryTrial(...trial);
  }
};

/** The main thread of a runtime sleeps in a lock: one that waits for events sleeps in epoll. */
class Deadlock extends Error {}

const patienceMs = 20_000;

async function noAnswer(program: Session, over: AbortSignal): Promise<never> {
  await pause(patienceMs, undefined, { signal: over });
  const [pid = 0] = await program.processes();
  const waitsIn = realFiles.read(`/proc/${String(pid)}/wchan`) ?? 'nothing that is known';
  const message = `no answer in ${String(patienceMs)} ms; its main thread waits in ${waitsIn}`;
  throw waitsIn.startsWith('futex') ? new Deadlock(message) : new Error(message);
}

async function tryTrial(
  { name, executable }: Runtime,
  { benchmark, parameters, page = benchmark, from = 'pages', atStart }: AssignedCase,
): Promise<Trial> {
  const bounds = { signal: new AbortController().signal, timeoutMs: 60_000 };
  const program = await processDriver.launch({
    browser: name,
    executable: executable ?? '',
    script: join(folder, from, 'kit', 'runtime.js'),
    flags: [],
    preferences: {},
    headless: true,
    sandbox: true,
    environment: { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder },
    profile: folder,
    ...bounds,
  });
  const marks: string[] = [];
  const over = new AbortController();
  try {
    const assignment = { protocol: 1, benchmark, parameters, measurement } as const;
    const pageTrial = server.issue(`${page}/index.html`, assignment, {
      onStart: () => {
        marks.push('start');
        atStart?.(program);
      },
      onEnd: () => marks.push('end'),
    });
    await program.open(pageTrial.url, bounds);
    const died = program.ended.then((why) => Promise.reject(new Error(why)));
    const silent = noAnswer(program, over.signal);
    silent.catch(() => undefined); // Nobody waits for it any more when the trial is over.
    const outcome = await Promise.race([pageTrial.outcome, died as Promise<never>, silent]);
    return { outcome, marks };
  } finally {
    over.abort();
    await program.close();
  }
}

/** Threads may end between the listing and the reading of their names: those have none. */
function rolesOfThreads(runtime: string, pid: number): readonly string[] {
  const tasks = `/proc/${String(pid)}/task`;
  return realFiles.list(tasks).flatMap((tid) => {
    const comm = realFiles.read(`${tasks}/${tid}/comm`);
    if (comm === null) return [];
    const thread = { pid, tid: Number(tid), process: runtime, name: comm.trim() };
    return [findRole(findEngine(runtime), thread)];
  });
}

function resultOf({ outcome }: Trial, what: string): TrialResult {
  if (outcome.kind === 'result') return outcome.result;
  throw new Error(`${what}: ${JSON.stringify(outcome)}`);
}

for (const runtime of runtimes) {
  const { name, executable, userAgent } = runtime;
  test.describe(name, () => {
    test.skip(
      executable === null,
      `${name} is not on this machine: npx crossfarm devices setup --runtimes`,
    );

    for (const place of ['worker', 'main']) {
      test(`the farm gets a result of asyncFib on ${place}`, async () => {
        const parameters = { function: 'asyncFib', n: 10, place };
        const trial = await runTrial(runtime, { benchmark: 'fib', parameters });
        const result = resultOf(trial, 'asyncFib');
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

      test(`promises: resolve, MessageChannel and setImmediate on ${place}`, async () => {
        for (const operation of ['resolve', 'MessageChannel', 'setImmediate']) {
          const parameters = { operation, n: 20, place };
          resultOf(await runTrial(runtime, { benchmark: 'promise', parameters }), operation);
        }
      });

      test(`refused parameters are an error of the phase prepare on ${place}`, async () => {
        const parameters = { function: 'asyncFib', n: 1000, place };
        const { outcome } = await runTrial(runtime, { benchmark: 'fib', parameters });
        expect(outcome).toEqual({
          kind: 'error',
          error: {
            phase: 'prepare',
            message: expect.stringMatching(/n of asyncFib.*\b1000\b.* 32\b/),
          },
        });
      });

      test(`each fault of a benchmark on ${place} is reported with its phase`, async () => {
        for (const [index, [what, , phase, message]] of faults.entries()) {
          const page = faultyFolder(index);
          const trial = { benchmark: 'control', parameters: { place }, page };
          const { outcome } = await runTrial(runtime, trial);
          expect.soft(outcome, `a benchmark that ${what}`).toEqual({
            kind: 'error',
            error: { phase, message: expect.stringMatching(message) },
          });
        }
      });
    }

    test('three threads hash together, in JavaScript and natively', async () => {
      for (const implementation of ['javascript', 'native']) {
        const shape = { calls: 100, threads: 3, run: 'first', place: 'main' };
        const parameters = { ...shape, implementation };
        const trial = await runTrial(runtime, { benchmark: 'worker-hash', parameters });
        expect(resultOf(trial, implementation), implementation).toMatchObject({
          steadiness: 'first run',
          counters: { threads: 3, calls: 100 },
        });
      }
    });

    test('the kernel shows which thread is the worker', async () => {
      test.skip(process.platform !== 'linux', 'only Linux shows the names of threads');
      let looked: Promise<readonly string[]> = Promise.resolve([]);
      // The worker lives until the farm, which looks first, has answered its end.
      const atStart = (program: Session): void => {
        looked = program.processes().then(([pid = 0]) => rolesOfThreads(name, pid));
      };
      const parameters = { function: 'syncFib', n: 10, place: 'worker' };
      resultOf(await runTrial(runtime, { benchmark: 'fib', parameters, atStart }), 'syncFib');
      const roles = await looked;
      expect(roles.filter((role) => role === 'js-main')).toHaveLength(1);
      expect(roles.filter((role) => role === 'js-worker')).toHaveLength(1);
    });

    test('a worker whose script does not load is reported by the main thread', async () => {
      const parameters = { place: 'worker' };
      const trial = { benchmark: 'control', parameters, from: 'without-worker' };
      const { outcome } = await runTrial(runtime, trial);
      expect(outcome).toMatchObject({ kind: 'error', error: { phase: 'load' } });
    });
  });
}
