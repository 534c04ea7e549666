import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Browser } from 'webdriverio';
import { type PhoneParts, buildBridge, isLoopback, onPhone } from './phone.ts';
import { findApp } from './android-apps.ts';
import { listOwnerSteps } from './owner-steps.ts';
import { type AppiumRecipe, findDataLoss, joinCapabilities, listRecipes } from './recipes.ts';
import {
  type Ability,
  type Capabilities,
  type Driver,
  DriverError,
  type LaunchOptions,
  type Obstacle,
  type Phone,
  type Session,
  type Whereabouts,
  can,
  cannot,
} from '../driver.ts';
import { type ServerProgram, endInVain, startServer } from '../shared/driver-server.ts';
import { preferencesOf } from '../shared/launch-recipes.ts';
import { launchingAsUser } from '../shared/site-access.ts';
import { errorText, launchStep, watchEnding } from '../shared/step.ts';
import { deathBehind, makeSession, startBrowser } from '../shared/w3c-session.ts';
import { npxCrossfarm } from '../../harness/core/model/typed-command.ts';
import { pick, readServerStatus } from '../shared/server-status.ts';
import getPort from 'get-port';

const served = ['chromium', 'chrome', 'edge', 'firefox', 'safari', 'samsung', 'program'];

function capabilities(browser: string, { phone, server }: Whereabouts = {}): Capabilities {
  const mobile = phone !== undefined;
  return {
    evaluate: can,
    input: mobile ? cannot('taps and gestures on phones are not built') : can,
    dialogs: mobile
      ? cannot('to look for one again and again would disturb what a phone measures')
      : can,
    firstScript: cannot('Appium has no command that puts a script before those of a page'),
    freshPage: phone === undefined ? can : cannot(`on a phone ${describeSession(phone)}`),
    liveVersion: can,
    headless: mobile ? cannot('a phone shows what it runs') : can,
    preferences: preferencesOf(browser),
    noticesDeath: deathIsSeen(mobile, server),
    trace: cannot(`Appium has no command for a trace of ${browser}`),
  };
}

/** Says what happens to the owner's data, where the owner looks before a run. */
function describeSession({ platform, profile }: Phone): string {
  const session = 'every page is opened in a new session';
  if (platform === 'ios') return session;
  return profile === 'erase'
    ? `${session}, which erases all data of the browser's app: tabs, logins, history`
    : `${session}, in the browser as its owner has it: its data are kept`;
}

function deathIsSeen(mobile: boolean, server: string | undefined): Ability {
  if (mobile) return cannot('the processes of a phone are not seen from here');
  if (server !== undefined && isAddress(server)) {
    return cannot(
      'the server was started by somebody else, and which browser is its own is not seen',
    );
  }
  return deathBehind('Appium');
}

/**
 * Browsers behind an Appium server: one whose address is given, or one that the farm starts for
 * each session and ends with it.
 */
export const appiumDriver: Driver = {
  name: 'appium',
  serves: served,
  libraries: ['webdriverio'],
  capabilities,
  ownerSteps: (browser, { phone } = {}) => listOwnerSteps(browser, phone),
  serverNeeds: {
    packages: (browser, { phone }) => {
      const [recipe] = listRecipes(browser, phone);
      return recipe === undefined ? null : ['appium', recipe.package];
    },
    features: (browser, { phone }) =>
      listRecipes(browser, phone).flatMap(({ features }) => features),
    app: (browser, { phone }) => (phone === undefined ? null : findApp(browser, phone)),
    obstacle: (browser, { phone }) => findObstacle(browser, phone),
    refusal: (address) => findRefusal(address),
  },
  access: () => {
    const no = cannot('Appium has no command for it');
    return { headers: no, cookies: no, user: can, anyCertificate: no, certificateKeys: no };
  },
  launch: launchStep(launchingAsUser(launch), 'by Appium'),
};

function findObstacle(browser: string, phone: Phone | undefined): Obstacle | null {
  const reason = findDataLoss(browser, phone);
  if (reason === null) return null;
  return {
    reason,
    remedy:
      'install a second Firefox for it, such as Firefox Nightly ("appPackage": "org.mozilla.fenix"), and give the device "profile": "erase" in devices.json',
  };
}

function isAddress(server: string): boolean {
  return /^https?:\/\//.test(server);
}

