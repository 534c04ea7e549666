import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, test, expect, type Browser, type Page, type Request } from '@playwright/test';
import type { Assignment, Parameters, TrialResult } from '../../../pages/protocol.d.ts';
import { startPageServer, type PageServer } from './page-server.ts';
import { type PageOutcome } from './trial-registry.ts';

/** The pages of `pages/` in a real Chromium, by hand and for the farm. */

const executablePath = '/usr/bin/chromium';
const pages = fileURLToPath(new URL('../../../pages', import.meta.url));

let server: PageServer;
let browser: Browser;
/** Of all tests: each loads its own document, and takes back what it put in its way. */
let page: Page;

test.skip(!existsSync(executablePath), `There is no ${executablePath} on this machine.`);

test.beforeAll(async () => {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath, args });
  page = await browser.newPage();
  server = await startPageServer({ pages, port: 0 });
});

test.afterAll(async () => {
  await browser?.close();
  await server?.close();
});

test.afterEach(async () => {
  await page.unrouteAll();
});

/** With as little measuring as gives a result: these tests ask for no steady state. */
function anAssignment(benchmark: string, parameters: Parameters): Assignment {
  return {
    protocol: 1,
    benchmark,
    parameters,
    measurement: {
      minGranules: 100,
      settled: { ms: 1, calls: 1 },
      window: { ms: 10, iterations: 8 },
      maxMs: 40,
    },
  };
}

interface Trial {
  readonly outcome: PageOutcome;
  readonly marks: readonly string[];
}

async function runTrial(
  assignment: Assignment,
  at = `${assignment.benchmark}/index.html`,
): Promise<Trial> {
  const marks: string[] = [];
  const pageTrial = server.issue(at, assignment, {
    onStart: () => marks.push('start'),
    onEnd: () => marks.push('end'),
  });
  await page.goto(pageTrial.url);
  await pageTrial.begun;
  return { outcome: await pageTrial.outcome, marks };
}

function resultOf({ outcome }: Trial, what: string): TrialResult {
  if (outcome.kind === 'result') return outcome.result;
  throw new Error(`${what}: ${JSON.stringify(outcome)}`);
}

/** A benchmark module whose operation differs from a sound one by `change`. */
function module(change: string): string {
  return `export const id = 'control';
    export const prepare = () => ({ once: () => 7, asynchronous: false, check() {}, ...{ ${change} } });`;
}

