import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, test, expect, type Browser } from '@playwright/test';
import { startPageServer, type PageServer } from '../../harness/core/server/page-server.ts';

/** The page in a real Chromium: does it see frames, and what hinders them? */

const executablePath = '/usr/bin/chromium';
const pages = fileURLToPath(new URL('..', import.meta.url));

let server: PageServer;
let browser: Browser;

test.skip(!existsSync(executablePath), `There is no ${executablePath} on this machine.`);

test.beforeAll(async () => {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath, args });
  server = await startPageServer({ pages, port: 0 });
});

test.afterAll(async () => {
  await browser?.close();
  await server?.close();
});

async function measure(name: string, place: string): Promise<Record<string, readonly number[]>> {
  const page = await browser.newPage();
  const ticket = server.issue(
    'password-page/index.html',
    {
      protocol: 1,
      benchmark: 'password-page',
      parameters: { function: name, rounds: 1000, keys: 3, place },
      // As little as gives a result: these tests ask for no steady state.
      measurement: {
        minGranules: 100,
        settled: { ms: 1, calls: 1 },
        window: { ms: 10, iterations: 2 },
        maxMs: 40,
      },
    },
    { onStart: () => undefined, onEnd: () => undefined },
  );
  await page.goto(ticket.url);
  const ended = await ticket.outcome;
  await page.close();
  if (ended.kind !== 'result') throw new Error(JSON.stringify(ended));
  return Object.fromEntries(ended.result.samples.map(({ metric, timed }) => [metric, timed]));
}

test('while JavaScript hashes on the main thread, nothing is drawn', async () => {
  const { hashing = [], 'longest-frame-gap': gaps = [] } = await measure('pbkdf2', 'main');
  expect(hashing.length).toBeGreaterThan(0);
  expect(gaps).toHaveLength(hashing.length);
  for (const [index, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual(hashing[index]!);
});

for (const name of ['pbkdf2Async', 'deriveBits']) {
  test(`${name} on the main thread gives a gap for each time it ran`, async () => {
    const samples = await measure(name, 'main');
    expect(samples['longest-frame-gap']).toHaveLength(samples['duration']!.length);
  });
}

test('a worker draws nothing, and gives no gap', async () => {
  expect(Object.keys(await measure('deriveBits', 'worker'))).toEqual(['duration', 'hashing']);
});
