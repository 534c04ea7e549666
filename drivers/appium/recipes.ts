import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describeApp, describeStart, findApp } from './android-apps.ts';
import type { LaunchOptions, Phone } from '../driver.ts';
import { chromiumFlags, firefoxPreferences, isChromium } from '../shared/launch-recipes.ts';
import { serverRecipes } from '../shared/webdriver-servers.ts';

/** Capabilities for an Appium server, and the driver that it needs: data, one row for each driver. */
export interface AppiumRecipe {
  /** The driver's name for `--use-drivers` and `appium driver install`. */
  readonly driver: 'chromium' | 'gecko' | 'uiautomator2' | 'safari' | 'xcuitest';
  /** Its package on npm. */
  readonly package: string;
  /** Features that Appium calls insecure, without which a session cannot begin. */
  readonly features: readonly string[];
  readonly capabilities: (
    options: LaunchOptions,
    place: Place,
  ) => Readonly<Record<string, unknown>>;
}

export interface Place {
  /** The server runs on this machine, so paths and programs of this machine mean something to it. */
  readonly near: boolean;
  /** On this machine: a free port for the program that Appium starts. */
  readonly port?: number;
}

/** Appium ends a session after 60 s without a command, and a page under way needs none. */
const patience = { 'appium:newCommandTimeout': 3600 };

/** chromedriver refuses `Linux`: "No matching capabilities" (seen with 156). */
const platformNames: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'mac',
  linux: 'linux',
  win32: 'windows',
};

const host = (): object => ({ platformName: platformNames[process.platform] ?? process.platform });

const chromium: AppiumRecipe = {
  driver: 'chromium',
  package: 'appium-chromium-driver',
  features: [],
  capabilities: (options, place) => ({
    ...patience,
    ...serverRecipes[serverKin(options)]?.capabilities(options),
    ...host(),
    'appium:automationName': 'Chromium',
    ...(place.near && localServer(options)),
    ...(place.port !== undefined && { 'appium:chromedriverPort': place.port }),
    ...(options.phone !== undefined && { 'goog:chromeOptions': androidOptions(options) }),
    ...(options.phone === undefined && !place.near && distantOptions(options)),
  }),
};

const gecko: AppiumRecipe = {
  driver: 'gecko',
  package: 'appium-geckodriver',
  features: [],
  capabilities: (options, { near, port }) => ({
    ...patience,
    ...host(),
    browserName: 'firefox',
    'appium:automationName': 'Gecko',
    ...(port !== undefined && { 'appium:systemPort': port }),
    'moz:firefoxOptions': {
      ...(options.phone !== undefined
        ? describeApp(options.phone, 'firefox')
        : firefoxOptions(options, near)),
      prefs: firefoxPreferences(options.preferences),
    },
  }),
};

const uiautomator2: AppiumRecipe = {
  driver: 'uiautomator2',
  package: 'appium-uiautomator2-driver',
  // Each version of Chrome needs its own chromedriver, and phones update Chrome by themselves.
  features: ['uiautomator2:chromedriver_autodownload'],
  capabilities: (options) => ({
    ...patience,
    platformName: 'Android',
    browserName: 'Chrome',
    'appium:automationName': 'UiAutomator2',
    ...(options.phone?.udid !== undefined && { 'appium:udid': options.phone.udid }),
    // The driver clears the app's data by itself, and then chromedriver does.
    'appium:noReset': options.phone?.profile !== 'erase',
    'goog:chromeOptions': {
      ...(options.phone !== undefined && keepData(options.phone)),
      args: phoneFlags(options),
    },
  }),
};

/** Apple's own safaridriver moves the iPhone: no agent is built, and nothing is signed. */
const safari: AppiumRecipe = {
  driver: 'safari',
  package: 'appium-safari-driver',
  features: [],
  capabilities: ({ phone }) => ({
    ...patience,
    platformName: 'iOS',
    browserName: 'Safari',
    'appium:automationName': 'Safari',
    ...(phone?.udid !== undefined && { 'safari:deviceUDID': phone.udid }),
  }),
};

const xcuitest: AppiumRecipe = {
  driver: 'xcuitest',
  package: 'appium-xcuitest-driver',
  features: [],
  capabilities: ({ phone }) => ({
    ...patience,
    platformName: 'iOS',
    browserName: 'Safari',
    'appium:automationName': 'XCUITest',
    'appium:udid': phone?.udid ?? 'auto',
  }),
};

/** The desktop browser whose driver server moves this one, too: on a phone it is chromedriver. */
const serverKin = ({ browser, phone }: LaunchOptions): string =>
  phone === undefined ? browser : 'chrome';

