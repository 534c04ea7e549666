import { expect, test } from '@playwright/test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserServer } from 'playwright';
import { isLiving, startProgram, type ChildProgram } from './child-program.ts';
import { describeDriver, findInstalled, type CaseName } from '../conformance.ts';
import getPort from 'get-port';
import type { Driver, LaunchOptions, Session } from '../driver.ts';
import { playwrightDriver } from '../playwright/playwright.ts';
import { puppeteerDriver } from '../puppeteer/puppeteer.ts';

const executable = findInstalled('/usr/bin/chromium');
const firefox = findInstalled('/usr/bin/firefox-esr', '/usr/bin/firefox');
const sandbox = process.getuid?.() !== 0;

/** Cases that depend on a browser that the farm did not start. */
const only: readonly CaseName[] = [
  'a second page inherits nothing, is visible, and the first one is closed',
  'a second page opens in the same browser',
  'returns the version of the live browser',
  'evaluates an expression in the page',
  'closing leaves nothing running, and is not reported as a death',
  'closing works before any page was opened',
];

function options(server: string, changes: Partial<LaunchOptions> = {}): LaunchOptions {
  return {
    browser: 'chromium',
    executable: '',
    server,
    remote: {},
    flags: [],
    preferences: {},
    headless: true,
    sandbox: true,
    environment: {},
    profile: '/nowhere',
    signal: new AbortController().signal,
    timeoutMs: 90_000,
    ...changes,
  };
}

const bounds = { signal: new AbortController().signal, timeoutMs: 60_000 };

/** Two sessions, one after the other: neither ends the browser, nor leaves the other anything. */
async function expectFreshProfiles(driver: Driver, address: string, url: string): Promise<void> {
  const ask = async (session: Session): Promise<unknown> => {
    await session.open(url, bounds);
    await expect.poll(() => session.evaluate?.('document.readyState')).toBe('complete');
    const seen = await session.evaluate?.('localStorage.getItem("left")');
    await session.evaluate?.('localStorage.setItem("left", "behind")');
    await session.close();
    return seen;
  };
  expect(await ask(await driver.launch(options(address)))).toBeNull();
  expect(await ask(await driver.launch(options(address)))).toBeNull();
}

/** A port on which no other program listens. */
async function nobody(scheme: string): Promise<string> {
  return `${scheme}://127.0.0.1:${String(await getPort({ host: '127.0.0.1' }))}`;
}

