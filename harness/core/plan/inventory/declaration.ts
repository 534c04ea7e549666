import { z } from 'zod';
import { driverNames } from '../../../../drivers/index.ts';
import { durationPattern, readDuration } from '../../model/duration.ts';
import { browserFamilies } from '../../model/family.ts';
import { driverMistakes, isMovedOnlyBy } from './driver-mistakes.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/** Keys of `devices.json` for a browser on the machine of a remote server. */
const remoteDeclaration = {
  node: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'must be a name such as "rack-2"')
    .optional()
    .describe(
      'Node of the Selenium Grid that declares the capability "crossfarm:node" with this value. Trials on different nodes run side by side; without it the whole grid counts as one machine.',
    ),
  capabilities: z
    .record(z.string().min(1).max(100), z.unknown())
    .optional()
    .describe(
      'WebDriver elsewhere, and phones: further capabilities of each session, such as "appium:xcodeOrgId"; they win.',
    ),
  pages: z
    .string()
    .max(1000)
    .regex(
      /^(lan|https?:\/\/[^\s@/?#]+)$/,
      'must be "lan", or an address such as "https://farm.example"',
    )
    .optional()
    .describe(
      'Phones, and browsers beside a "server": where the browser reaches the farm’s pages. "lan": this machine’s address in the local network, as an iPhone needs, and an Android phone on another machine’s cable; or an address that leads to the page server (--port), as through a proxy or a tunnel, over HTTPS for phones. Default: this machine’s loopback, which a phone on this machine’s cable reaches through adb. Over plain HTTP from elsewhere a page is no secure context: its clock is coarser, it has no shared memory. --tls serves "lan" over HTTPS.',
    ),
  ssh: z
    .string()
    .max(300)
    .regex(
      /^(ssh:\/\/)?[A-Za-z0-9][\w.@:-]*$/,
      'must be a destination such as "bench@rack-2" or "ssh://bench@rack-2:2222"',
    )
    .optional()
    .describe('Beside a "server": the CPU of its machine (Linux) is read through ssh.'),
  agent: z
    .string()
    .max(1000)
    .regex(
      /^(https:\/\/[^\s@/?#]+|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?)$/,
      'must be an address of this machine, such as "http://127.0.0.1:8720", to which ssh forwards the agent (ssh -N -L 8720:127.0.0.1:8720 rack-2), or begin with https://: its token is not sent in the clear',
    )
    .optional()
    .describe(
      `Beside a "server": the CPU of its machine (Linux) is read through a "${npxCrossfarm} devices agent" there, at the end of an ssh tunnel; its token is in CROSSFARM_AGENT_TOKEN.`,
    ),
};

/**
 * The one declaration of `devices.json`: it validates the file, and `devices.schema.json` (for
 * editors) is generated from it by `npm run schema`.
 */

const preferenceValue = z.union([z.string(), z.number(), z.boolean()]);

const deviceId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be lower-case letters, digits, ".", "_" or "-"')
  .refine((id) => id !== everyDevice, 'is what --device calls every device')
  .describe('Name used by --device and in reports.');

const driverName = z.enum(driverNames);

const driverList = z
  .array(driverName)
  .min(1)
  .superRefine((names, context) => {
    const twin = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (twin === -1) return;
    context.addIssue({ code: 'custom', path: [twin], message: 'is in the list already' });
  });

const limit = z
  .union([z.number().gt(0).max(86_400), z.string().regex(durationPattern)])
  .refine((value) => readDuration(String(value)) !== null, {
    message: 'must be a duration such as 90 (seconds), "90s" or "10m", and at most "24h"',
  });

/** Of another machine, without a user's name or a query: those may be secrets. */
const address = /^(https?|wss?):\/\/[^\s@/?#]+(\/[^\s@?#]*)?$/;

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
        'wpewebkit',
        'safari',
        'samsung',
        'node',
        'deno',
        'bun',
        'jsc',
        'spidermonkey',
        'chakracore',
        'native',
        'wasmtime',
        'program',
      ])
      .describe(
        'Product; a runtime counts as one, and so do shells of engines ("jsc", "spidermonkey", "chakracore") and programs compiled for this machine ("native") or run by wasmtime. "program" is any program that takes a URL.',
      ),
    driver: z
      .union([driverList, driverName])
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
      .describe(
        'Android: package of another build of the browser, or of a "program". Default: the usual one.',
      ),
    profile: z
      .enum(['keep', 'erase'])
      .optional()
      .describe(
        'Android: what becomes of the browser’s data. "erase": each session begins with none, so that its owner’s tabs, logins and history are lost. Default: "keep".',
      ),
    launchLimit: limit
      .optional()
      .describe('Phones: how long the browser may take to start. Default: "5m".'),
    loadLimit: limit
      .optional()
      .describe('Phones: how long a page may take to load. Default: "5m".'),
    server: z
      .string()
      .max(1000)
      .regex(address, 'must be an address such as "http://mac.local:4723" or "ws://rack-2:3000"')
      .optional()
      .describe(
        'Address of an Appium server (default: CROSSFARM_APPIUM_SERVER), of a WebDriver server or the hub of a Selenium Grid, of a Playwright server ("ws://…"), or of a browser that runs already, for puppeteer ("http://…:9222", or its "ws://…"). Default: one of the farm’s own.',
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
    family: z
      .enum(browserFamilies)
      .optional()
      .describe('Of a "program": the browsers with whose engine it is counted, as Brave is.'),
    cores: z
      .int()
      .min(1)
      .max(1024)
      .optional()
      .describe('Run on so many cores of this machine only (Linux, taskset). Default: on all.'),
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
    systems: z
      .array(z.enum(['linux', 'macos', 'windows']))
      .min(1)
      .optional()
      .describe(
        'Systems of the farm on which the device takes part unnamed. Default: all, as "automatic" says.',
      ),
    automatic: z
      .boolean()
      .optional()
      .describe(
        'False: takes part in a run only when named by --device. Default: true, runtimes and programs in suites for them.',
      ),
  })
  .superRefine((device, context) => {
    if (device.browser !== 'program') return;
    const key = device.platform === undefined ? 'executable' : 'appPackage';
    if (device[key] !== undefined) return;
    const message = 'must name the program when "browser" is "program"';
    context.addIssue({ code: 'custom', path: [key], message });
  })
  .superRefine((device, context) => {
    for (const { key, message } of driverMistakes(device)) {
      context.addIssue({ code: 'custom', path: [key], message });
    }
  })
  .refine(({ family, browser }) => family === undefined || browser === 'program', {
    path: ['family'],
    message: 'is for a "program" only: the family of every other browser is known',
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

/** Value of `--device` for the whole inventory, automatic or not; no device is called so. */
export const everyDevice = 'all';
