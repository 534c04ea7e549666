import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, test, expect, type Browser, type Page } from '@playwright/test';
import type { Session } from '../../drivers/driver.ts';
import { processDriver } from '../../drivers/process/process.ts';
import { startPageServer, type PageServer } from '../../harness/core/server/page-server.ts';
import { type PageOutcome } from '../../harness/core/server/trial-registry.ts';
import type { Assignment, Parameters } from '../protocol.d.ts';

/** File reads and first promises by the trial protocol, in real runtimes and a real browser. */

const pages = fileURLToPath(new URL('..', import.meta.url));
const installed = (path: string): string => resolve('.farm/runtimes', path);

const runtimes = [
  { name: 'node', executable: process.execPath },
  { name: 'deno', executable: installed('deno/node_modules/deno/deno') },
  { name: 'bun', executable: installed('bun/node_modules/bun/bin/bun.exe') },
];

let folder: string;
let server: PageServer;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-read-test-'));
  await cp(pages, join(folder, 'pages'), { recursive: true });
  server = await startPageServer({ pages: join(folder, 'pages'), port: 0 });
});

test.afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Hears of no window. */
const nobody = { onStart: () => undefined, onEnd: () => undefined };

function anAssignment(benchmark: string, parameters: Parameters): Assignment {
  const measurement = {
    minGranules: 1,
    settled: { ms: 10, calls: 1 },
    window: { ms: 10, iterations: 2 },
    maxMs: 50,
  };
  return { protocol: 1, benchmark, parameters, measurement };
}

function reads(parameters: Record<string, string | number>): Assignment {
  const defaults = { files: 2, size: 2, mode: 'sync', state: 'warm', open: 'within' };
  return anAssignment('file-read', {
    ...defaults,
    after: 'nothing',
    place: 'worker',
    ...parameters,
  });
}

/** Which metrics a result has, all with equally many timed values; or what went wrong. */
function describe(outcome: PageOutcome): unknown {
  if (outcome.kind !== 'result') return outcome;
  const { samples } = outcome.result;
  for (const value of samples.flatMap(({ timed }) => timed)) expect(value).toBeGreaterThan(0);
  const counts = new Set(samples.map(({ timed }) => timed.length));
  expect(counts.size).toBe(1);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(1);
  return samples.map(({ metric }) => metric);
}

for (const { name, executable } of runtimes) {
  test.describe(name, () => {
    test.skip(
      !existsSync(executable),
      `${name} is not on this machine: npx crossfarm devices setup --runtimes`,
    );
    const temporary = (): string => join(folder, name);

    async function run(assignment: Assignment): Promise<unknown> {
      const bounds = { signal: new AbortController().signal, timeoutMs: 60_000 };
      await mkdir(temporary(), { recursive: true });
      const before = await readdir(temporary());
      const session: Session = await processDriver.launch({
        browser: name,
        executable,
        script: join(folder, 'pages/kit/runtime.js'),
        flags: [],
        preferences: {},
        headless: true,
        sandbox: true,
        environment: { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: temporary() },
        profile: folder,
        ...bounds,
      });
      try {
        const ticket = server.issue(`${assignment.benchmark}/index.html`, assignment, nobody);
        await session.open(ticket.url, bounds);
        const died = session.ended.then((why) => Promise.reject(new Error(why)));
        const outcome = await Promise.race([ticket.outcome, died as Promise<never>]);
        expect(await readdir(temporary())).toEqual(before);
        return describe(outcome);
      } finally {
        await session.close();
      }
    }

    test('warm reads, in a worker and on the main thread', async () => {
      expect(await run(reads({ mode: 'sync' }))).toEqual(['duration']);
      const asynchronous = reads({ mode: 'async-sequential', place: 'main' });
      expect(await run(asynchronous)).toEqual(['duration']);
    });

    for (const mode of ['async-parallel', 'callback-parallel']) {
      test(`${mode}: first reads in fresh processes`, async () => {
        const first = await run(reads({ mode, state: 'first', after: 'pool' }));
        expect(first).toEqual(['duration', 'reading']);
      });
    }

    test('cold reads', async () => {
      test.skip(!existsSync('/proc/self/io'), 'only Linux counts what came from the disk');
      const cold = await run(reads({ mode: 'async-parallel', state: 'cold' }));
      expect(cold).toEqual(['duration', 'reading']);
    });

    test('the first promises of a process', async () => {
      const parameters = { operation: 'MessageChannel', n: 3, state: 'first', place: 'main' };
      const outcome = await run(anAssignment('promise', parameters));
      expect(outcome).toEqual(['duration', 'waiting']);
    });
  });
}

/** Lists the files that the page's origin still has. Text, because it runs in the browser. */
const listFiles = `(async () => {
  const root = await navigator.storage.getDirectory();
  const names = [];
  for await (const name of root.keys()) names.push(name);
  return names;
})()`;

test.describe('chromium', () => {
  const executablePath = '/usr/bin/chromium';
  test.skip(!existsSync(executablePath), `there is no ${executablePath} on this machine`);
  let browser: Browser;
  // One for all trials: each loads its own document, and leaves no file to the next.
  let page: Page;

  test.beforeAll(async () => {
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath, args });
    page = await browser.newPage();
  });

  test.afterAll(async () => {
    await browser?.close();
  });

  async function run(assignment: Assignment): Promise<unknown> {
    const ticket = server.issue(`${assignment.benchmark}/index.html`, assignment, nobody);
    await page.goto(ticket.url);
    const described = describe(await ticket.outcome);
    const left = await page.evaluate(listFiles);
    expect(left).toEqual([]);
    return described;
  }

  for (const open of ['within', 'before']) {
    for (const mode of ['sync', 'async-parallel', 'async-sequential']) {
      test(`${mode}, opened ${open} the timing: warm and first reads, and no file is left`, async () => {
        expect(await run(reads({ mode, open }))).toEqual(['duration']);
        const first = await run(reads({ mode, open, state: 'first', files: 50, after: 'read' }));
        expect(first).toEqual(['duration', 'reading']);
      });
    }
  }

  test('synchronous handles on the main thread are refused with what to do', async () => {
    expect(await run(reads({ place: 'main' }))).toMatchObject({
      kind: 'error',
      error: { phase: 'prepare', message: expect.stringContaining('place=worker') },
    });
    expect(await run(reads({ mode: 'async-parallel', place: 'main' }))).toEqual(['duration']);
  });

  test('refuses features that only runtimes have', async () => {
    const refused: readonly Record<string, string>[] = [
      { state: 'cold' },
      { mode: 'callback-parallel' },
    ];
    for (const parameters of refused) {
      expect(await run(reads(parameters))).toMatchObject({
        kind: 'error',
        error: {
          phase: 'prepare',
          message: expect.stringContaining('browsers have no such thing'),
        },
      });
    }
  });

  test('the first promises of a page', async () => {
    const parameters = { operation: 'chain', n: 1000, state: 'first', place: 'main' };
    const outcome = await run(anAssignment('promise', parameters));
    expect(outcome).toEqual(['duration', 'waiting']);
  });
});
