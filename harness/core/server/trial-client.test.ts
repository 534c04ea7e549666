import { fileURLToPath } from 'node:url';
import { test, expect } from '@playwright/test';
import { execute } from '../../../pages/kit/execution.js';
import { openTrial, type TrialClient } from '../../../pages/kit/trial.js';
import type { Assignment, Parameters } from '../../../pages/protocol.d.ts';
import { loadCatalog } from '../plan/catalog/catalog.ts';
import type { Metric } from '../model/case.ts';
import { startPageServer, type PageServer } from './page-server.ts';

/** The page's kit against the server, in this process: neither needs a browser. */

const pages = fileURLToPath(new URL('../../../pages', import.meta.url));
const silent = { onStart() {}, onEnd() {} };

let server: PageServer;

test.beforeAll(async () => {
  server = await startPageServer({ pages, port: 0 });
});

test.afterAll(async () => {
  await server.close();
});

function anAssignment(benchmark: string, parameters: Parameters): Assignment {
  return {
    protocol: 1,
    benchmark,
    parameters,
    measurement: {
      iterations: 2,
      minIterations: 1,
      maxTimedMs: 50,
      minGranules: 1,
      warmUp: { minIterations: 1, maxIterations: 2, maxMs: 50 },
    },
  };
}

function clientOf(url: string): TrialClient {
  const client = openTrial(url);
  if (!client) throw new Error(`There is no token in ${url}.`);
  return client;
}

/** Where the defaults would keep this test busy for long. */
const lighter: Readonly<Record<string, Parameters>> = {
  'password-server': { requests: 4, concurrency: 2, cost: 4 },
  'password-page': { rounds: 1_000 },
};

test('every benchmark of pages/ is declared rightly, and runs in this process', async () => {
  const { benchmarks } = await loadCatalog(pages);
  expect(benchmarks.map(({ id }) => id)).toEqual(expect.arrayContaining(['control', 'fib']));
  for (const { id, page, parameters, metrics } of benchmarks) {
    const defaults = Object.fromEntries(parameters.map((one) => [one.name, one.default]));
    const chosen = { ...defaults, ...lighter[id] };
    const pageTrial = server.issue(`${id}/${page}`, anAssignment(id, chosen), silent);
    expect((await fetch(pageTrial.url)).status).toBe(200);
    const client = clientOf(pageTrial.url);
    const result = await execute({
      benchmarkUrl: new URL(`../../../pages/${id}/benchmark.js`, import.meta.url).href,
      assignment: await client.fetchAssignment(),
      mark: client.mark,
      onPhase() {},
    });
    await client.finish(result);
    expect(await pageTrial.outcome).toEqual({ kind: 'result', result });
    const posted = result.samples.map(({ metric, unit }) => `${metric} in ${unit}`);
    const named = (all: readonly Metric[]) => all.map((one) => `${one.id} in ${one.unit}`);
    expect(named(metrics)).toEqual(expect.arrayContaining(posted));
    const needed = metrics.filter(({ optional = false }) => !optional);
    expect(posted).toEqual(expect.arrayContaining(named(needed)));
    // This process is a runtime, whose clock nothing makes coarse.
    expect(result.clock.isolated).toBe(true);
  }
});

test('an execution that fails says in which phase', async () => {
  const phases: string[] = [];
  const failing = execute({
    benchmarkUrl: new URL('../../../pages/fib/benchmark.js', import.meta.url).href,
    assignment: anAssignment('fib', { function: 'syncFib', n: 3 }),
    mark: () => Promise.reject(new Error('the farm is gone')),
    onPhase: (phase) => phases.push(phase),
  });
  await expect(failing).rejects.toMatchObject({
    phase: 'timed',
    message: 'Error: the farm is gone',
  });
  expect(phases).toEqual(['load', 'prepare', 'warm-up', 'timed']);
});

test('starts no trial without a token', () => {
  expect(openTrial(`${server.origin}/fib/index.html?n=3`)).toBeNull();
});

test('a client reports an error, cut to what the protocol allows', async () => {
  const pageTrial = server.issue('fib/index.html', anAssignment('fib', {}), silent);
  await clientOf(pageTrial.url).fail({ phase: 'check', message: 'x'.repeat(100_000) });
  expect(await pageTrial.outcome).toEqual({
    kind: 'error',
    error: { phase: 'check', message: 'x'.repeat(2000) },
  });
});

test('a client that is refused says what the server said', async () => {
  const pageTrial = server.issue('fib/index.html', anAssignment('fib', {}), silent);
  const client = clientOf(pageTrial.url);
  await client.fetchAssignment();
  await expect(client.fetchAssignment()).rejects.toThrow('"assignment" (409)');
  await expect(client.mark('end')).rejects.toThrow('end of its window before its start');
  await expect(client.mark('start')).rejects.toThrow('(404): There is no such trial');
});

test('a token cannot lead a client to another place of the server', async () => {
  const client = clientOf(`${server.origin}/fib/index.html?trial=..%2F..%2Ffib%2Findex.html%3F`);
  await expect(client.fetchAssignment()).rejects.toThrow('(403)');
});
