import pTimeout from 'p-timeout';
import type { Browser } from 'webdriverio';
import { isLiving, listDescendants, type ChildProgram } from './child-program.ts';
import {
  can,
  cannot,
  type Ability,
  DriverError,
  type Input,
  isCharacter,
  type LaunchOptions,
  type NamedKey,
  type Session,
} from '../driver.ts';
import { patienceMs } from './driver-server.ts';
import { graceMs, runStep, type Ending } from './step.ts';

/** A session of the W3C protocol with a server, by webdriverio: WebDriver and Appium share it. */

export interface W3cOptions {
  /** Address of the server: `http://127.0.0.1:4444`, or with a path. */
  readonly address: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly timeoutMs: LaunchOptions['timeoutMs'];
  /** Asks for WebDriver BiDi, and takes its address. */
  readonly takeBidi?: (address: string) => void;
}

/**
 * How long after the launch's own limit an answer is still awaited. A server that the farm did not
 * start continues a session whose request was given up, and only the answer says by which id to end
 * it; and it may not end one whose deletion was given up. Callers have their own limits.
 */
const lateMs = 120_000;

/**
 * Asks the server for a session. It may come later than the limit, of which the caller has to take
 * care (`launchStep`): only the caller can end it.
 */
export async function startBrowser(options: W3cOptions): Promise<Browser> {
  const { remote } = await import('webdriverio');
  const { protocol, hostname, port, pathname } = new URL(options.address);
  const secure = protocol === 'https:';
  const { takeBidi } = options;
  // With hostname and port given, webdriverio neither starts nor downloads a driver.
  return remote({
    protocol: secure ? 'https' : 'http',
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    path: pathname,
    logLevel: 'silent',
    connectionRetryCount: 0,
    connectionRetryTimeout: options.timeoutMs + lateMs,
    ...(takeBidi && { transformResponse: (response) => withoutBidi(response, takeBidi) }),
    capabilities: {
      ...options.capabilities,
      ...(takeBidi && { webSocketUrl: true }),
      // `open` returns when navigation has begun; the page says by itself when it is ready.
      pageLoadStrategy: 'none',
      // A command that meets a dialog closes it and goes on. Looking for one is `watchDialogs`.
      unhandledPromptBehavior: 'dismiss',
      // The classic protocol keeps no observer in the page while it is timed.
      'wdio:enforceWebDriverClassic': true,
    },
  });
}

/** webdriverio would take the address, and have observers in each page. */
function withoutBidi<Response extends { readonly body?: unknown }>(
  response: Response,
  take: (address: string) => void,
): Response {
  const { value } = response.body as { value?: { capabilities?: { webSocketUrl?: unknown } } };
  const { capabilities } = value ?? {};
  if (typeof capabilities?.webSocketUrl === 'string') {
    take(capabilities.webSocketUrl);
    delete capabilities.webSocketUrl;
  }
  return response;
}

/**
 * WebDriver ends a script after it. WebKitGTK 2.50 was seen to lose a question that came while its
 * page was being led on, and its server waits for ever.
 */
const scriptMs = 30_000;

export interface SessionParts {
  readonly ending: Ending;
  /** The server that was started for this session; null when the farm did not start it. */
  readonly server: ChildProgram | null;
  /** How many generations below the server the browser is: 1 below geckodriver. */
  readonly generations: number;
  /** Name of the driver in messages: "WebDriver". */
  readonly by: string;
  /** Ends the session with the server; deletes it when left out. */
  readonly remove?: () => Promise<unknown>;
  /** How long an answer of the page is awaited; that of WebDriver's scripts when left out. */
  readonly answerMs?: number;
  /** False where looking for dialogs would cost too much; true when left out. */
  readonly dialogs?: boolean;
  /** True where a page takes the place of the one before; false when left out. */
  readonly oneWindow?: boolean;
  /** Puts a script before those of the page that a window opens next; left out where nothing can. */
  readonly comeFirst?: ((script: string, window: string) => Promise<unknown>) | undefined;
}

