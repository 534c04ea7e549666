import {
  can,
  cannot,
  DriverError,
  type Ability,
  type Capabilities,
  type Driver,
  type LaunchOptions,
  type Session,
  type Whereabouts,
} from '../driver.ts';
import { endInVain, startServer } from '../shared/driver-server.ts';
import { firefoxProfiler, isChromium, preferencesOf } from '../shared/launch-recipes.ts';
import { findRemote, launchRemote } from './remote.ts';
import { certificateKeys, launchingAsUser } from '../shared/site-access.ts';
import { launchStep, watchEnding } from '../shared/step.ts';
import {
  deathBehind,
  makeSession,
  type SessionParts,
  startBrowser,
  type W3cOptions,
} from '../shared/w3c-session.ts';
import { bidiArguments, firstByChromium, startWithBidi } from './first-script.ts';
import { serverRecipes, type ServerRecipe } from '../shared/webdriver-servers.ts';

function capabilities(browser: string, { server }: Whereabouts = {}): Capabilities {
  const isElsewhere = /^https?:/.test(server ?? '');
  const noHeadless: Readonly<Record<string, string>> = {
    webkitgtk: 'MiniBrowser has no headless mode; it runs on a virtual display',
    safari: 'Safari has no headless mode',
  };
  return {
    evaluate: can,
    input: can,
    dialogs: can,
    firstScript: firstScript(browser, isElsewhere),
    freshPage:
      browser === 'wpewebkit'
        ? cannot('its browser has one window, in which a page takes the place of the one before')
        : can,
    liveVersion: can,
    headless: noHeadless[browser] === undefined ? can : cannot(noHeadless[browser]),
    preferences: preferencesOf(browser),
    noticesDeath: deathIsSeen(isElsewhere),
    // Firefox writes its profile by itself, where the farm gives it its environment.
    trace:
      browser === 'firefox' && !isElsewhere
        ? can
        : cannot(`WebDriver has no command for a trace of ${browser}`),
  };
}

function firstScript(browser: string, isElsewhere: boolean): Ability {
  if (isChromium(browser)) return can;
  if (browser !== 'firefox') {
    return cannot(`the server of ${browser} puts no script before those of a page`);
  }
  return isElsewhere ? cannot('of a Firefox elsewhere the farm asks for no WebDriver BiDi') : can;
}

function deathIsSeen(remote: boolean): Ability {
  if (remote) {
    return cannot('a browser elsewhere is not seen from here; that a node of a grid died, is');
  }
  return deathBehind('WebDriver');
}

/**
 * Moves any browser behind a WebDriver server: one that this driver starts and ends itself, or one
 * at an address, such as a Selenium Grid.
 */
export const webdriverDriver: Driver = {
  name: 'webdriver',
  serves: Object.keys(serverRecipes),
  libraries: ['webdriverio'],
  capabilities,
  ownerSteps: (browser) =>
    browser === 'safari'
      ? [
          'On its Mac, once: safaridriver --enable. Safari, Settings, Developer: Allow remote automation.',
        ]
      : [],
  access: (browser, where) => ({
    headers: cannot('WebDriver has no command that adds a header to what a page asks for'),
    cookies: cannot('WebDriver sets the cookies of a site only when a page of it is open'),
    user: can,
    anyCertificate:
      browser === 'safari' ? cannot('Safari takes no certificate that it does not know') : can,
    certificateKeys: certificateKeys(browser, where),
  }),
  look: (address, browser, remote) => findRemote(address, recipeFor(browser), remote),
  launch: launchStep(launchingAsUser(launch), 'by WebDriver'),
};

function recipeFor(browser: string): ServerRecipe {
  const recipe = serverRecipes[browser];
  if (recipe !== undefined) return recipe;
  throw new DriverError('not-supported', `No WebDriver server is known for ${browser}`);
}

function capabilitiesOf(
  recipe: ServerRecipe,
  options: LaunchOptions,
): Readonly<Record<string, unknown>> {
  const anyCertificate = options.access?.certificates === 'any';
  return { ...recipe.capabilities(options), ...(anyCertificate && { acceptInsecureCerts: true }) };
}

async function launch(options: LaunchOptions, abandoned: AbortSignal): Promise<Session> {
  const recipe = recipeFor(options.browser);
  const { server: path } = options;
  if (path === undefined) {
    throw new DriverError('not-supported', `No WebDriver server is known for ${options.browser}`);
  }
  if (options.remote !== undefined) {
    return launchRemote(path, capabilitiesOf(recipe, options), { options, abandoned });
  }
  const ending = watchEnding();
  const profiler = options.browser === 'firefox' ? firefoxProfiler(options) : {};
  const environment = { ...options.environment, ...recipe.environment, ...profiler };
  const speaksBidi = options.first === true && options.browser === 'firefox';
  const server = {
    ...recipe,
    path,
    environment,
    arguments: (port: number) => [...recipe.arguments(port), ...(speaksBidi ? bidiArguments : [])],
  };
  const { program, port } = await startServer(server, { ending, abandoned });
  try {
    const ask = {
      address: `http://127.0.0.1:${String(port)}`,
      capabilities: capabilitiesOf(recipe, options),
      timeoutMs: options.timeoutMs,
    };
    const oneWindow = options.browser === 'wpewebkit';
    const parts = { ending, server: program, generations: 1, by: 'WebDriver', oneWindow };
    if (speaksBidi) return await beginWithBidi(ask, parts);
    const browser = await startBrowser(ask);
    return makeSession(browser, { ...parts, comeFirst: firstByChromium(options.browser, browser) });
  } catch (error) {
    throw await endInVain(program, error);
  }
}

async function beginWithBidi(ask: W3cOptions, parts: SessionParts): Promise<Session> {
  const { browser, comeFirst, disconnect } = await startWithBidi(ask);
  const session = makeSession(browser, { ...parts, comeFirst });
  return {
    ...session,
    close: () => {
      disconnect();
      return session.close();
    },
  };
}
