import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test, expect } from '@playwright/test';
import { prepare as prepareWorkers } from './benchmark.js';
import { microsecondsBetween, outsideBy } from './clocks.js';
import { mostAtOnceInPages, refuseTooMany, watch } from './guard.js';
import { prepare as prepareProgram, wordsOf } from './program.js';
import { parseOutput } from './program-output.js';
import { means, refuseParameters } from './samples.js';
import { measureThreads } from './workers.js';

const own = { kind: 'own', 'shared-start': false };
const output = (...elapsed: readonly number[]): string =>
  [
    'thread-start 1',
    `threads ${String(elapsed.length)}`,
    `started ${String(elapsed.length)}`,
    'waited 1000000',
    'recorded 1000400',
    ...elapsed.map((ns) => `elapsed ${String(ns)}`),
    `end ${String(elapsed.length)}`,
    '',
  ].join('\n');

for (const order of ['sequential', 'parallel']) {
  test(`threads of Node.js start, are counted, timed and ended: ${order}`, async () => {
    const operation = await prepareWorkers({ threads: 3, order, ...own });
    try {
      const value = await operation.once();
      operation.check(value);
      const counters = await operation.counters?.();
      expect(counters).toMatchObject({ started: 3, knownWaitUs: 1000 });
      expect(counters?.['clockOutsideUs']).toBeLessThanOrEqual(counters!['clockToleranceUs']!);
      expect(counters?.['clockChecks']).toBeGreaterThan(3);
      expect(counters?.['recordedWaitUs']).toBeGreaterThanOrEqual(999);
      const values = Object.fromEntries(operation.also!.map((one) => [one.metric, one.values]));
      expect(values['first-instruction']).toHaveLength(3);
      expect(values['first-instruction-mean']).toHaveLength(1);
      values['first-instruction']!.forEach((first, index) => {
        expect(first).toBeGreaterThan(0);
        expect(values['first-message']![index]).toBeGreaterThanOrEqual(first);
      });
    } finally {
      await operation.end?.();
    }
  });
}

test('reports a thread that cannot start, with how many did, and ends the others', async () => {
  const trouble = Promise.reject(new Error('out of memory: 5 MiB were left'));
  trouble.catch(() => undefined);
  await expect(measureThreads({ threads: 4, order: 'parallel', trouble })).rejects.toThrow(
    /^Only \d of 4 threads.*out of memory: 5 MiB/,
  );
});

test('ends the threads with the reason when memory or time runs out', async () => {
  const short = watch(() => 10 * 2 ** 20, { keptBytes: 20 * 2 ** 20 });
  await expect(short.trouble).rejects.toThrow(/^out of memory: 10 MiB .*20 MiB/);
  short.stop();
  const late = watch(null, { longestMs: 0 });
  await expect(late.trouble).rejects.toThrow('no more within 0 s');
  late.stop();
});

test('does not try more threads than are available', () => {
  const gibibyte = 2 ** 30;
  const refuse = (threads: number, order: string, free: number | null): void => {
    refuseTooMany({ threads, order, freeMemory: free === null ? null : () => free });
  };
  expect(() => {
    refuse(1000, 'parallel', 2 * gibibyte);
  }).toThrow(/^Out of memory: 1000 threads .*2048 MiB/);
  expect(() => {
    refuse(1000, 'parallel', null);
  }).toThrow(`${String(mostAtOnceInPages)} at most`);
  refuse(1000, 'sequential', null);
  refuse(1000, 'sequential', 2 * gibibyte);
  refuse(1000, 'parallel', 16 * gibibyte);
});

test('times of two threads are compared by their origins', () => {
  const made = { origin: 1_000_000, now: 50 };
  const began = { origin: 1_000_040, now: 12 };
  expect(microsecondsBetween(made, began)).toBe(2000);
  const after = { origin: 1_000_000, now: 52.5 };
  const bounds = { before: made, after };
  expect(outsideBy(began, bounds)).toBe(0);
  expect(outsideBy({ origin: 1_000_000, now: 49.75 }, bounds)).toBe(250);
  expect(outsideBy({ origin: 1_000_000, now: 53 }, bounds)).toBe(500);
});

