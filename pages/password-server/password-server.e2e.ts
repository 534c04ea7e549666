import { createServer } from 'node:net';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test, expect } from '@playwright/test';
import { isLiving, listChildren } from '../../drivers/shared/child-program.ts';
import type { Session } from '../../drivers/driver.ts';
import { processDriver } from '../../drivers/process/process.ts';
import { startPageServer, type PageServer } from '../../harness/core/server/page-server.ts';
import { type PageOutcome } from '../../harness/core/server/trial-registry.ts';
import type { Parameters } from '../protocol.d.ts';

/** The benchmark in real runtimes: what it measures, how it fails, and that nothing is left running. */

const pages = fileURLToPath(new URL('..', import.meta.url));
const installed = (path: string): string => resolve('.farm/runtimes', path);
const found = (...paths: string[]): string | null => paths.find(existsSync) ?? null;

const node = process.execPath;
const runtimes = [
  { name: 'node', executable: node },
  {
    name: 'deno',
    executable: found('/usr/bin/deno', installed('deno/node_modules/deno/deno')),
  },
  {
    name: 'bun',
    executable: found('/usr/bin/bun', installed('bun/node_modules/bun/bin/bun.exe')),
  },
];

/** The least work that shows that everything is done. */
const few: Parameters = {
  work: 'hash',
  route: 'async',
  generator: 'autocannon',
  concurrency: 4,
  requests: 40,
  cost: 4,
  threadPool: 0,
  port: 0,
};

let folder: string;
let server: PageServer;
let session: Session | null = null;
const bounds = { signal: new AbortController().signal, timeoutMs: 60_000 };

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'password-'));
  server = await startPageServer({ pages, port: 0 });
});

test.afterEach(async () => {
  await session?.close();
  session = null;
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

interface StartedPage {
  readonly outcome: Promise<PageOutcome>;
  /** Resolves when the timed window begins. */
  readonly begun: Promise<void>;
}

interface Place {
  readonly runtime?: (typeof runtimes)[number];
  /** Where the benchmark's modules lie. */
  readonly from?: string;
  readonly path?: string;
}

async function start(parameters: Parameters, place: Place = {}): Promise<StartedPage> {
  const { runtime = runtimes[0]!, from = pages, path = process.env['PATH'] ?? '' } = place;
  session = await processDriver.launch({
    browser: runtime.name,
    executable: runtime.executable ?? '',
    script: join(from, 'kit/runtime.js'),
    flags: [],
    preferences: {},
    headless: true,
    sandbox: true,
    environment: { PATH: path, HOME: folder, TMPDIR: folder },
    profile: folder,
    ...bounds,
  });
  let onStart = (): void => undefined;
  const begun = new Promise<void>((tell) => (onStart = tell));
  const ticket = server.issue(
    'password-server/index.html',
    {
      protocol: 1,
      benchmark: 'password-server',
      parameters: { ...few, ...parameters },
      measurement: {
        iterations: 8,
        minIterations: 3,
        maxTimedMs: 2000,
        minGranules: 100,
        warmUp: { minIterations: 3, maxIterations: 500, maxMs: 500 },
      },
    },
    { onStart, onEnd: () => undefined },
  );
  await session.open(ticket.url, bounds);
  const died = session.ended.then((why) => Promise.reject(new Error(why)));
  const outcome = Promise.race([ticket.outcome, died as Promise<never>]);
  outcome.catch(() => undefined); // A test that kills the trial does not wait for it.
  return { outcome, begun };
}

/** The trial's process, and the server that it started. */
async function processes(): Promise<readonly [number, readonly number[]]> {
  const [trial = 0] = (await session?.processes()) ?? [];
  return [trial, listChildren(trial)];
}

async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isLiving(pid), { timeout: 10_000 }).toBe(false);
}

