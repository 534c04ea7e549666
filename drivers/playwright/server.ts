import type { Browser, BrowserContextOptions, BrowserType } from 'playwright';
import type { LaunchOptions, Session, Sighting } from '../driver.ts';
import { asSeen, Pages } from './pages.ts';
import { lookMs, readHost, wrongProduct } from '../shared/running-browser.ts';
import { firstLine, watchEnding } from '../shared/step.ts';

/**
 * A browser behind a Playwright server that the farm did not start (`playwright launch-server`, or
 * `launchServer()`), at its `wsEndpoint`. Both sides must be of one version of Playwright.
 */

interface Connecting {
  readonly type: BrowserType;
  /** Options of the emulated device. */
  readonly context: BrowserContextOptions;
  readonly options: LaunchOptions;
}

/** A session with its own profile in that browser, which lives on when the session is closed. */
export async function connectTo(
  address: string,
  { type, context: emulated, options }: Connecting,
): Promise<Session> {
  const browser = await type.connect(address, { timeout: options.timeoutMs });
  const ending = watchEnding();
  browser.on('disconnected', () => {
    ending.tell(`${options.browser} ended, or the server before it`);
  });
  try {
    const context = await browser.newContext({ ...asSeen, ...emulated });
    const pages = new Pages(context, ending, options);
    return {
      ended: ending.ended,
      open: (url, bounds) => pages.open(url, bounds),
      version: () => Promise.resolve(browser.version()),
      // The farm did not start it, perhaps on another machine.
      processes: () => Promise.resolve([]),
      evaluate: (expression) => pages.current().evaluate(expression),
      act: (input) => pages.act(input),
      close: async () => {
        ending.expect();
        try {
          await context.close();
        } finally {
          await leave(browser);
        }
      },
    };
  } catch (error) {
    // Report the first error.
    await leave(browser).catch(() => undefined);
    throw error;
  }
}

/** Of a browser that was connected to, closing ends the connection alone. */
function leave(browser: Browser): Promise<void> {
  return browser.close();
}

interface Looking {
  readonly browser: string;
  readonly type: BrowserType;
}

/** Finds out whether a server listens, and its browser: only a page of it shows the product. */
export async function lookAt(
  address: string,
  { browser: product, type }: Looking,
): Promise<Sighting> {
  let browser: Browser | null = null;
  try {
    browser = await type.connect(address, { timeout: lookMs });
    const page = await browser.newPage();
    const agent = String(await page.evaluate('navigator.userAgent'));
    const refusal = wrongProduct(product, agent, address);
    return refusal === null ? { node: null, version: browser.version() } : { refusal };
  } catch (error) {
    return {
      refusal: `no Playwright server can be used at ${readHost(address)}: ${firstLine(error)}`,
    };
  } finally {
    if (browser !== null) await leave(browser);
  }
}