test.describe('behind a Playwright server', () => {
  let running: BrowserServer | null = null;
  const address = (): string => running?.wsEndpoint() ?? '';

  test.beforeAll(async () => {
    if (executable === null) return;
    running = await chromium.launchServer({ executablePath: executable, chromiumSandbox: sandbox });
  });

  test.afterAll(() => running?.kill());

  describeDriver({
    driver: playwrightDriver,
    browser: 'chromium',
    executable,
    remote: {},
    only,
    how: ' by address',
    server: executable === null ? null : address,
  });

  test('each session has a fresh profile, and the browser stays', async () => {
    test.skip(executable === null, 'Chromium is not on this machine');
    // Any page with an origin will do: it is the browser's own.
    await expectFreshProfiles(playwrightDriver, address(), 'chrome://version');
    expect(isLiving(running?.process().pid ?? 0)).toBe(true);
  });

  test('finds the browser before a run: its version, or that it is another browser', async () => {
    test.skip(executable === null, 'Chromium is not on this machine');
    expect(await playwrightDriver.look?.(address(), 'chromium', {})).toEqual({
      node: null,
      version: expect.stringMatching(/^\d+\.\d+/),
    });
    expect(await playwrightDriver.look?.(address(), 'firefox', {})).toEqual({
      refusal: expect.stringContaining('is chromium or chrome, not firefox'),
    });
  });

  test('reports a missing listener before a run and at a launch', async () => {
    const empty = await nobody('ws');
    expect(await playwrightDriver.look?.(empty, 'chromium', {})).toEqual({
      refusal: expect.stringMatching(/no Playwright server can be used at ws:.*ECONNREFUSED/),
    });
    await expect(playwrightDriver.launch(options(empty))).rejects.toMatchObject({
      code: 'launch-failed',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('reports the end of the browser during a session', async () => {
    test.skip(executable === null, 'Chromium is not on this machine');
    const server = await chromium.launchServer({
      executablePath: executable ?? '',
      chromiumSandbox: sandbox,
    });
    const session = await playwrightDriver.launch(options(server.wsEndpoint()));
    await server.kill();
    expect(await session.ended).toMatch(/^chromium ended/);
    await session.close().catch((error: unknown) => {
      expect(error).toBeInstanceOf(Error);
    });
  });
});

interface Running {
  readonly program: ChildProgram;
  /** Address of its WebSocket, as it prints it. */
  readonly socket: string;
  end(): Promise<void>;
}

/** Starts a browser that accepts automation, as a person would, on any free port. */
async function startBrowser(path: string, profileFlags: (profile: string) => readonly string[]) {
  const profile = await mkdtemp(join(tmpdir(), 'running-browser-'));
  let tellSocket: (socket: string) => void = () => undefined;
  const told = new Promise<string>((resolve) => {
    tellSocket = resolve;
  });
  let output = '';
  const program = await startProgram(
    path,
    ['--headless', '--remote-debugging-port=0', ...profileFlags(profile)],
    {
      environment: { PATH: process.env['PATH'] ?? '', HOME: profile, TMPDIR: profile },
      onOutput: (text) => {
        output += text;
        const [, socket] = /listening on (ws:\/\/\S+)\s/.exec(output) ?? [];
        if (socket !== undefined) tellSocket(socket);
      },
    },
  );
  const socket = await Promise.race([told, program.ended]);
  const end = async (): Promise<void> => {
    await program.end(5000);
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return { program, socket, end } satisfies Running;
}

const startChromium = (path: string): Promise<Running> =>
  startBrowser(path, (profile) => [
    `--user-data-dir=${profile}`,
    ...(sandbox ? [] : ['--no-sandbox']),
  ]);

test.describe('Chromium with a debugging port', () => {
  let running: Running | null = null;
  const address = (): string => `http://${new URL(running?.socket ?? '').host}`;

  test.beforeAll(async () => {
    if (executable !== null) running = await startChromium(executable);
  });

  test.afterAll(() => running?.end());

  describeDriver({
    driver: puppeteerDriver,
    browser: 'chromium',
    executable,
    remote: {},
    only,
    how: ' by address',
    server: executable === null ? null : address,
  });

  test('each session has a fresh profile, by either address, and the browser stays', async () => {
    test.skip(executable === null, 'Chromium is not on this machine');
    await expectFreshProfiles(puppeteerDriver, address(), 'chrome://version');
    const session = await puppeteerDriver.launch(options(running?.socket ?? ''));
    await session.close();
    expect(isLiving(running?.program.pid ?? 0)).toBe(true);
  });

  test('finds the browser before a run: its version, or that it is another browser', async () => {
    test.skip(executable === null, 'Chromium is not on this machine');
    expect(await puppeteerDriver.look?.(address(), 'chromium', {})).toEqual({
      node: null,
      version: expect.stringMatching(/^\d+\.\d+/),
    });
    expect(await puppeteerDriver.look?.(running?.socket ?? '', 'firefox', {})).toEqual({
      refusal: expect.stringContaining('is chromium or chrome, not firefox'),
    });
  });

  test('reports a missing listener before a run and at a launch', async () => {
    for (const empty of [await nobody('ws'), await nobody('http')]) {
      expect(await puppeteerDriver.look?.(empty, 'chromium', {})).toEqual({
        refusal: expect.stringMatching(/no chromium.* at .+: .{5,}/),
      });
      await expect(puppeteerDriver.launch(options(empty))).rejects.toMatchObject({
        code: 'launch-failed',
        message: expect.not.stringContaining('[object'),
      });
    }
  });

  test('reports the end of the browser during a session', async () => {
    test.skip(executable === null, 'Chromium is not on this machine');
    const own = await startChromium(executable ?? '');
    const session = await puppeteerDriver.launch(options(own.socket));
    await own.end();
    expect(await session.ended).toBe('chromium ended, or the way to it');
    await session.close().catch((error: unknown) => {
      expect(error).toBeInstanceOf(Error);
    });
  });
});

test.describe('Firefox with a debugging port', () => {
  let running: Running | null = null;

  test.beforeAll(async () => {
    if (firefox === null) return;
    running = await startBrowser(firefox, (profile) => ['--profile', profile]);
  });

  test.afterAll(() => running?.end());

  describeDriver({
    driver: puppeteerDriver,
    browser: 'firefox',
    executable: firefox,
    remote: {},
    how: ' by address',
    server: firefox === null ? null : () => `${running?.socket}/session`,
    only: [
      'a second page inherits nothing, is visible, and the first one is closed',
      'returns the version of the live browser',
    ],
  });
});
