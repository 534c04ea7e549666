import {
  can,
  cannot,
  DriverError,
  type Capabilities,
  type Driver,
  type LaunchOptions,
  type Session,
} from './driver.ts';
import { endInVain, startServer } from './driver-server.ts';
import { runStep, watchEnding } from './step.ts';
import { makeSession, startBrowser } from './w3c-session.ts';
import { serverRecipes } from './webdriver-servers.ts';

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

async function launch(options: LaunchOptions, abandoned: AbortSignal): Promise<Session> {
  const recipe = serverRecipes[options.browser];
  if (recipe === undefined || options.server === undefined) {
    throw new DriverError('not-supported', `No WebDriver server is known for ${options.browser}`);
  }
  const ending = watchEnding();
  const environment = { ...options.environment, ...recipe.environment };
  const server = { ...recipe, path: options.server, environment };
  const { program, port } = await startServer(server, { ending, abandoned });
  try {
    const browser = await startBrowser({
      address: `http://127.0.0.1:${String(port)}`,
      capabilities: recipe.capabilities(options),
      timeoutMs: options.timeoutMs,
    });
    return makeSession(browser, { ending, server: program, generations: 1, by: 'WebDriver' });
  } catch (error) {
    throw await endInVain(program, error);
  }
}