for (const runtime of runtimes) {
  for (const route of ['sync', 'async']) {
    test(`${runtime.name}: a load of /${route} gives its rate and every latency`, async () => {
      test.skip(
        runtime.executable === null,
        `${runtime.name} is missing: npx crossfarm devices setup --runtimes`,
      );
      const { outcome } = await start({ route }, { runtime });
      const ended = await outcome;
      if (ended.kind !== 'result') throw new Error(JSON.stringify(ended));
      const { samples, counters, steadiness } = ended.result;
      const values = Object.fromEntries(samples.map(({ metric, timed }) => [metric, timed]));
      expect(values['latency']).toHaveLength(40);
      expect(steadiness).toBe('first run');
      expect(counters['connections']).toBe(4);
      const [[rate = 0] = [], [duration = 0] = []] = [values['throughput'], values['duration']];
      // The same load by two clocks: the answers', and the kit's.
      expect((rate * duration) / 1000).toBeGreaterThan(39);
      expect(Math.min(...values['latency']!)).toBeLessThanOrEqual(values['latency-mean']![0]!);
      const [, servers] = await processes();
      expect(servers, 'the server has ended before the result was sent').toEqual([]);
    });
  }
}

test('the pool has as many threads as `threadPool` says', async () => {
  test.skip(process.platform !== 'linux', 'only Linux shows threads');
  const threads = async (threadPool: number): Promise<number> => {
    const { outcome } = await start({ threadPool, cost: 6 });
    const ended = await outcome;
    await session?.close();
    return ended.kind === 'result' ? (ended.result.counters['serverThreads'] ?? 0) : 0;
  };
  expect((await threads(8)) - (await threads(1))).toBe(7);
});

test('a load by ab gives the same metrics', async () => {
  test.skip(
    found('/usr/bin/ab') === null,
    'ab is not on this machine: apt-get install apache2-utils',
  );
  const { outcome } = await start({ generator: 'ab' });
  const ended = await outcome;
  if (ended.kind !== 'result') throw new Error(JSON.stringify(ended));
  expect(ended.result.samples.map(({ timed }) => timed.length)).toEqual([1, 1, 40, 1, 1, 1]);
  expect(ended.result.counters['connections']).toBe(4);
});

test('without ab the trial fails with what helps', async () => {
  const { outcome } = await start({ generator: 'ab' }, { path: folder });
  expect(await outcome).toEqual({
    kind: 'error',
    error: { phase: 'prepare', message: expect.stringContaining('apt-get install apache2-utils') },
  });
});

test('the trial fails if the output of ab is not what was asked for', async () => {
  const ab = join(folder, 'ab');
  await writeFile(ab, '#!/bin/sh\necho "Complete requests: 7"\n');
  await chmod(ab, 0o755);
  const { outcome } = await start(
    { generator: 'ab' },
    { path: `${folder}:${process.env['PATH']!}` },
  );
  expect(await outcome).toMatchObject({ kind: 'error', error: { phase: 'prepare' } });
});

test('reports a port that is in use, and what to do', async () => {
  const holder = createServer();
  await new Promise<void>((done) => holder.listen(0, '127.0.0.1', done));
  const { port } = holder.address() as { port: number };
  try {
    const { outcome } = await start({ port });
    const ended = await outcome;
    expect(ended).toMatchObject({ kind: 'error', error: { phase: 'prepare' } });
    expect(JSON.stringify(ended)).toMatch(new RegExp(`Port ${String(port)} .*in use.*free it`));
    const [, servers] = await processes();
    expect(servers).toEqual([]);
  } finally {
    holder.close();
  }
});

test('a server that dies during the load is a failed trial that says so', async () => {
  test.skip(process.platform !== 'linux', 'only on Linux children are found');
  const { outcome, begun } = await start({ cost: 6, requests: 5000 });
  await begun;
  const [, [pid = 0]] = await processes();
  process.kill(pid, 'SIGKILL');
  expect(await outcome).toEqual({
    kind: 'error',
    error: { phase: 'timed', message: expect.stringContaining('The server ended by SIGKILL') },
  });
});

test('the server ends with the process that started it, however that ends', async () => {
  test.skip(process.platform !== 'linux', 'only on Linux children are found');
  const { begun } = await start({ cost: 6, requests: 5000 });
  await begun;
  const [trial, [pid = 0]] = await processes();
  expect(readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')).toContain('server.js');
  process.kill(trial, 'SIGKILL');
  await untilGone(pid);
});

test('where bcrypt does not load, the trial says so', async () => {
  // Outside the project no npm package is found.
  await cp(pages, join(folder, 'pages'), { recursive: true });
  const { outcome } = await start({}, { from: join(folder, 'pages') });
  expect(await outcome).toEqual({
    kind: 'error',
    error: {
      phase: 'prepare',
      message: expect.stringMatching(/bcrypt does not load/),
    },
  });
});
