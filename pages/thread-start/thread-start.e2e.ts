import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, expect, test, type Browser } from '@playwright/test';
import { processDriver } from '../../drivers/process/process.ts';
import { startPageServer, type PageServer } from '../../harness/core/server/page-server.ts';
import { type PageOutcome } from '../../harness/core/server/trial-registry.ts';
import { installProgram } from '../../harness/core/setup/install.ts';
import { findCompiler, findProgram } from '../../harness/core/setup/programs.ts';
import { aDevice } from '../../harness/testing/builders.ts';
import type { Assignment, Parameters, TrialResult } from '../protocol.d.ts';

/** The benchmark on each kind of host, by the protocol, with real compilers, runtimes and browsers. */

const pages = fileURLToPath(new URL('..', import.meta.url));
const folder = join(tmpdir(), `thread-start-${String(process.pid)}`);
const bounds = { signal: new AbortController().signal, timeoutMs: 60_000 };

const runtimes = {
  node: { name: 'Node.js', executable: process.execPath },
  deno: {
    name: 'Deno',
    executable: fileURLToPath(
      new URL('../../.farm/runtimes/deno/node_modules/deno/deno', import.meta.url),
    ),
  },
};

let server: PageServer;

// Not where it is declared: that is also read by the process that only lists the tests.
test.beforeAll(async () => {
  mkdirSync(folder);
  server = await startPageServer({ pages, port: 0 });
});

test.afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Only the first run of each trial counts, regardless of these. */
const measurement: Assignment['measurement'] = {
  minGranules: 1,
  settled: { ms: 1, calls: 1 },
  window: { ms: 1, iterations: 1 },
  maxMs: 1,
};

function parametersOf(changes: Partial<Record<string, string | number | boolean>>): Parameters {
  const defaults = { threads: 3, order: 'sequential', kind: 'own', 'shared-start': false };
  return { ...defaults, ...changes } as Parameters;
}

function issueTrial(parameters: Parameters) {
  const assignment = { protocol: 1, benchmark: 'thread-start', parameters, measurement } as const;
  return server.issue('thread-start/index.html', assignment, {
    onStart: () => undefined,
    onEnd: () => undefined,
  });
}

/** Runs one trial; `visit` opens the URL and returns a function that ends that. */
async function runTrial(
  parameters: Parameters,
  visit: (url: string) => Promise<() => Promise<void>>,
): Promise<PageOutcome> {
  const ticket = issueTrial(parameters);
  const leave = await visit(ticket.url);
  try {
    return await ticket.outcome;
  } finally {
    await leave();
  }
}

function onProcess(browser: string, executable: string, parameters: Parameters) {
  return runTrial(parameters, async (url) => {
    const script = browser in runtimes ? 'kit/runtime.js' : 'kit/program.js';
    const session = await processDriver.launch({
      browser,
      executable,
      script: join(pages, script),
      flags: [],
      preferences: {},
      headless: true,
      sandbox: true,
      environment: { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder },
      profile: folder,
      ...bounds,
    });
    await session.open(url, bounds);
    return () => session.close();
  });
}

function onChromium(browser: Browser, parameters: Parameters) {
  return runTrial(parameters, async (url) => {
    const page = await browser.newPage();
    await page.goto(url);
    return () => page.close();
  });
}

function resultOf(outcome: PageOutcome): TrialResult {
  if (outcome.kind !== 'result') throw new Error(JSON.stringify(outcome));
  return outcome.result;
}

function expectThreads(outcome: PageOutcome, threads: number): TrialResult {
  const result = resultOf(outcome);
  const metric = (name: string) => result.samples.find((one) => one.metric === name);
  expect(result.steadiness).toBe('first run');
  expect(metric('duration')?.timed).toHaveLength(1);
  expect(metric('first-instruction')?.timed).toHaveLength(threads);
  expect(metric('first-instruction-mean')?.timed).toHaveLength(1);
  expect(result.counters).toMatchObject({ started: threads, knownWaitUs: 1000 });
  return result;
}

const noCompiler = 'there is no C compiler on PATH';
const noWasmtime = 'wasmtime 42 is not here: npx crossfarm devices setup --programs';
const noChromium = 'there is no /usr/bin/chromium';

test('setup compiles the native program, and a trial of it has all samples', async () => {
  test.skip(findCompiler() === null, noCompiler);
  const tools = {
    root: folder,
    say: () => undefined,
    attempt: ([program = '', ...args]: readonly string[]) => {
      execFileSync(program, args);
      return Promise.resolve(true);
    },
  };
  const native = aDevice('native', { browser: 'native', driver: 'process' });
  expect(await installProgram(native, tools)).toBe(true);
  const executable = await findProgram(native, folder);
  expect(executable).not.toBeNull();
  for (const shared of [false, true]) {
    const parameters = parametersOf({ threads: 20, order: 'parallel', 'shared-start': shared });
    const { host } = expectThreads(await onProcess('native', executable!, parameters), 20);
    expect(host.userAgent).toContain('native, started by Node.js');
  }
  const { samples } = expectThreads(
    await onProcess('native', executable!, parametersOf({ threads: 20 })),
    20,
  );
  expect(samples.map(({ metric }) => metric)).toContain('last-10-mean');
  for (const elapsed of samples[1]!.timed) expect(elapsed).toBeGreaterThan(0);
});