interface Plan {
  readonly options: LaunchOptions;
  readonly recipe: AppiumRecipe;
  /** For a server that does not have that one's driver. */
  readonly others: readonly AppiumRecipe[];
  readonly server: string;
}

async function launch(options: LaunchOptions, abandoned: AbortSignal): Promise<Session> {
  const { browser, phone, server } = options;
  const [recipe, ...others] = listRecipes(browser, phone);
  if (recipe === undefined || server === undefined) {
    const on = phone === undefined ? '' : ` on ${phone.platform}`;
    const what = server === undefined ? 'No Appium server is known' : 'Appium has no driver';
    throw new DriverError('not-supported', `${what} for ${browser}${on}`);
  }
  const loss = findDataLoss(browser, phone);
  if (loss !== null) throw new DriverError('not-supported', loss);
  const plan = { options, recipe, others, server };
  return isAddress(server) ? launchThere(plan, abandoned) : launchHere(plan, abandoned);
}

/** Launches on a server that the farm did not start: only the session is ended. */
async function launchThere(plan: Plan, abandoned: AbortSignal): Promise<Session> {
  const refusal = await findRefusal(plan.server, abandoned);
  if (refusal !== null) throw new Error(refusal);
  abandoned.throwIfAborted();
  const place = { near: isLoopback(new URL(plan.server).hostname) };
  const browser = await askByAny(plan, place);
  const begun = (id: string): Promise<void> =>
    plan.options.remember?.({ kind: 'webdriver', server: plan.server, session: id }) ??
    Promise.resolve();
  await begun(browser.sessionId).catch(async (error: unknown) => {
    // Report the first error; the server ends an unused session by itself.
    await browser.deleteSession({ shutdownDriver: false }).catch(() => undefined);
    throw error;
  });
  const ending = watchEnding();
  const parts = { ending, server: null, generations: 0, by: 'Appium', dialogs: isDesktop(plan) };
  const session = makeSession(browser, parts);
  return fit(session, browser, { ...plan, ...place, begun });
}

/** Which drivers a server has is only known when one is asked for. */
async function askByAny(plan: Plan, place: { readonly near: boolean }): Promise<Browser> {
  const { others, server } = plan;
  const [next, ...rest] = others;
  try {
    return await askForSession(plan, server, place);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    if (next === undefined || !noSuchDriver.test(errorText(cause))) throw error;
    return askByAny({ ...plan, recipe: next, others: rest }, place);
  }
}

const isDesktop = ({ options }: Plan): boolean => options.phone === undefined;

/**
 * Appium starts chromedriver or geckodriver, and that the browser. On a phone each page has its own
 * session: the processes that Appium starts for it are no browser of this machine, and end before
 * the next page.
 */
const generationsOf = ({ phone }: LaunchOptions): number => (phone === undefined ? 2 : 0);

async function launchHere(plan: Plan, abandoned: AbortSignal): Promise<Session> {
  const ending = watchEnding();
  const server = serverProgram(plan.server, plan.recipe, plan.options.environment);
  const started = startServer(server, { ending, abandoned });
  const { program, port } = await started.catch((error: unknown) => {
    throw withNextStep(error, plan.recipe);
  });
  try {
    const address = `http://127.0.0.1:${String(port)}`;
    const browser = await askForSession(plan, address, { near: true });
    const generations = generationsOf(plan.options);
    const parts = { ending, server: program, generations, by: 'Appium', dialogs: isDesktop(plan) };
    const session = makeSession(browser, parts);
    // It ends with the server, and that with the session's processes.
    const begun = (): Promise<void> => Promise.resolve();
    return fit(session, browser, { ...plan, near: true, begun });
  } catch (error) {
    throw await endInVain(program, error);
  }
}

/**
 * The server lies in `node_modules/appium` of the folder that is its APPIUM_HOME. Appium keeps there
 * where its drivers are, under the name by which the folder was reached: by a link that is gone later
 * it would find none of them any more.
 */
export function serverProgram(
  path: string,
  { driver, features }: Pick<AppiumRecipe, 'driver' | 'features'>,
  environment: LaunchOptions['environment'],
): ServerProgram {
  const home = resolve(dirname(path), '..', '..');
  return {
    path: process.execPath,
    arguments: (port) => [
      ...[path, 'server', '--address', '127.0.0.1', '--port', String(port)],
      ...['--use-drivers', driver, '--log-level', 'error', '--log-no-colors'],
      ...features.flatMap((feature) => ['--allow-insecure', feature]),
    ],
    environment: { ...environment, APPIUM_HOME: realpathSync(home) },
  };
}