/** The error of a benchmark, its module, and the reported phase and message. */
const faults = [
  ['does not load', 'throw new Error("no start")', 'load', /no start/],
  ['is no module', 'this is no JavaScript', 'load', /SyntaxError/],
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

/** A single call lasts many steps of the clock, also after short measurements. */
const operations = {
  resolve: 1000,
  chain: 1000,
  queueMicrotask: 1000,
  setTimeout: 5,
  MessageChannel: 1000,
};

for (const place of ['worker', 'main']) {
  test(`the farm gets a result of syncFib and of asyncFib on ${place}`, async () => {
    for (const name of ['syncFib', 'asyncFib']) {
      const parameters = { function: name, n: 20, place };
      const trial = await runTrial(anAssignment('fib', parameters));
      const result = resultOf(trial, name);
      expect(trial.marks.slice(-2), name).toEqual(['start', 'end']);
      expect(result.clock, name).toEqual({ granuleUs: 5, isolated: true });
      expect(result.samples[0], name).toMatchObject({ metric: 'duration', unit: 'ms' });
      expect(result.samples[0]?.timed.length, name).toBeGreaterThanOrEqual(8);
      for (const value of result.samples[0]!.timed) expect(value, name).toBeGreaterThan(0);
      expect(result.counters, name).toEqual({ calls: 21_891 });
      expect(result.host.userAgent).toContain('Chrome');
      await expect(page.getByRole('status')).toHaveText('Done: the farm has the result.');
    }
  });

  test(`the control runs on ${place}, and has a worker only there`, async () => {
    const parameters = { rounds: 10_000, extraPercent: 10, place };
    const result = resultOf(await runTrial(anAssignment('control', parameters)), 'control');
    expect(result.counters).toEqual({ rounds: 11_000 });
    expect(page.workers()).toHaveLength(place === 'worker' ? 1 : 0);
  });

  test(`promises: each operation of a browser on ${place}`, async () => {
    for (const [operation, n] of Object.entries(operations)) {
      const trial = await runTrial(anAssignment('promise', { operation, n, place }));
      const { samples } = resultOf(trial, operation);
      for (const value of samples[0]!.timed) expect(value, operation).toBeGreaterThan(0);
    }
  });

  test(`three workers hash together, ask for no module again, and have ended, from ${place}`, async () => {
    const asked: string[] = [];
    const onRequest = (request: Request): void => {
      asked.push(new URL(request.url()).pathname);
    };
    page.on('request', onRequest);
    const parameters = { calls: 100, threads: 3, implementation: 'javascript', run: 'warm', place };
    const result = resultOf(await runTrial(anAssignment('worker-hash', parameters)), 'hashing');
    page.off('request', onRequest);
    expect(result.counters).toEqual({ threads: 3, calls: 100 });
    expect(result.samples[0]!.timed.length).toBeGreaterThan(1);
    expect(asked.filter((path) => path === '/worker-hash/worker.js')).toHaveLength(1);
    await expect.poll(() => page.workers().length).toBe(place === 'worker' ? 1 : 0);
  });

  test(`does not offer setImmediate to a browser on ${place}`, async () => {
    const parameters = { operation: 'setImmediate', n: 5, place };
    const { outcome } = await runTrial(anAssignment('promise', parameters));
    expect(outcome).toMatchObject({ kind: 'error', error: { phase: 'prepare' } });
  });

  test(`a refused parameter is an error of the phase prepare on ${place}`, async () => {
    const trial = await runTrial(anAssignment('fib', { function: 'asyncFib', n: 1000, place }));
    expect(trial.outcome).toEqual({
      kind: 'error',
      error: { phase: 'prepare', message: expect.stringMatching(/n of asyncFib.*\b1000\b.* 32\b/) },
    });
    await expect(page.getByRole('status')).toContainText('Failed (prepare).');
  });

  test(`each fault of a benchmark on ${place} is reported with its phase`, async () => {
    let script = '';
    await page.route('**/control/benchmark.js', (route) =>
      route.fulfill({
        body: script,
        contentType: 'text/javascript',
        headers: { 'cross-origin-embedder-policy': 'require-corp' },
      }),
    );
    for (const [what, faulty, phase, message] of faults) {
      script = faulty;
      const { outcome } = await runTrial(anAssignment('control', { place }));
      expect.soft(outcome, `a benchmark that ${what}`).toEqual({
        kind: 'error',
        error: { phase, message: expect.stringMatching(message) },
      });
    }
  });
}

test('a worker whose script does not load is reported by the page', async () => {
  await page.route('**/kit/worker.js', (route) => route.fulfill({ status: 404 }));
  const { outcome } = await runTrial(anAssignment('control', { place: 'worker' }));
  expect(outcome).toMatchObject({ kind: 'error', error: { phase: 'load' } });
});

test('a page refuses the assignment of another benchmark', async () => {
  const { outcome } = await runTrial(anAssignment('fib', {}), 'control/index.html');
  expect(outcome).toMatchObject({
    kind: 'error',
    error: { phase: 'load', message: expect.stringContaining('asked for "fib"') },
  });
});

test('reports a token that is used up', async () => {
  const pageTrial = server.issue('fib/index.html', anAssignment('fib', {}), {
    onStart() {},
    onEnd() {},
  });
  pageTrial.revoke();
  await page.goto(pageTrial.url);
  await expect(page.getByRole('status')).toContainText('There is no such trial');
});

test('a page opened by hand runs with its defaults and shows its result', async () => {
  await page.goto(`${server.origin}/fib/index.html`);
  await expect(page.getByRole('status')).toHaveText('Done.');
  await expect(page.locator('#case')).toHaveText('function=asyncFib n=12 place=worker');
  await expect(page.locator('#result')).toContainText('median duration');
  await expect(page.getByRole('row', { name: /calls/ })).toContainText('465');
  await expect(page.getByRole('row', { name: /isolated/ })).toContainText('yes');
  expect(await page.evaluate('crossOriginIsolated')).toBe(true);
  await page.screenshot({ path: test.info().outputPath('by-hand.png'), fullPage: true });
});

test('a page opened by hand takes parameters from its form', async () => {
  await page.goto(`${server.origin}/fib/index.html?n=5`);
  await page.getByLabel('place').selectOption('main');
  await page.getByLabel('function').selectOption('syncMemoFib');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.locator('#case')).toHaveText('function=syncMemoFib n=5 place=main');
  await expect(page.getByRole('status')).toHaveText('Done.');
  await expect(page.getByRole('row', { name: /calls/ })).toContainText('9');
});

test('a page opened by hand says what is wrong with a parameter', async () => {
  await page.goto(`${server.origin}/fib/index.html?n=%3Cb%3E`);
  const status = page.getByRole('status');
  await expect(status).toContainText(/n cannot be "<b>".* 1 to 1476\b/);
  await page.goto(`${server.origin}/fib/index.html?function=asyncFib&n=1476`);
  await expect(status).toContainText('n of asyncFib cannot be 1476');
});

test('the list leads to each benchmark', async () => {
  await page.goto(server.origin);
  await page.getByRole('link', { name: 'Control' }).click();
  await expect(page.getByRole('status')).toHaveText('Done.');
});
