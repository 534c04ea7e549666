import type { Browser, ConnectOptions } from 'puppeteer-core';
import type { LaunchOptions, Session, Sighting } from '../driver.ts';
import { Pages } from './pages.ts';
import { lookMs, readHost, wrongProduct } from '../shared/running-browser.ts';
import { firstLine, runStep, watchEnding } from '../shared/step.ts';

/**
 * A browser of another program with `--remote-debugging-port`: Chromium at the address of
 * that port or at its WebSocket, Firefox at `ws://…/session`.
 */

/** The library's own `connect`: the caller has loaded it. */
type Connect = (options: ConnectOptions) => Promise<Browser>;

interface Connecting {
  readonly connect: Connect;
  readonly options: LaunchOptions;
  readonly abandoned: AbortSignal;
}

function connectOptions(address: string, browser: string): ConnectOptions {
  return {
    ...(/^wss?:/.test(address) ? { browserWSEndpoint: address } : { browserURL: address }),
    protocol: browser === 'firefox' ? 'webDriverBiDi' : 'cdp',
    // The page is measured as a person would see it: no emulated screen.
    defaultViewport: null,
  };
}

interface Looking {
  readonly browser: string;
  readonly connect: Connect;
  readonly anyCertificate?: boolean;
}

/** Its WebSocket rejects with an event, not with an error. */
async function reach(
  address: string,
  { browser, connect, anyCertificate = false }: Looking,
): Promise<Browser> {
  try {
    const acceptInsecureCerts = anyCertificate;
    return await connect({ ...connectOptions(address, browser), acceptInsecureCerts });
  } catch (error) {
    if (error instanceof Error) throw error;
    throw new Error(messageOf(error) ?? 'nobody answers', { cause: error });
  }
}

function messageOf(event: unknown): string | null {
  if (typeof event !== 'object' || event === null || !('message' in event)) return null;
  return typeof event.message === 'string' && event.message !== '' ? event.message : null;
}

/** A session with its own profile in that browser, which lives on when the session is closed. */
export async function connectTo(
  address: string,
  { connect, options, abandoned }: Connecting,
): Promise<Session> {
  const anyCertificate = options.access?.certificates === 'any';
  const browser = await reach(address, { browser: options.browser, connect, anyCertificate });
  const ending = watchEnding();
  browser.on('disconnected', () => {
    ending.tell(`${options.browser} ended, or the way to it`);
  });
  try {
    abandoned.throwIfAborted();
    const context = await browser.createBrowserContext();
    const pages = new Pages(context, ending, options);
    return {
      ended: ending.ended,
      open: (url, bounds) => pages.open(url, bounds),
      version: () => readVersion(browser),
      // The farm did not start it, perhaps on another machine.
      processes: () => Promise.resolve([]),
      evaluate: async (expression) => (await pages.current()).evaluate(expression),
      act: (input) => pages.act(input),
      close: async () => {
        ending.expect();
        try {
          await context.close();
        } finally {
          await browser.disconnect();
        }
      },
    };
  } catch (error) {
    // Report the first error.
    await browser.disconnect().catch(() => undefined);
    throw error;
  }
}

/** The exact version behind the product's name: `HeadlessChrome/156.0.8078.79`. */
export async function readVersion(browser: Browser): Promise<string | null> {
  return (await browser.version()).split('/').at(-1) ?? null;
}

/** Finds out whether a browser listens, and which. */
export async function lookAt(address: string, { browser, connect }: Looking): Promise<Sighting> {
  const what = `Looking at ${readHost(address)}`;
  const signal = new AbortController().signal;
  const bounds = { what, code: 'launch-failed', signal, timeoutMs: lookMs } as const;
  try {
    return await runStep(() => askThere(address, { browser, connect }), bounds);
  } catch (error) {
    return { refusal: `no ${browser} can be used at ${readHost(address)}: ${firstLine(error)}` };
  }
}

async function askThere(address: string, { browser, connect }: Looking): Promise<Sighting> {
  const there = await reach(address, { browser, connect });
  try {
    const told = await there.version();
    const refusal = wrongProduct(browser, told, address);
    const version = told.split('/').at(-1);
    if (refusal !== null) return { refusal };
    return { node: null, ...(version !== undefined && { version }) };
  } finally {
    await there.disconnect();
  }
}