async function askForSession(
  { options, recipe }: Plan,
  address: string,
  place: { readonly near: boolean },
): Promise<Browser> {
  try {
    return await startBrowser({
      address,
      capabilities: joinCapabilities(
        recipe.capabilities(options, {
          ...place,
          // Without one Appium takes 9515, and ends every chromedriver that is there already by its name.
          ...(place.near && { port: await getPort({ host: '127.0.0.1' }) }),
        }),
        options.phone?.capabilities,
      ),
      timeoutMs: options.timeoutMs,
    });
  } catch (error) {
    throw withNextStep(error, recipe);
  }
}

const noSuchDriver = /Could not find a driver for automationName|Could not load the driver/;

/** Remedies for Appium's commonest refusals, whose messages are long. */
function withNextStep(error: unknown, recipe: AppiumRecipe): unknown {
  const { driver, package: name, features } = recipe;
  const text = error instanceof Error ? error.message : '';
  const steps: readonly (readonly [RegExp, string])[] = [
    [
      noSuchDriver,
      `the Appium server has no driver "${driver}": where it runs, appium driver install --source=npm ${name} (or, for the farm's own, ${npxCrossfarm} devices setup --appium)`,
    ],
    [
      /No Chromedriver found that can automate|Automated Chromedriver download/,
      `the Appium server has no chromedriver for the phone's Chrome: start it with --allow-insecure ${features.join(',')}, so that it may download one`,
    ],
    [
      /[Rr]emote [Aa]utomation/,
      'the iPhone does not allow it: switch on Remote Automation there (Settings, Apps, Safari, Advanced), and run safaridriver --enable once on the Mac',
    ],
    [
      /Neither ANDROID_HOME nor ANDROID_SDK_ROOT/,
      'ANDROID_HOME is not set where the Appium server runs: it names the folder of the Android SDK',
    ],
    [
      /Could not find a connected Android device/,
      'no Android device is connected where the Appium server runs: adb devices lists them',
    ],
    [
      /Unable to (launch|start) WebDriverAgent|xcodebuild failed/,
      'WebDriverAgent, which moves an iPhone, was not built or did not start: sign it on the Mac ("appium:xcodeOrgId" in "capabilities" of devices.json), open it once in Xcode, and trust its developer on the iPhone (Settings, General, VPN & Device Management)',
    ],
    [
      /requires macOS|requires? Xcode/i,
      'an iPhone needs an Appium server on a Mac with Xcode, and this one is not',
    ],
  ];
  const [, step] = steps.find(([pattern]) => pattern.test(text)) ?? [];
  return step === undefined ? error : new Error(step, { cause: error });
}

interface Fitting extends Pick<PhoneParts, 'begun'> {
  readonly options: LaunchOptions;
  readonly near: boolean;
}

function fit(session: Session, browser: Browser, { options, near, begun }: Fitting): Session {
  const { phone, environment, remember } = options;
  if (phone === undefined) return session;
  const app = findApp(options.browser, phone);
  const bridge = buildBridge({ phone, near, environment, app, remember });
  return onPhone(session, { browser, bridge, begun });
}

/** Versions before it speak another protocol, or name their drivers differently. */
const oldestMajor = 2;

/**
 * Asks what is at an address for Appium's status.
 * @returns half a sentence that says why it cannot be used; null when it can.
 */
async function findRefusal(address: string, signal?: AbortSignal): Promise<string | null> {
  try {
    const version = await readServerStatus(address, { kind: 'Appium', signal, read: readVersion });
    if (version === null) return `what answers at ${address} is no Appium server`;
    if (Number(version.split('.')[0]) >= oldestMajor) return null;
    return `Appium ${version} answers at ${address}, and the farm needs version ${String(oldestMajor)} or later`;
  } catch (error) {
    return errorText(error);
  }
}

/** The version in `{"value":{"build":{"version":"3.1.0"}}}`; null when it is something else. */
function readVersion(text: string): string | null {
  const version = pick(pick(pick(parse(text), 'value'), 'build'), 'version');
  return typeof version === 'string'
    ? (/^\d{1,5}\.\d{1,5}[\w.-]{0,50}$/.exec(version)?.[0] ?? null)
    : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
