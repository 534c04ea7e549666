import { z } from 'zod';
import { remoteDeclaration, remoteKeys } from './remote-declaration.ts';

/**
 * The one declaration of `devices.json`: it validates the file, and `devices.schema.json` (for
 * editors) is generated from it by `npm run schema`.
 */

const preferenceValue = z.union([z.string(), z.number(), z.boolean()]);

const deviceId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be lower-case letters, digits, ".", "_" or "-"')
  .describe('Name used by --device and in reports.');

const driverName = z.enum(['playwright', 'puppeteer', 'webdriver', 'appium', 'open', 'process']);

const driverNames = z
  .array(driverName)
  .min(1)
  .superRefine((names, context) => {
    const twin = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (twin === -1) return;
    context.addIssue({ code: 'custom', path: [twin], message: 'is in the list already' });
  });

interface DriverKeys {
  readonly browser: string;
  readonly driver: string | readonly string[];
  readonly executable?: string | undefined;
  readonly platform?: keyof typeof phoneBrowsers | undefined;
  readonly udid?: string | undefined;
  readonly appPackage?: string | undefined;
  readonly server?: string | undefined;
  readonly node?: string | undefined;
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  readonly pages?: string | undefined;
  readonly ssh?: string | undefined;
  readonly agent?: string | undefined;
  readonly emulates?: string | undefined;
  readonly cpuThrottling?: number | undefined;
}

interface Mistake {
  readonly key: keyof DriverKeys;
  readonly message: string;
}

