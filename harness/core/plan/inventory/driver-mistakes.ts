/** Keys of one device in `devices.json` of which some are for some drivers only. */
interface DriverKeys {
  readonly browser: string;
  readonly driver: string | readonly string[];
  readonly executable?: string | undefined;
  readonly platform?: keyof typeof phoneBrowsers | undefined;
  readonly udid?: string | undefined;
  readonly appPackage?: string | undefined;
  readonly profile?: string | undefined;
  readonly launchLimit?: unknown;
  readonly loadLimit?: unknown;
  readonly server?: string | undefined;
  readonly node?: string | undefined;
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  readonly pages?: string | undefined;
  readonly ssh?: string | undefined;
  readonly agent?: string | undefined;
  readonly emulates?: string | undefined;
  readonly cpuThrottling?: number | undefined;
  readonly cores?: number | undefined;
  readonly headless?: boolean | undefined;
  readonly flags?: readonly string[] | undefined;
  readonly preferences?: Readonly<Record<string, unknown>> | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

type Rule = readonly [key: keyof DriverKeys, mistaken: boolean, message: string];

interface Mistake {
  readonly key: keyof DriverKeys;
  readonly message: string;
}

const phoneBrowsers = {
  android: ['chrome', 'firefox', 'samsung', 'edge', 'program'],
  ios: ['safari'],
} as const;

/** Drivers that connect to a browser that the user started. */
const connecting = ['playwright', 'puppeteer'];

/**
 * Drivers whose browser runs on the machine of the server that a device names; each is then the
 * only one.
 */
export const remoteDrivers: readonly string[] = ['webdriver', ...connecting];

/** Lists the keys that do not fit the device's drivers, or each other. */
export function driverMistakes(device: DriverKeys): readonly Mistake[] {
  const rules = [
    ...serverRules(device),
    ...remoteRules(device),
    ...phoneRules(device),
    ...emulationRules(device),
  ];
  const wrong = rules.filter(([key, mistaken]) => mistaken && device[key] !== undefined);
  return [...wrong.map(([key, , message]) => ({ key, message })), ...browserMistakes(device)];
}

function serverRules(device: DriverKeys): readonly Rule[] {
  const { browser, server = '' } = device;
  const isSocket = /^wss?:/.test(server);
  const speaksHttp = isBy(device, 'appium') || isMovedOnlyBy(device, 'webdriver');
  const needsSocket =
    isMovedOnlyBy(device, 'playwright') ||
    (isMovedOnlyBy(device, 'puppeteer') && browser === 'firefox');
  return [
    [
      'server',
      !speaksHttp && !connects(device),
      'is for "appium", or for "webdriver", "playwright" or "puppeteer" as the only driver',
    ],
    ['server', speaksHttp && isSocket, 'must begin with "http" for this driver'],
    ['server', needsSocket && !isSocket, 'must begin with "ws" for this driver and browser'],
  ];
}

/** True if the driver, for a device with a server, connects to a browser that runs there. */
function connects(device: Pick<DriverKeys, 'driver'>): boolean {
  return connecting.some((name) => isMovedOnlyBy(device, name));
}

/** Rules for the keys of a remote browser; some are for the person who started it to say. */
function remoteRules(device: DriverKeys): readonly Rule[] {
  const isThere = device.server !== undefined;
  const byWebDriver = isThere && isMovedOnlyBy(device, 'webdriver');
  const runsThere = isThere && connects(device);
  const onPhone = device.platform !== undefined;
  const ofWhoeverStartedIt = [
    ...(['executable', 'headless', 'flags'] as const),
    ...(['preferences', 'environment'] as const),
  ];
  return [
    ['pages', !onPhone && !byWebDriver && !runsThere, remoteOnly],
    ['ssh', !byWebDriver && !runsThere, remoteOnly],
    ['agent', !byWebDriver && !runsThere, remoteOnly],
    ['node', !byWebDriver, webDriverOnly],
    ['capabilities', !onPhone && !byWebDriver, `${webDriverOnly}, or a "platform"`],
    ...ofWhoeverStartedIt.map((key): Rule => [
      key,
      runsThere,
      'is for whoever started the browser',
    ]),
    ['agent', device.ssh !== undefined, 'is one way to read the CPU, and "ssh" is there already'],
  ];
}

const webDriverOnly = 'needs the driver "webdriver" and a "server"';
const remoteOnly = 'needs a "server", and the driver "webdriver", "playwright" or "puppeteer"';

function phoneRules(device: DriverKeys): readonly Rule[] {
  const { platform } = device;
  return [
    ['platform', !isBy(device, 'appium'), 'is for the driver "appium" only'],
    ['udid', platform === undefined, 'needs a "platform"'],
    ['launchLimit', platform === undefined, 'needs a "platform"'],
    ['loadLimit', platform === undefined, 'needs a "platform"'],
    ['appPackage', platform !== 'android', 'needs the "platform" "android"'],
    ['profile', platform !== 'android', 'needs the "platform" "android"'],
    [
      'pages',
      platform !== undefined && !/^(lan$|https:)/.test(device.pages ?? ''),
      'must be "lan" on a phone, or begin with "https://"',
    ],
    ['executable', platform !== undefined, 'is not on a phone: "appPackage" names another build'],
    [
      'cores',
      platform !== undefined || device.server !== undefined || isMovedOnlyBy(device, 'attended'),
      'is for browsers that the farm starts on this machine',
    ],
  ];
}

function emulationRules(device: DriverKeys): readonly Rule[] {
  const keys = ['emulates', 'cpuThrottling'] as const;
  return keys.flatMap((key): readonly Rule[] => [
    [key, !isBy(device, 'playwright'), 'is for the driver "playwright" only'],
    [key, device.platform !== undefined, 'is not for a phone that is there'],
  ]);
}

function browserMistakes(device: DriverKeys): readonly Mistake[] {
  const { browser, platform } = device;
  const able: readonly string[] = platform === undefined ? [] : phoneBrowsers[platform];
  if (platform !== undefined && !able.includes(browser)) {
    return [{ key: 'browser', message: `must be ${able.join(', ')} on ${platform}` }];
  }
  const isOnPhone = browser === 'samsung' || isSafariByAppium(device);
  if (platform !== undefined || !isOnPhone) return [];
  return [{ key: 'platform', message: `must say on which phone ${browser} is` }];
}

function isSafariByAppium(device: DriverKeys): boolean {
  return device.browser === 'safari' && isMovedOnlyBy(device, 'appium');
}

/** The drivers of a device, the preferred one first. */
function driversOf({ driver }: Pick<DriverKeys, 'driver'>): readonly string[] {
  return typeof driver === 'string' ? [driver] : driver;
}

function isBy(device: Pick<DriverKeys, 'driver'>, name: string): boolean {
  return driversOf(device).includes(name);
}

/** True if every driver of the device has one of these names. */
export function isMovedOnlyBy(
  device: Pick<DriverKeys, 'driver'>,
  ...names: readonly string[]
): boolean {
  return driversOf(device).every((driver) => names.includes(driver));
}