test('the last ten are averaged of more than ten, one after the other', () => {
  const metricsOf = (threads: number, order: 'sequential' | 'parallel'): readonly string[] =>
    means({ threads, order }, ['first-instruction']).also.map(({ metric }) => metric);
  expect(metricsOf(10, 'sequential')).toEqual(['first-instruction', 'first-instruction-mean']);
  expect(metricsOf(11, 'sequential')).toContain('last-10-mean');
  expect(metricsOf(1000, 'parallel')).not.toContain('last-10-mean');
  const { also, add } = means({ threads: 12, order: 'sequential' }, ['first-instruction']);
  add('first-instruction', [100, 100, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  expect(also.map(({ values }) => values.at(-1))).toEqual([1, 17.5, 1]);
});

test('refuses parameters that no host can run, with the values that are possible', async () => {
  expect(() => refuseParameters({ threads: 0, order: 'parallel' })).toThrow('it is 1 to 1000');
  expect(() => refuseParameters({ threads: 5, order: 'both' })).toThrow('sequential or parallel');
  const shared = { threads: 1, order: 'parallel', kind: 'own', 'shared-start': true };
  await expect(prepareWorkers(shared)).rejects.toThrow('shared-start concerns programs');
});

test('a pool of workers is Emscripten’s alone', async () => {
  const pool = { threads: 1, order: 'parallel', ...own, pool: 10 };
  await expect(prepareWorkers(pool)).rejects.toThrow('pool concerns kind=emscripten');
});

// Once: Emscripten's program can be run only once in a process.
test('gives threads beyond the pool separate workers in Node.js', async () => {
  const parameters = { threads: 20, order: 'parallel', kind: 'emscripten', pool: 10 };
  const operation = await prepareWorkers({ ...parameters, 'shared-start': false });
  try {
    operation.check(await operation.once());
    expect(await operation.counters?.()).toMatchObject({ started: 20, workers: 21 });
  } finally {
    await operation.end?.();
    // Emscripten sets it, and the tests of other files in this process would take it for a browser's.
    Reflect.deleteProperty(globalThis, 'Worker');
  }
});

test('reads the output of the program', () => {
  expect(parseOutput(output(61_234, -1), 2)).toEqual({
    started: 2,
    knownWaitUs: 1000,
    recordedWaitUs: 1000.4,
    elapsedUs: [61.234, -0.001],
  });
});

const wrong: readonly [string, string, RegExp][] = [
  ['nothing', '', /printed "" where "thread-start" and a number/],
  ['another version', output(1).replace('start 1', 'start 2'), /printed 2 as the version/],
  ['fewer threads', output(1), /printed 1 as the number of threads instead of 2/],
  ['a number that is none', output(1, 2).replace('elapsed 2', 'elapsed 2e5'), /"elapsed 2e5"/],
  ['less than it should', output(1, 2).replace(/end 2\n/, ''), /printed nothing where "end"/],
  ['more than it should', `${output(1, 2)}and so on`, /more than its result: "and so on"/],
];

for (const [what, text, complaint] of wrong) {
  test(`refuses a program that prints ${what}`, () => {
    expect(() => parseOutput(text, 2)).toThrow(complaint);
  });
}

const program = (product: string, text: string) => ({
  product,
  flags: ['-O', 'opt-level=0'],
  run: () => Promise.resolve(text),
  end: () => Promise.resolve(),
});

test('a program’s samples become metrics, and its known wait is checked', async () => {
  const parameters = { threads: 2, order: 'parallel', ...own };
  const operation = prepareProgram(parameters, program('native', output(2000, 4000)));
  operation.check(await operation.once());
  expect(operation.firstRun).toBe(true);
  expect(operation.also?.map(({ metric, values }) => [metric, values])).toEqual([
    ['first-instruction', [2, 4]],
    ['first-instruction-mean', [3]],
  ]);
  expect(await operation.counters?.()).toEqual({
    started: 2,
    knownWaitUs: 1000,
    recordedWaitUs: 1000.4,
  });
  const fast = output(1, 2).replace('recorded 1000400', 'recorded 900000');
  const wrongClock = prepareProgram(parameters, program('native', fast));
  const value = await wrongClock.once();
  expect(() => {
    wrongClock.check(value);
  }).toThrow(/1000 µs.* 900 µs/);
});

test('a native program gets its words, and wasmtime the module before them', () => {
  const order = { threads: 7, order: 'parallel' } as const;
  expect(wordsOf(program('native', ''), order, true)).toEqual([
    '-O',
    'opt-level=0',
    '7',
    'parallel',
    'shared',
  ]);
  const words = wordsOf(program('wasmtime', ''), order, false);
  expect(words[0]).toBe('run');
  expect(words.slice(-4)).toEqual([
    fileURLToPath(new URL('native/thread-start.wasm', import.meta.url)),
    '7',
    'parallel',
    'own',
  ]);
});

for (const build of ['wasi', 'emscripten']) {
  test(`the committed ${build} comes from the present source`, () => {
    const folder = new URL('native/', import.meta.url);
    const lines = readFileSync(new URL(`${build}.sha256`, folder), 'utf8')
      .trim()
      .split('\n');
    const recorded = lines.map((line) => line.split('  '));
    expect(recorded.map(([, path]) => path)).toEqual(
      expect.arrayContaining(['build.sh', 'thread-start.c']),
    );
    for (const [hash, path = ''] of recorded) {
      const bytes = readFileSync(new URL(path, folder));
      const seen = createHash('sha256').update(bytes).digest('hex');
      expect(seen, `${path} changed: build anew with native/build.sh ${build}`).toBe(hash);
    }
  });
}
