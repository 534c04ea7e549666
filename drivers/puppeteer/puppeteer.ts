import { once } from 'node:events';
import type { Browser, LaunchOptions as PuppeteerOptions } from 'puppeteer-core';
import type * as Library from 'puppeteer-core';
import {
  can,
  type Capabilities,
  type Driver,
  type LaunchOptions,
  type Session,
  type Whereabouts,
} from '../driver.ts';
import { startTrace, tracePages, type BrowserProtocol } from '../shared/chromium-trace.ts';
import {
  chromiumFlags,
  firefoxPreferences,
  firefoxProfiler,
  preferencesOf,
} from '../shared/launch-recipes.ts';
import { Pages } from './pages.ts';
import { connectTo, lookAt, readVersion } from './server.ts';
import { notOurs } from '../shared/running-browser.ts';
import { certificateKeys } from '../shared/site-access.ts';
import { launchStep, watchEnding } from '../shared/step.ts';

function capabilities(browser: string, { server }: Whereabouts = {}): Capabilities {
  return {
    evaluate: can,
    freshPage: can,
    liveVersion: can,
    headless: can,
    preferences: preferencesOf(browser),
    noticesDeath: can,
    trace: can,
    input: can,
    dialogs: can,
    firstScript: can,
    ...(server !== undefined && notOurs),
  };
}

/**
 * Chromium and Chrome by the DevTools protocol; any installed Firefox by WebDriver BiDi; launched, or
 * running already.
 */
export const puppeteerDriver: Driver = {
  name: 'puppeteer',
  serves: ['chromium', 'chrome', 'edge', 'firefox'],
  libraries: ['puppeteer-core', 'puppeteer'],
  capabilities,
  access: (browser, where) => ({
    headers: can,
    cookies: can,
    user: can,
    anyCertificate: can,
    certificateKeys: certificateKeys(browser, where),
  }),
  look: async (address, browser) => {
    const { connect } = await loadPuppeteer();
    return lookAt(address, { browser, connect });
  },
  launch: launchStep(launch, 'by Puppeteer'),
};

/**
 * Puppeteer where its owner has installed it, else its core, which is the same library. The farm's
 * package depends on the core alone: the other one downloads a browser when it is installed.
 */
async function loadPuppeteer(): Promise<Pick<typeof Library, 'connect' | 'launch'>> {
  try {
    return await import('puppeteer');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return import('puppeteer-core');
  }
}

async function launch(options: LaunchOptions, abandoned: AbortSignal): Promise<Session> {
  const { launch: launchBrowser, connect } = await loadPuppeteer();
  abandoned.throwIfAborted();
  const { server } = options;
  if (server !== undefined) return connectTo(server, { connect, options, abandoned });
  const browser = await launchBrowser({ ...launchOptions(options), signal: abandoned });
  const ending = watchEnding();
  browser.on('disconnected', () => {
    ending.tell(`${options.browser} ended`);
  });
  const pages = new Pages(browser, ending, options);
  const pid = browser.process()?.pid;
  // Firefox got its settings at launch, and writes its profile by itself when it ends.
  const ordered = options.browser === 'firefox' ? {} : options;
  const writeTrace = await startTrace(() => lendProtocol(browser), ordered);
  return {
    ended: ending.ended,
    open: (url, bounds) => pages.open(url, bounds),
    navigate: (url, bounds) => pages.navigate(url, bounds),
    version: () => readVersion(browser),
    processes: () => Promise.resolve(pid === undefined ? [] : [pid]),
    evaluate: async (expression) => (await pages.current()).evaluate(expression),
    act: (input) => pages.act(input),
    ...(options.browser !== 'firefox' && {
      trace: (order) =>
        tracePages(order, {
          borrow: () => lendProtocol(browser),
          move: async () => pages.moveTo(await browser.createBrowserContext()),
        }),
    }),
    close: async () => {
      ending.expect();
      try {
        await writeTrace();
        if (options.browser === 'firefox' && options.trace !== undefined) await endFirefox(browser);
      } finally {
        await browser.close();
      }
    },
  };
}

/**
 * Asks Firefox to end, and waits until it has: Puppeteer kills one that takes longer than five seconds,
 * which on a busy machine still writes its profile (`BrowserLauncher.closeBrowser`). A session has its
 * own deadline.
 */
async function endFirefox(browser: Browser): Promise<void> {
  const process = browser.process();
  const { connection } = browser as unknown as { readonly connection?: BrowserConnection };
  if (process === null || process.exitCode !== null || connection === undefined) return;
  const ended = once(process, 'exit');
  await connection.send('browser.close', {});
  await ended;
}

/** Puppeteer's connection by WebDriver BiDi, which its types leave out. */
interface BrowserConnection {
  send(method: string, parameters: object): Promise<unknown>;
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
    env: { ...options.environment, ...(firefox ? firefoxProfiler(options) : {}) },
    timeout: options.timeoutMs,
    acceptInsecureCerts: options.access?.certificates === 'any',
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