/** The contract's session around one of the protocol. */
export function makeSession(browser: Browser, parts: SessionParts): Session {
  const { ending, server, generations, by, dialogs = true, oneWindow = false, comeFirst } = parts;
  const { answerMs = scriptMs } = parts;
  const { remove = () => browser.deleteSession({ shutdownDriver: false }) } = parts;
  const below = server === null ? [] : listDescendants(server.pid, generations);
  const processes = server === null ? [] : [server.pid, ...below];
  const stopWatching = watchDeath(below, ending);
  const watcher = dialogs ? watchDialogs(browser) : null;
  let opening: Promise<void> = Promise.resolve();
  return {
    ended: ending.ended,
    open: async (url, { first, ...bounds }) => {
      const what = `Opening a page by ${by}`;
      const start = (): Promise<void> => {
        opening = openFreshPage(browser, url, { oneWindow, first, comeFirst });
        return opening;
      };
      await runStep(start, { what, code: 'navigation-failed', ...bounds });
      watcher?.begin();
    },
    navigate: (url, bounds) => {
      const what = `Leading a page by ${by}`;
      const start = (): Promise<void> => {
        opening = browser.navigateTo(url).then(() => undefined);
        return opening;
      };
      return runStep(start, { what, code: 'navigation-failed', ...bounds });
    },
    version: () => Promise.resolve(versionOf(browser)),
    processes: () => Promise.resolve(processes),
    evaluate: (expression) => {
      const answer = browser.executeScript(inPage(expression), []);
      const message = new DriverError('timed-out', 'The page left a question without an answer');
      return pTimeout(answer, { milliseconds: answerMs, message });
    },
    act: (input) => act(browser, input),
    close: async () => {
      ending.expect();
      stopWatching();
      watcher?.end();
      // webdriverio switches windows by itself when one was closed, and its failure is not heard: an
      // opening that was given up must not meet the end of its session.
      await pTimeout(Promise.allSettled([opening]), { milliseconds: graceMs, message: false });
      try {
        const deletion = remove();
        if (server === null) return void (await deletion);
        // A browser below a server of ours is ended with it, so that the server may close the
        // connection before it answers (seen in CI); one on a phone would be left running.
        const heard = generations > 0 ? deletion.catch(() => undefined) : deletion;
        // It need not wait for a browser that died, either: Appium 3.8 was seen to take 20 s.
        await Promise.race([heard, ending.ended]);
      } finally {
        await server?.end(patienceMs);
      }
    },
  };
}

/** Firefox runs each script in its own global object, which is gone when the script has ended. */
function inPage(expression: string): string {
  return `return (function (globalThis) { return (${expression}); })(window);`;
}

async function act(browser: Browser, input: Input): Promise<void> {
  if (input.by === 'click') {
    await browser.action('pointer').move(input).down().up().perform();
  } else if (input.by === 'wheel') {
    const turn = browser.action('wheel').scroll({ deltaX: 0, deltaY: input.y, duration: 0 });
    // Nothing is held, and WebKitGTK turns the wheel back when all is released.
    await turn.perform(true);
  } else {
    const { Key } = await import('webdriverio');
    const key = isCharacter(input.key) ? input.key : Key[input.key as NamedKey];
    await browser.action('key').down(key).up(key).perform();
  }
}

/** True if the death of a browser behind a server of ours is seen. */
export function deathBehind(by: string): Ability {
  return process.platform === 'linux'
    ? can
    : cannot(`${by} does not report it, and only Linux lists the browser behind it`);
}

const watchMs = 250;
const soonestMs = 10;

/**
 * A WebDriver server does not tell that its browser died, so the browser's process is looked at
 * four times a second: one read of /proc, some 10 µs.
 */
function watchDeath(pids: readonly number[], ending: Ending): () => void {
  if (pids.length === 0) return () => undefined;
  const timer = setInterval(() => {
    if (pids.every(isLiving)) return;
    clearInterval(timer);
    ending.tell('the browser ended');
  }, watchMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

/**
 * The classic protocol tells of no dialog, and its own rule for them holds only when the next command
 * comes, which may be never: so the server is asked to dismiss one, again and again. It answers for
 * itself, without the page. After a dialog the next look comes soon, because pages that show one show
 * more, and the looks are rarer until there is another.
 */
function watchDialogs(browser: Browser): { begin(): void; end(): void } {
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  const lookAfter = (ms: number): void => {
    timer = setTimeout(() => void look(ms), ms);
    timer.unref();
  };
  const look = async (ms: number): Promise<void> => {
    const found = await browser.dismissAlert().then(
      () => true,
      () => false,
    );
    if (!ended) lookAfter(found ? soonestMs : Math.min(2 * ms, watchMs));
  };
  return {
    begin: () => {
      if (timer === null && !ended) lookAfter(soonestMs);
    },
    end: () => {
      ended = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function versionOf(browser: Browser): string | null {
  const version = (browser.capabilities as { browserVersion?: unknown }).browserVersion;
  return typeof version === 'string' ? version : null;
}

interface Opening extends Pick<SessionParts, 'comeFirst'> {
  readonly oneWindow: boolean;
  readonly first: string | undefined;
}

async function openFreshPage(
  browser: Browser,
  url: string,
  { oneWindow, first, comeFirst }: Opening,
): Promise<void> {
  if (oneWindow) {
    // Nothing of the page before it may be left in it.
    await browser.executeScript('try { sessionStorage.clear(); } catch {} window.name = "";', []);
  } else {
    const { handle } = await browser.createWindow('tab');
    await browser.closeWindow();
    await browser.switchToWindow(handle);
    if (first !== undefined) await comeFirst?.(first, handle);
  }
  await browser.navigateTo(url);
}
