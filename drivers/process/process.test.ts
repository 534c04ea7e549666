import { expect, test } from '@playwright/test';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describeDriver, findInstalled, ofTheDriver, type CaseName } from '../conformance.ts';
import type { LaunchOptions } from '../driver.ts';
import { commandLine, processDriver } from './process.ts';
import { startTestPageServer } from '../doubles/test-page-server.ts';

const folder = join(tmpdir(), `process-driver-${String(process.pid)}`);
test.afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Visits the testPages as a page would, and stays. */
const visit = join(folder, 'visit.mjs');

// Not where they are declared: that is also read by the process that only lists the tests.
test.beforeAll(() => {
  mkdirSync(folder);
  copyFileSync('pages/kit/node-trace.cjs', join(folder, 'node-trace.cjs'));
  writeFileSync(
    visit,
    `const url = new URL(process.argv[2]);
     fetch(new URL('/alive' + url.search, url)).catch(() => undefined);
     await fetch(url);
     setTimeout(() => undefined, 60_000);`,
  );
});

const noPage = 'a runtime shows no page that could be visible or isolated';
const without: Partial<Record<CaseName, string>> = {
  'a page is visible and, with the right headers, isolated with shared memory': noPage,
  'a second page inherits nothing, is visible, and the first one is closed': noPage,
};

/** Where `farm devices setup --runtimes` puts what it installs. */
const installed = (path: string): string => resolve('.farm/runtimes', path);

const executables = {
  node: process.execPath,
  deno: findInstalled(
    '/usr/bin/deno',
    '/usr/local/bin/deno',
    installed('deno/node_modules/deno/deno'),
  ),
  bun: findInstalled(
    '/usr/bin/bun',
    '/usr/local/bin/bun',
    installed('bun/node_modules/bun/bin/bun.exe'),
  ),
};

/** The program for the bridge does not matter here: the script of these cases starts nothing. */
const bridged = { native: process.execPath };

for (const [browser, executable] of Object.entries({ ...executables, ...bridged })) {
  describeDriver({
    driver: processDriver,
    browser,
    executable,
    script: visit,
    without,
    // Nothing is started before the first URL is opened.
    launchesAtOnce: true,
    ...(browser !== 'node' && { covered: ofTheDriver }),
  });
}

let profiles = 0;

function options(changes: Partial<LaunchOptions> = {}): LaunchOptions {
  profiles += 1;
  const profile = join(folder, String(profiles));
  mkdirSync(profile);
  return {
    browser: 'node',
    executable: process.execPath,
    script: visit,
    flags: [],
    preferences: {},
    headless: true,
    sandbox: true,
    environment: { PATH: process.env['PATH'] ?? '' },
    profile,
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    ...changes,
  };
}

const bounds = { signal: new AbortController().signal, timeoutMs: 60_000 };

test('the owner’s flags come after the runtime’s own, and the URL last', () => {
  const flags = ['--v8-flags=--single-threaded-gc'];
  const line = commandLine('http://x/', options({ browser: 'deno', flags, script: '/kit/r.js' }));
  expect(line.slice(0, 2)).toEqual(['run', '--allow-all']);
  expect(line.slice(-3)).toEqual([...flags, '/kit/r.js', 'http://x/']);
});

test('a program is named to the bridge, with its flags, behind the URL', () => {
  const changes = { browser: 'wasmtime', executable: '/opt/wasmtime', script: '/kit/program.js' };
  const line = commandLine('http://x/', options({ ...changes, flags: ['-O', 'opt-level=0'] }));
  expect(line).toEqual([
    '/kit/program.js',
    'http://x/',
    'wasmtime',
    '/opt/wasmtime',
    '-O',
    'opt-level=0',
  ]);
});

test('a second URL ends the first process, without calling it a death', async () => {
  const testPages = await startTestPageServer();
  const session = await processDriver.launch(options());
  try {
    await session.open(testPages.page('one'), bounds);
    await testPages.asked('one');
    const [first] = await session.processes();
    await session.open(testPages.page('two'), bounds);
    await testPages.gone('one');
    await testPages.asked('two');
    expect(await session.processes()).not.toContain(first);
    expect(await Promise.race([session.ended, Promise.resolve('alive')])).toBe('alive');
  } finally {
    await session.close();
    await testPages.close();
  }
});

test('reports a script that fails, with its last words', async () => {
  const script = join(folder, 'fails.mjs');
  writeFileSync(script, `console.error('out of ideas'); process.exitCode = 7;`);
  const session = await processDriver.launch(options({ script }));
  await session.open('http://127.0.0.1:9/', bounds);
  expect(await session.ended).toBe('node ended with 7: out of ideas');
  await session.close();
});

test('fails the launch by name without a script or with a missing one', async () => {
  await expect(processDriver.launch(options({ script: undefined }))).rejects.toMatchObject({
    code: 'not-supported',
  });
  await expect(
    processDriver.launch(options({ script: '/nowhere/script.js' })),
  ).rejects.toMatchObject({ code: 'launch-failed' });
});

test("names a Node.js too old for the script to the farm's", async () => {
  const executable = join(folder, 'node10');
  writeFileSync(executable, '', { mode: 0o755 });
  const script = join(folder, 'names.mjs');
  writeFileSync(script, `console.error(process.env.CROSSFARM_FRESH_PROCESS, process.version);`);
  const session = await processDriver.launch(
    options({ executable, script, isTooOld: true, flags: ['--expose-gc'] }),
  );
  await session.open('http://127.0.0.1:9/x', bounds);
  const named = JSON.stringify([executable, '--expose-gc']);
  expect(await session.ended).toBe(`node ended with 0: ${named} ${process.version}`);
  await session.close();
});

test('flags and environment reach the runtime', async () => {
  const script = join(folder, 'tells.mjs');
  writeFileSync(
    script,
    `console.error(Error.stackTraceLimit, process.env.UV_THREADPOOL_SIZE, process.argv[2]);`,
  );
  const flags = ['--stack-trace-limit=3'];
  const environment = { UV_THREADPOOL_SIZE: '2' };
  const session = await processDriver.launch(options({ script, flags, environment }));
  await session.open('http://127.0.0.1:9/x', bounds);
  expect(await session.ended).toMatch(/^node .* 0: 3 2 http:\/\/127\.0\.0\.1:9\/x$/);
  await session.close();
});