/** Of another machine, without a user's name or a query: those may be secrets. */
const address = /^https?:\/\/[^\s@/?#]+(\/[^\s@?#]*)?$/;

const phoneBrowsers = { android: ['chrome', 'firefox', 'samsung'], ios: ['safari'] } as const;

/** What does not fit together among the keys that are for some drivers only. */
function driverMistakes(device: DriverKeys): readonly Mistake[] {
  const { browser, platform } = device;
  const byAppium = driversOf(device).includes('appium');
  const byPlaywright = driversOf(device).includes('playwright');
  const isRemote = isMovedOnlyBy(device, 'webdriver') && device.server !== undefined;
  const able: readonly string[] = platform === undefined ? [] : phoneBrowsers[platform];
  const rules: readonly (readonly [keyof DriverKeys, boolean, string])[] = [
    [
      'server',
      !byAppium && !isMovedOnlyBy(device, 'webdriver'),
      'is for the drivers "appium" and "webdriver" only',
    ],
    ...remoteKeys
      .filter((key) => key !== 'pages' || platform === undefined)
      .map((key) => [key, !isRemote, 'needs the driver "webdriver" and a "server"'] as const),
    ['agent', device.ssh !== undefined, 'is one way to read the CPU, and "ssh" is there already'],
    ['platform', !byAppium, 'is for the driver "appium" only'],
    ['udid', platform === undefined, 'needs a "platform"'],
    ['appPackage', platform !== 'android', 'needs the "platform" "android"'],
    ['pages', platform !== undefined && device.pages !== 'lan', 'must be "lan" on a phone'],
    ['executable', platform !== undefined, 'is not on a phone: "appPackage" names another build'],
    ['emulates', !byPlaywright, 'is for the driver "playwright" only'],
    ['cpuThrottling', !byPlaywright, 'is for the driver "playwright" only'],
    ['emulates', platform !== undefined, 'is not for a phone that is there'],
    ['cpuThrottling', platform !== undefined, 'is not for a phone that is there'],
  ];
  const wrong = rules.filter(([key, mistaken]) => mistaken && device[key] !== undefined);
  return [
    ...wrong.map(([key, , message]) => ({ key, message })),
    ...(platform !== undefined && !able.includes(browser)
      ? [{ key: 'browser' as const, message: `must be ${able.join(', ')} on ${platform}` }]
      : []),
    ...(platform === undefined && (browser === 'samsung' || isSafariByAppium(device))
      ? [{ key: 'platform' as const, message: `must say on which phone ${browser} is` }]
      : []),
  ];
}

function isSafariByAppium(device: DriverKeys): boolean {
  return device.browser === 'safari' && isMovedOnlyBy(device, 'appium');
}

/** The drivers of a device, the preferred one first. */
function driversOf({ driver }: Pick<DriverKeys, 'driver'>): readonly string[] {
  return typeof driver === 'string' ? [driver] : driver;
}

function isMovedOnlyBy(device: Pick<DriverKeys, 'driver'>, name: string): boolean {
  return driversOf(device).every((driver) => driver === name);
}

const deviceDeclaration = z
  .strictObject({
    id: deviceId,
    name: z.string().min(1).max(100).optional().describe('Human name; the id when absent.'),
    browser: z
      .enum([
        'chromium',
        'chrome',
        'edge',
        'firefox',
        'webkit',
        'webkitgtk',
        'safari',
        'samsung',
        'node',
        'deno',
        'bun',
        'native',
        'wasmtime',
        'program',
      ])
      .describe(
        'Product; a runtime counts as one, and so do programs compiled for this machine ("native") or run by wasmtime. "program" is any program that takes a URL.',
      ),
    driver: z
      .union([driverNames, driverName])
      .describe(
        'What moves it; a list is in order of preference, and the first that works is taken.',
      ),
    executable: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('Path of the browser; setup looks in the usual places when absent.'),
    platform: z
      .enum(['android', 'ios'])
      .optional()
      .describe('Of a phone or tablet, which the driver appium moves. Default: this machine.'),
    udid: z
      .string()
      .regex(/^[A-Za-z0-9][\w.:-]{0,199}$/, 'must be a serial number, as "adb devices" lists it')
      .optional()
      .describe('Serial number of the phone. Default: the only one that is connected.'),
    appPackage: z
      .string()
      .regex(/^[A-Za-z]\w{0,99}(\.\w{1,100}){1,10}$/, 'must be a package such as "com.chrome.beta"')
      .optional()
      .describe('Android: package of another build of the browser. Default: the usual one.'),
    server: z
      .string()
      .max(1000)
      .regex(address, 'must be an address such as "http://mac.local:4723"')
      .optional()
      .describe(
        'Address of an Appium server (default: CROSSFARM_APPIUM_SERVER), or of a WebDriver server or the hub of a Selenium Grid. Default: one of the farm’s own.',
      ),
    ...remoteDeclaration,
    version: z
      .string()
      .regex(/^\d{1,5}(\.\d{1,5}){0,2}$/, 'must be a version such as "22" or "22.11"')
      .optional()
      .describe('Runtimes and wasmtime: only this version will do. Default: any.'),
    emulates: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe(
        'A phone or tablet of Playwright’s list, such as "Pixel 7": its screen, touch and user agent, not its speed. The device is labelled as emulated.',
      ),
    cpuThrottling: z
      .number()
      .gt(1)
      .max(100)
      .optional()
      .describe(
        'How many times slower the processor seems to the main thread of a page; Chromium only.',
      ),
    headless: z.boolean().optional().describe('Run without a window. Default: true where it can.'),
    flags: z.array(z.string().max(1000)).max(100).optional().describe('Launch flags.'),
    preferences: z
      .record(z.string(), preferenceValue)
      .optional()
      .describe('Browser preferences, such as Firefox about:config entries.'),
    environment: z
      .record(z.string(), z.string())
      .optional()
      .describe('Environment variables of the browser.'),
    automatic: z
      .boolean()
      .optional()
      .describe(
        'False: takes part in a run only when named by --device. Default: true, runtimes and programs in suites for them.',
      ),
  })
  .refine((device) => device.browser !== 'program' || device.executable !== undefined, {
    path: ['executable'],
    message: 'must name the program when "browser" is "program"',
  })
  .superRefine((device, context) => {
    for (const { key, message } of driverMistakes(device)) {
      context.addIssue({ code: 'custom', path: [key], message });
    }
  })
  .refine((device) => device.version === undefined || isMovedOnlyBy(device, 'process'), {
    path: ['version'],
    message: 'can be chosen for runtimes and programs only',
  });

export const inventoryDeclaration = z.strictObject({
  $schema: z.string().optional(),
  devices: z.array(deviceDeclaration).min(1).max(1000),
});

export type DeviceDeclaration = z.infer<typeof deviceDeclaration>;

/** JSON Schema of `devices.json`, for editors. */
export function inventorySchema(): object {
  return {
    title: 'crossfarm devices',
    ...z.toJSONSchema(inventoryDeclaration, { target: 'draft-7', io: 'input' }),
  };
}
