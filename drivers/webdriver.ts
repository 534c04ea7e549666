import { createServer } from 'node:net';
import type { Browser } from 'webdriverio';
import { isLiving, listChildren, startProgram, type ChildProgram } from './child-program.ts';
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
import { runStep, watchEnding, type Ending } from './step.ts';
import { serverRecipes, type ServerRecipe } from './webdriver-servers.ts';

function capabilities(browser: string): Capabilities {
  const noHeadless: Readonly<Record<string, string>> = {
    webkitgtk: 'MiniBrowser has no headless mode; it runs on a virtual display',
    safari: 'Safari has no headless mode',
  };
  return {
    evaluate: can,
    freshPage: can,
    liveVersion: can,
    headless: noHeadless[browser] === undefined ? can : cannot(noHeadless[browser]),
    preferences:
      browser === 'firefox' ? can : cannot(`${browser} takes flags, it has no preferences to set`),
    noticesDeath:
      process.platform === 'linux'
        ? can
        : cannot('WebDriver tells nothing by itself, and only Linux lists the browser behind it'),
    trace: cannot(`WebDriver has no command for a trace of ${browser}`),
  };
}

/** Any browser behind a WebDriver server of its own, which this driver starts and ends. */
export const webdriverDriver: Driver = {
  name: 'webdriver',
  serves: Object.keys(serverRecipes),
  capabilities,
  launch: (options) =>
    runStep((abandoned) => launch(options, abandoned), {
      what: `Launching ${options.browser} by WebDriver`,
      code: 'launch-failed',
      signal: options.signal,
      timeoutMs: options.timeoutMs,
      undo: (session) => session.close(),
    }),
};

const patienceMs = 1000;

async function launch(options: LaunchOptions, abandoned: AbortSignal): Promise<Session> {
  const recipe = serverRecipes[options.browser];
  if (recipe === undefined || options.server === undefined) {
    throw new DriverError('not-supported', `No WebDriver server is known for ${options.browser}`);
  }
  const ending = watchEnding();
  const { server, port } = await startServer(options.server, recipe, {
    options,
    ending,
    abandoned,
  });
  try {
    const browser = await startBrowser(options, recipe, port);
    return makeSession(browser, server, ending);
  } catch (error) {
    const words = server.lastWords();
    await server.end(patienceMs);
    if (words === '' || !(error instanceof Error)) throw error;
    throw new Error(`${error.message} (the server's last words: ${words})`, { cause: error });
  }
}

interface ServerSetting {
  readonly options: LaunchOptions;
  readonly ending: Ending;
  readonly abandoned: AbortSignal;
}

interface RunningServer {
  readonly server: ChildProgram;
  readonly port: number;
}

/**
 * Starts the server on a port that was free a moment ago. Somebody else may have taken it since:
 * then the server ends at once, and another port is tried. (Not all servers tell the port that
 * they chose for `--port=0`: WebKitWebDriver 2.50 does not.)
 */
async function startServer(
  path: string,
  recipe: ServerRecipe,
  setting: ServerSetting,
): Promise<RunningServer> {
  for (let tries = 1; ; tries += 1) {
    const port = await findFreePort();
    setting.abandoned.throwIfAborted();
    const server = await startProgram(path, recipe.arguments(port), {
      environment: { ...setting.options.environment, ...recipe.environment },
      onOutput: (text) => {
        if (recipe.crashLine?.test(text)) setting.ending.tell('the page crashed');
      },
    });
    const end = (): void => void server.end(patienceMs);
    setting.abandoned.addEventListener('abort', end, { once: true });
    const failure = await waitUntilReady(server, port);
    if (failure === null) {
      void server.ended.then(setting.ending.tell);
      return { server, port };
    }
    setting.abandoned.removeEventListener('abort', end);
    if (tries === 3) throw new Error(failure);
  }
}

function findFreePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('The system gave no free port.'));
      });
    });
  });
}

/** Null when the server answers; its last words when it ended instead. */
async function waitUntilReady(server: ChildProgram, port: number): Promise<string | null> {
  let ended: string | null = null;
  void server.ended.then((why) => {
    ended = why;
  });
  // Another program on the same port may answer: then our server cannot live.
  while (!(await answersStatus(port)) || !isLiving(server.pid)) {
    if (ended !== null) return ended;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return null;
}

async function answersStatus(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${String(port)}/status`, {
      signal: AbortSignal.timeout(2000),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

async function startBrowser(
  options: LaunchOptions,
  recipe: ServerRecipe,
  port: number,
): Promise<Browser> {
  const { remote } = await import('webdriverio');
  // With hostname and port given, webdriverio starts and downloads no driver of its own.
  return remote({
    hostname: '127.0.0.1',
    port,
    path: '/',
    logLevel: 'silent',
    connectionRetryCount: 0,
    connectionRetryTimeout: options.timeoutMs,
    capabilities: {
      ...recipe.capabilities(options),
      // `open` returns when navigation has begun; the page says by itself when it is ready.
      pageLoadStrategy: 'none',
      // The classic protocol keeps no observer in the page while it is timed.
      'wdio:enforceWebDriverClassic': true,
    },
  });
}

function makeSession(browser: Browser, server: ChildProgram, ending: Ending): Session {
  const processes = [server.pid, ...listChildren(server.pid)];
  const stopWatching = watchDeath(processes.slice(1), ending);
  return {
    ended: ending.ended,
    open: (url, bounds) => openFreshPage(browser, url, bounds),
    version: () => Promise.resolve(versionOf(browser)),
    processes: () => Promise.resolve(processes),
    evaluate: (expression) => browser.executeScript(`return (${expression});`, []),
    close: async () => {
      ending.expect();
      stopWatching();
      try {
        await browser.deleteSession({ shutdownDriver: false });
      } finally {
        await server.end(patienceMs);
      }
    },
  };
}

const watchMs = 250;

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

function versionOf(browser: Browser): string | null {
  const version = (browser.capabilities as { browserVersion?: unknown }).browserVersion;
  return typeof version === 'string' ? version : null;
}

function openFreshPage(browser: Browser, url: string, bounds: OpenOptions): Promise<void> {
  return runStep(
    async () => {
      const { handle } = await browser.createWindow('tab');
      await browser.closeWindow();
      await browser.switchToWindow(handle);
      await browser.navigateTo(url);
    },
    { what: 'Opening a page by WebDriver', code: 'navigation-failed', ...bounds },
  );
}
