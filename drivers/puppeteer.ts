import type { Browser, LaunchOptions as PuppeteerOptions, Page } from 'puppeteer';
import {
  can,
  cannot,
  DriverError,
  type Capabilities,
  type Driver,
  type LaunchOptions,
  type OpenOptions,
  type Session,
} from './driver.ts';
import { startTrace, type BrowserProtocol } from './chromium-trace.ts';
import { chromiumFlags, firefoxPreferences, firefoxProfiler } from './launch-recipes.ts';
import { runStep, watchEnding, type Ending } from './step.ts';

function capabilities(browser: string): Capabilities {
  return {
    evaluate: can,
    freshPage: can,
    liveVersion: can,
    headless: can,
    preferences:
      browser === 'firefox' ? can : cannot(`${browser} takes flags, it has no preferences to set`),
    noticesDeath: can,
    trace: can,
  };
}

/** Chromium and Chrome by the DevTools protocol; any installed Firefox by WebDriver BiDi. */
export const puppeteerDriver: Driver = {
  name: 'puppeteer',
  serves: ['chromium', 'chrome', 'firefox'],
  capabilities,
  launch: (options) =>
    runStep((abandoned) => launch(options, abandoned), {
      what: `Launching ${options.browser} by Puppeteer`,
      code: 'launch-failed',
      signal: options.signal,
      timeoutMs: options.timeoutMs,
      undo: (session) => session.close(),
    }),
};

async function launch(options: LaunchOptions, abandoned: AbortSignal): Promise<Session> {
  const { launch: launchBrowser } = await import('puppeteer');
  abandoned.throwIfAborted();
  const browser = await launchBrowser({ ...launchOptions(options), signal: abandoned });
  const ending = watchEnding();
  browser.on('disconnected', () => {
    ending.tell(`${options.browser} ended`);
  });
  const pages = new Pages(browser, ending);
  const pid = browser.process()?.pid;
  // Firefox was told at its launch, and writes its profile by itself when it ends.
  const trace = options.browser === 'firefox' ? undefined : options.trace;
  const writeTrace = await startTrace(() => lendProtocol(browser), trace);
  return {
    ended: ending.ended,
    open: (url, bounds) => pages.open(url, bounds),
    version: async () => (await browser.version()).split('/').at(-1) ?? null,
    processes: () => Promise.resolve(pid === undefined ? [] : [pid]),
    evaluate: async (expression) => (await pages.current()).evaluate(expression),
    close: async () => {
      ending.expect();
      try {
        await writeTrace();
      } finally {
        await browser.close();
      }
    },
  };
}

/** Puppeteer's type knows every command by its name; ours takes any. */
async function lendProtocol(browser: Browser): Promise<BrowserProtocol> {
  return (await browser.target().createCDPSession()) as unknown as BrowserProtocol;
}

function launchOptions(options: LaunchOptions): PuppeteerOptions {
  const firefox = options.browser === 'firefox';
  return {
    executablePath: options.executable,
    headless: options.headless,
    userDataDir: options.profile,
    env: { ...options.environment, ...(firefox ? firefoxProfiler(options.trace) : {}) },
    timeout: options.timeoutMs,
    // The farm owns teardown: Puppeteer's handlers would end the process in the middle of it.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    // The page is measured as a person would see it: no emulated screen.
    defaultViewport: null,
    ...(firefox
      ? {
          browser: 'firefox',
          args: [...options.flags],
          extraPrefsFirefox: firefoxPreferences(options.preferences),
        }
      : // A pipe instead of a port: nothing else on the machine can speak to the browser.
        { browser: 'chrome', pipe: true, args: chromiumFlags(options) }),
  };
}

/** Keeps one page open: each `open` makes a new one and closes what was there before. */
class Pages {
  private readonly browser: Browser;
  private readonly ending: Ending;
  private opened: Page | null = null;

  constructor(browser: Browser, ending: Ending) {
    this.browser = browser;
    this.ending = ending;
  }

  async current(): Promise<Page> {
    const page = this.opened ?? (await this.browser.pages()).at(-1);
    if (page === undefined) throw new DriverError('browser-died', 'There is no page any more');
    return page;
  }

  open(url: string, { signal, timeoutMs }: OpenOptions): Promise<void> {
    const what = 'Opening a page by Puppeteer';
    return runStep(
      async (abandoned) => {
        const former = await this.browser.pages();
        const page = await this.browser.newPage();
        page.on('error', () => {
          this.ending.tell('the page crashed');
        });
        this.opened = page;
        await Promise.all(former.map((one) => one.close()));
        // No lifecycle event is waited for: the page itself says when it is ready.
        await page.goto(url, { waitUntil: [], timeout: timeoutMs, signal: abandoned });
      },
      { what, code: 'navigation-failed', signal, timeoutMs },
    );
  }
}
