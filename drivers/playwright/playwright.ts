import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserType } from 'playwright';
import {
  can,
  cannot,
  DriverError,
  type Capabilities,
  type Driver,
  type Emulation,
  type Emulator,
  type LaunchOptions,
  type Session,
  type Whereabouts,
} from '../driver.ts';
import { startTrace, tracePages, type BrowserProtocol } from '../shared/chromium-trace.ts';
import {
  chromiumFlags,
  firefoxPreferences,
  isChromium,
  preferencesOf,
} from '../shared/launch-recipes.ts';
import { accessOptions, asSeen, Pages } from './pages.ts';
import { connectTo, lookAt } from './server.ts';
import { notOurs } from '../shared/running-browser.ts';
import { certificateKeys } from '../shared/site-access.ts';
import { launchStep, watchEnding } from '../shared/step.ts';

const serves = ['chromium', 'chrome', 'edge', 'firefox', 'webkit'];

function capabilities(browser: string, { server }: Whereabouts = {}): Capabilities {
  return {
    evaluate: can,
    freshPage: can,
    liveVersion: can,
    headless: can,
    preferences: preferencesOf(browser),
    noticesDeath: can,
    input: can,
    dialogs: can,
    firstScript: can,
    trace: isChromium(browser)
      ? can
      : cannot(`Playwright gives no trace of the inside of ${browser}; only of its own steps`),
    ...(server !== undefined && notOurs),
  };
}

const emulator: Emulator = {
  cpuThrottling: (browser) =>
    isChromium(browser)
      ? can
      : cannot(`only Chromium's protocol slows the processor down, and this is ${browser}`),
  descriptor: (browser) =>
    browser === 'firefox' ? cannot('Playwright knows no mobile mode of Firefox') : can,
  descriptors: async () => Object.keys((await import('playwright')).devices),
};

/**
 * Chromium and its relatives as installed; Firefox and WebKit as Playwright's own patched builds;
 * or any of them behind a Playwright server that the farm did not start.
 */
export const playwrightDriver: Driver = {
  name: 'playwright',
  serves,
  capabilities,
  // Their builds are patched; an installed Firefox does not know what Playwright asks of it.
  needsOwnBuild: ['firefox', 'webkit'],
  ownBuild: async (browser) => {
    // Playwright has no builds of Chrome and Edge.
    if (!['chromium', 'firefox', 'webkit'].includes(browser)) return null;
    const path = (await typeOf(browser)).executablePath();
    return existsSync(path) ? path : null;
  },
  emulator,
  access: (browser, where) => ({
    headers: isChromium(browser)
      ? can
      : cannot(`Playwright's ${browser} sends them on to wherever the server redirects it`),
    cookies: can,
    user: can,
    anyCertificate: can,
    certificateKeys: certificateKeys(browser, where),
  }),
  look: async (address, browser) => lookAt(address, { browser, type: await typeOf(browser) }),
  launch: launchStep(launch, 'by Playwright'),
};

async function typeOf(browser: string): Promise<BrowserType> {
  const { chromium, firefox, webkit } = await import('playwright');
  if (isChromium(browser)) return chromium;
  if (browser === 'firefox') return firefox;
  if (browser === 'webkit') return webkit;
  throw new DriverError('not-supported', `Playwright does not move ${browser}`);
}

async function launch(options: LaunchOptions, abandoned: AbortSignal): Promise<Session> {
  const type = await typeOf(options.browser);
  const emulated = { ...(await emulatedContext(options.emulation)), ...accessOptions(options) };
  abandoned.throwIfAborted();
  if (options.server !== undefined) {
    return connectTo(options.server, { type, context: emulated, options });
  }
  const context = await type.launchPersistentContext(options.profile, {
    ...launchOptions(options),
    ...emulated,
  });
  const browser = context.browser();
  const ending = watchEnding();
  context.on('close', () => {
    ending.tell(`${options.browser} ended`);
  });
  const pages = new Pages(context, ending, options);
  const writeTrace = await startTrace(() => lendProtocol(browser), options);
  return {
    ended: ending.ended,
    open: (url, bounds) => pages.open(url, bounds),
    navigate: (url, bounds) => pages.navigate(url, bounds),
    version: () => Promise.resolve(browser?.version() ?? null),
    processes: () => listProcesses(browser, options.browser),
    evaluate: (expression) => pages.current().evaluate(expression),
    act: (input) => pages.act(input),
    ...(isChromium(options.browser) && {
      trace: (order) =>
        tracePages(order, {
          borrow: () => lendProtocol(browser),
          move: async () => pages.moveTo(await privateContext(browser, emulated)),
        }),
    }),
    close: async () => {
      ending.expect();
      try {
        await writeTrace();
      } finally {
        await context.close();
      }
    },
  };
}

/** Playwright's type knows every command by its name; ours takes any. */
async function lendProtocol(browser: Browser | null): Promise<BrowserProtocol> {
  if (browser === null) throw new Error('Playwright lends no protocol with this browser');
  return (await browser.newBrowserCDPSession()) as unknown as BrowserProtocol;
}

async function privateContext(
  browser: Browser | null,
  emulated: ContextOptions,
): Promise<BrowserContext> {
  if (browser === null) throw new Error('Playwright makes no context with this browser');
  return browser.newContext({ ...asSeen, ...emulated });
}

type ContextOptions = NonNullable<Parameters<BrowserType['launchPersistentContext']>[1]>;

/**
 * Screen, touch and user agent of a phone or tablet, from the list that comes with Playwright. Its
 * user agent names the browser's version of the day on which the list was made.
 */
async function emulatedContext({ descriptor }: Emulation = {}): Promise<ContextOptions> {
  if (descriptor === undefined) return {};
  const { devices } = await import('playwright');
  const known = devices[descriptor];
  if (known !== undefined) return known;
  throw new DriverError('not-supported', `Playwright has no "${descriptor}" to emulate`);
}

function launchOptions(options: LaunchOptions): ContextOptions {
  const chromium = isChromium(options.browser);
  return {
    executablePath: options.executable,
    headless: options.headless,
    env: options.environment,
    timeout: options.timeoutMs,
    // Otherwise a directory in the system's own temporary folder outlives a killed farm.
    artifactsDir: join(options.profile, 'playwright-artifacts'),
    // The farm owns teardown: Playwright's handlers would end the process in the middle of it.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    ...asSeen,
    ...(chromium
      ? { chromiumSandbox: options.sandbox, args: chromiumFlags(options) }
      : { args: [...options.flags] }),
    ...(options.browser === 'firefox' && {
      firefoxUserPrefs: firefoxPreferences(options.preferences),
    }),
  };
}

/** Only Chromium's protocol lists its process ids. */
async function listProcesses(browser: Browser | null, product: string): Promise<readonly number[]> {
  if (browser === null || !isChromium(product)) return [];
  const protocol = await browser.newBrowserCDPSession();
  try {
    const { processInfo } = await protocol.send('SystemInfo.getProcessInfo');
    return processInfo.filter(({ type }) => type === 'browser').map(({ id }) => id);
  } finally {
    await protocol.detach();
  }
}