/**
 * The drivers of Appium's that move this browser there, the preferred one first; none where none
 * does. UiAutomator2 itself opens Google Chrome only. Other browsers on Android are opened through
 * adb by the same programs that move them on a desktop: chromedriver (Samsung Internet, other builds
 * of Chromium) and geckodriver.
 */
export function listRecipes(browser: string, phone?: Phone): readonly AppiumRecipe[] {
  if (phone?.platform === 'ios') return browser === 'safari' ? listForIphone(phone) : [];
  const only = findRecipe(browser, phone);
  return only === null ? [] : [only];
}

/** Which one an iPhone's owner asks for: by its name, or by a capability that only one of them knows. */
function listForIphone({ capabilities = {} }: Phone): readonly AppiumRecipe[] {
  const named = String(capabilities['appium:automationName'] ?? '').toLowerCase();
  const forAgent = /^appium:(xcode|updatedWDA|useP|wda|webDriverAgent|keychain|derivedData)/;
  if (named === 'safari') return [safari];
  const wantsAgent = Object.keys(capabilities).some((name) => forAgent.test(name));
  return named === 'xcuitest' || wantsAgent ? [xcuitest] : [safari, xcuitest];
}

function findRecipe(browser: string, phone?: Phone): AppiumRecipe | null {
  if (browser === 'firefox') return gecko;
  if (phone === undefined) return isChromium(browser) ? chromium : null;
  if (browser === 'chrome') return phone.appPackage === undefined ? uiautomator2 : chromium;
  return isChromiumOnAndroid(browser, phone) ? chromium : null;
}

/** Any other browser by its package: Opera, Brave and their like. */
function isChromiumOnAndroid(browser: string, { appPackage }: Phone): boolean {
  return (
    ['samsung', 'edge'].includes(browser) || (browser === 'program' && appPackage !== undefined)
  );
}

/** The program that a driver of Appium's starts between itself and the browser, on this machine. */
function localServer({ browser, phone, environment }: LaunchOptions): object {
  const name = browser === 'edge' && phone === undefined ? 'msedgedriver' : 'chromedriver';
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const program = process.platform === 'win32' ? `${name}.exe` : name;
  const path = folders.map((folder) => join(folder, program)).find(mayBeRun);
  // Without a path Appium would use, or even download, another chromedriver.
  if (path === undefined) throw new Error(`There is no ${name} on PATH`);
  return { 'appium:executable': path, 'appium:autodownloadEnabled': false };
}

function mayBeRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A browser next to a distant server, where no path of this machine is valid. */
function distantOptions(options: LaunchOptions): object {
  const name = options.browser === 'edge' ? 'ms:edgeOptions' : 'goog:chromeOptions';
  const headless = options.headless ? ['--headless'] : [];
  return { [name]: { args: [...headless, ...chromiumFlags(options)] } };
}

function firefoxOptions({ executable, profile, headless, flags }: LaunchOptions, near: boolean) {
  return {
    ...(near && { binary: executable }),
    args: [...(near ? ['-profile', profile] : []), ...(headless ? ['-headless'] : []), ...flags],
  };
}

/** Android has its own sandbox, which is never switched off. */
const phoneFlags = ({ flags }: LaunchOptions): readonly string[] =>
  chromiumFlags({ flags, sandbox: true });

/**
 * chromedriver clears all data of an app (`pm clear`) at the start of each session: tabs, logins and
 * history of the phone's owner. From version 95 on an option prevents it.
 */
function androidOptions(options: LaunchOptions): object {
  const { phone, browser } = options;
  if (phone === undefined) return {};
  return {
    ...describeApp(phone, browser),
    ...describeStart(phone, browser),
    ...keepData(phone),
    args: phoneFlags(options),
  };
}

const keepData = ({ profile }: Phone): object =>
  profile === 'erase' ? {} : { androidKeepAppDataDir: true };

/**
 * Capabilities of a session with those that its owner adds, which win. Options of a browser are
 * joined, so that who adds one of them does not take away that the phone's data are kept.
 */
export function joinCapabilities(
  ours: Readonly<Record<string, unknown>>,
  theirs: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const joined = Object.entries(theirs).map(([name, value]): readonly [string, unknown] => {
    const own = ours[name];
    return [name, isRecord(own) && isRecord(value) ? { ...own, ...value } : value];
  });
  return { ...ours, ...Object.fromEntries(joined) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Half a sentence: why a browser on a phone is not opened as its owner wants it; null when it is.
 * geckodriver clears an app's data at each session (`pm clear`), and has no option against it.
 */
export function findDataLoss(browser: string, phone: Phone | undefined): string | null {
  const isErased = phone?.platform === 'android' && browser === 'firefox';
  if (!isErased || phone.profile === 'erase') return null;
  return `geckodriver erases all data of ${findApp(browser, phone) ?? 'the app'} on the phone (tabs, logins, history) at each session`;
}