const programs: readonly [string, string, RegExp][] = [
  ['prints something else', 'echo hello', /printed "hello" where "thread-start"/],
  [
    'cannot start all threads',
    'echo "only 2 of 3 pthreads started: no memory" >&2; exit 3',
    /ended with 3: only 2 of 3 pthreads started: no memory\./,
  ],
  ['is killed', 'kill -9 $$', /ended by SIGKILL/],
];

for (const [what, script, complaint] of programs) {
  test(`a program that ${what} is a failed trial with its reason`, async () => {
    test.skip(process.platform === 'win32', 'the program is a shell script');
    const path = join(folder, 'program');
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    const outcome = await onProcess('native', path, parametersOf({}));
    expect(outcome).toMatchObject({ kind: 'error', error: { phase: 'timed' } });
    expect(outcome.kind === 'error' ? outcome.error.message : '').toMatch(complaint);
  });
}

test('a session that is closed while its program runs leaves nothing running', async () => {
  test.skip(process.platform === 'win32', 'the program is a shell script');
  const path = join(folder, 'slow');
  const pidFile = join(folder, 'slow.pid');
  writeFileSync(
    path,
    `#!/bin/sh\necho $$ >${pidFile}.new; mv ${pidFile}.new ${pidFile}\nexec sleep 60\n`,
  );
  chmodSync(path, 0o755);
  const session = await processDriver.launch({
    browser: 'native',
    executable: path,
    script: join(pages, 'kit/program.js'),
    flags: [],
    preferences: {},
    headless: true,
    sandbox: true,
    environment: { PATH: process.env['PATH'] ?? '' },
    profile: folder,
    ...bounds,
  });
  try {
    await session.open(issueTrial(parametersOf({})).url, bounds);
    await expect.poll(() => existsSync(pidFile)).toBe(true);
  } finally {
    await session.close();
  }
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await expect.poll(() => isThere(pid)).toBe(false);
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('the same program is WebAssembly under wasmtime', async () => {
  const wasmtime = await findProgram({ browser: 'wasmtime', version: '42' });
  test.skip(wasmtime === null, noWasmtime);
  for (const order of ['sequential', 'parallel']) {
    const parameters = parametersOf({ threads: 20, order });
    expectThreads(await onProcess('wasmtime', wasmtime!, parameters), 20);
  }
});

for (const [runtime, { name, executable }] of Object.entries(runtimes)) {
  test(`the same program is an Emscripten program in ${name}`, async () => {
    test.skip(
      !existsSync(executable),
      `${name} is not installed (npx crossfarm devices setup --runtimes)`,
    );
    for (const order of ['sequential', 'parallel']) {
      const parameters = parametersOf({ kind: 'emscripten', order });
      const { counters } = expectThreads(await onProcess(runtime, executable, parameters), 3);
      expect(counters['clockOutsideUs']).toBeLessThanOrEqual(counters['clockToleranceUs']!);
      // One is that of the main function; only threads that live at the same time need one each.
      if (order === 'parallel') expect(counters['workers']).toBe(4);
      else expect(counters['workers']).toBeLessThan(4);
    }
  });
}

test('a browser starts workers by hand, and those of Emscripten, timed by one clock', async () => {
  test.skip(!existsSync('/usr/bin/chromium'), noChromium);
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  try {
    for (const order of ['sequential', 'parallel']) {
      const outcome = await onChromium(browser, parametersOf({ order }));
      const { samples, counters } = expectThreads(outcome, 3);
      expect(samples.map(({ metric }) => metric)).toEqual([
        'duration',
        'first-instruction',
        'first-instruction-mean',
        'first-message',
        'first-message-mean',
      ]);
      expect(counters['clockOutsideUs']).toBeLessThanOrEqual(counters['clockToleranceUs']!);
    }
    const emscripten = parametersOf({ kind: 'emscripten', order: 'parallel' });
    expectThreads(await onChromium(browser, emscripten), 3);
    const many = parametersOf({ threads: 1000, order: 'parallel' });
    expect(await onChromium(browser, many)).toMatchObject({
      kind: 'error',
      error: { phase: 'prepare' },
    });
  } finally {
    await browser.close();
  }
});

const toolchains = { wasi: 'clang-19', emscripten: 'emcc' };

for (const [build, tool] of Object.entries(toolchains)) {
  test(`the committed ${build} equals the output of its source`, () => {
    const path = `/usr/bin/${tool}`;
    test.skip(!existsSync(path), `there is no ${path}: see native/README.md`);
    const native = join(pages, 'thread-start/native');
    execFileSync(join(native, 'build.sh'), [build, folder], { stdio: 'ignore', timeout: 140_000 });
    const lines = readFileSync(join(native, `${build}.sha256`), 'utf8')
      .trim()
      .split('\n');
    const artefacts = lines.map((line) => line.split('  ')[1] ?? '').filter(isArtefact);
    expect(artefacts.length).toBeGreaterThan(0);
    for (const artefact of artefacts) {
      const name = artefact.split('/').at(-1) ?? '';
      const isSame = readFileSync(join(folder, name)).equals(readFileSync(join(native, artefact)));
      expect(isSame, `${artefact} is what ${tool} makes`).toBe(true);
    }
  });
}

function isArtefact(path: string): boolean {
  return /\.(wasm|js)$/.test(path);
}
