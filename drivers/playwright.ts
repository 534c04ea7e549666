import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserType, Page } from 'playwright';
import {
  can,
  cannot,
  DriverError,
  type Capabilities,
  type Driver,
  type Emulation,
  type Emulator,
  type LaunchOptions,
  type OpenOptions,
  type Session,
} from './driver.ts';
import { startTrace, type BrowserProtocol } from './chromium-trace.ts';
import { chromiumFlags, firefoxPreferences, isChromium } from './launch-recipes.ts';
import { runStep, watchEnding, type Ending } from './step.ts';

const serves = ['chromium', 'chrome', 'edge', 'firefox', 'webkit'];

function capabilities(browser: string): Capabilities {
  return {
    evaluate: can,
    freshPage: can,
    liveVersion: can,
    headless: can,
    preferences:
      browser === 'firefox' ? can : cannot(`${browser} takes flags, it has no preferences to set`),
    noticesDeath: can,
    trace: isChromium(browser)
      ? can
      : cannot(`Playwright gives no trace of the inside of ${browser}; only of its own steps`),
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

/** Chromium and its relatives as installed; Firefox and WebKit as Playwright's own patched builds. */
export const playwrightDriver: Driver = {
  name: 'playwright',
  serves,
  capabilities,
  // Their builds are patched; an installed Firefox does not know what Playwright asks of it.
  needsOwnBuild: ['firefox', 'webkit'],
  ownBuild: async (browser) => {
    // Playwright brings no Chrome and no Edge of its own.
    if (!['chromium', 'firefox', 'webkit'].includes(browser)) return null;
    const path = (await typeOf(browser)).executablePath();
    return existsSync(path) ? path : null;
  },
  emulator,
  launch: (options) =>
    runStep((abandoned) => launch(options, abandoned), {
      what: `Launching ${options.browser} by Playwright`,
      code: 'launch-failed',
      signal: options.signal,
      timeoutMs: options.timeoutMs,
      undo: (session) => session.close(),
    }),
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
  const emulated = await emulatedContext(options.emulation);
  abandoned.throwIfAborted();
  const context = await type.launchPersistentContext(options.profile, {
    ...launchOptions(options),
    ...emulated,
  });
  const browser = context.browser();
  const ending = watchEnding();
  context.on('close', () => {
    ending.tell(`${options.browser} ended`);
  });
  const pages = new Pages(context, ending, options.emulation);
  const writeTrace = await startTrace(() => lendProtocol(browser), options.trace);
  return {
    ended: ending.ended,
    open: (url, bounds) => pages.open(url, bounds),
    version: () => Promise.resolve(browser?.version() ?? null),
    processes: () => listProcesses(browser, options.browser),
    evaluate: (expression) => pages.current().evaluate(expression),
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
    // The page is measured as a person would see it: no emulated screen, no emulated media.
    viewport: null,
    colorScheme: null,
    reducedMotion: null,
    forcedColors: null,
    contrast: null,
    ...(chromium
      ? { chromiumSandbox: options.sandbox, args: chromiumFlags(options) }
      : { args: [...options.flags] }),
    ...(options.browser === 'firefox' && {
      firefoxUserPrefs: firefoxPreferences(options.preferences),
    }),
  };
}

/**
 * Keeps one page open: each `open` makes a new one and closes what was there before. The first
 * takes the blank page that the browser began with, which nothing has used yet.
 */
class Pages {
  private unused: Page | undefined;
  private readonly context: BrowserContext;
  private readonly ending: Ending;
  private readonly slowdown: number | undefined;

  constructor(context: BrowserContext, ending: Ending, { cpuThrottling }: Emulation = {}) {
    this.context = context;
    this.ending = ending;
    this.slowdown = cpuThrottling;
    this.unused = context.pages()[0];
  }

  current(): Page {
    const page = this.context.pages().at(-1);
    if (page === undefined) throw new DriverError('browser-died', 'There is no page any more');
    return page;
  }

  open(url: string, { signal, timeoutMs }: OpenOptions): Promise<void> {
    const what = 'Opening a page by Playwright';
    return runStep(
      async (abandoned) => {
        const page = this.unused ?? (await this.context.newPage());
        this.unused = undefined;
        const former = this.context.pages().filter((one) => one !== page);
        page.on('crash', () => {
          this.ending.tell('the page crashed');
        });
        await Promise.all(former.map((one) => one.close()));
        await this.slowDown(page);
        await page.goto(url, { waitUntil: 'commit', timeout: timeoutMs, signal: abandoned });
      },
      { what, code: 'navigation-failed', signal, timeoutMs },
    );
  }

  /** Until the page is closed, which ends this session of the protocol, too. */
  private async slowDown(page: Page): Promise<void> {
    if (this.slowdown === undefined) return;
    const protocol = await this.context.newCDPSession(page);
    await protocol.send('Emulation.setCPUThrottlingRate', { rate: this.slowdown });
  }
}

/** Only Chromium's protocol tells its process ids. */
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
