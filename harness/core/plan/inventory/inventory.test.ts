import { test, expect } from '@playwright/test';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { FarmError } from '../../errors.ts';
import type { Device } from '../../model/device.ts';
import { projectRoot } from '../../project.ts';
import { inventorySchema } from './declaration.ts';
import { loadInventory, onCores, selectBrowsers, selectDevices } from './inventory.ts';
import { aFoundDevice } from '../../../testing/builders.ts';
import { aFolder } from '../../../testing/folder.ts';
import { onPlatform } from '../../../testing/other-platform.ts';

const good = { id: 'one', browser: 'chromium', driver: 'playwright' };

async function load(content: unknown): Promise<unknown> {
  const path = join(await aFolder(), 'devices.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return loadInventory(path);
}

test('the shipped devices.json is valid and measures three engines by default', async () => {
  const devices = await loadInventory(join(projectRoot(), 'devices.json'));
  const automatic = selectDevices(devices, []).map((device) => device.id);
  expect(automatic).toEqual(expect.arrayContaining(['chromium', 'firefox', 'webkitgtk']));
});

test('measures a WebKit by default on each system', async () => {
  const path = join(projectRoot(), 'devices.json');
  const webKitsOn = (platform: NodeJS.Platform): Promise<readonly string[]> =>
    onPlatform(platform, async () =>
      selectDevices(await loadInventory(path), [])
        .filter(({ browser }) => /webkit|safari/.test(browser))
        .map(({ id }) => id),
    );
  expect(await webKitsOn('linux')).toEqual(['webkitgtk']);
  expect(await webKitsOn('darwin')).toEqual(['webkit', 'safari']);
  expect(await webKitsOn('win32')).toEqual(['webkit']);
});

test('measures runtimes only where they are wanted or named', async () => {
  const devices = await loadInventory(join(projectRoot(), 'devices.json'));
  const ids = (...chosen: Parameters<typeof selectDevices>): readonly string[] =>
    selectDevices(...chosen).map((device) => device.id);
  expect(ids(devices, [], ['runtime'])).toEqual(['node', 'node22', 'node24', 'deno', 'bun']);
  expect(ids(devices, [], ['program'])).toEqual(['native', 'wasmtime']);
  expect(ids(devices, [])).not.toContain('node');
  expect(ids(devices, [])).not.toContain('native');
  expect(ids(devices, ['deno', 'chromium'])).toEqual(['deno', 'chromium']);
});

test('"all" means every device of any kind, automatic or not', async () => {
  const devices = await loadInventory(join(projectRoot(), 'devices.json'));
  expect(selectDevices(devices, ['all'])).toEqual(devices);
  expect(selectDevices(devices, ['chromium', 'all'])).toEqual(devices);
  const ids = devices.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(['chromium-webdriver', 'firefox-webdriver']));
});

test('pages are measured in browsers alone: what shows none is refused by name', async () => {
  const devices = await loadInventory(join(projectRoot(), 'devices.json'));
  const ids = (...named: string[]): readonly string[] =>
    selectBrowsers(devices, named).map(({ id }) => id);
  expect(ids()).toContain('webkitgtk');
  expect(ids('firefox')).toEqual(['firefox']);
  expect(ids('all')).toContain('firefox');
  expect(ids('all')).not.toContain('node');
  expect(() => ids('firefox', 'node')).toThrow(/node .*shows no pages/);
});

test('a device may be given fewer cores, and a program a family', async () => {
  const brave = { id: 'brave', browser: 'program', driver: 'open', executable: 'brave' };
  expect(await load({ devices: [{ ...brave, cores: 2, family: 'chromium-based' }] })).toMatchObject(
    [{ cores: 2, family: 'chromium-based' }],
  );
});

test('refuses --cores for a device that the farm does not start', () => {
  const here = aFoundDevice('here').device;
  expect(onCores([here], 1)).toMatchObject([{ id: 'here', cores: 1 }]);
  const phone = aFoundDevice('pixel', { phone: { platform: 'android' } }).device;
  expect(() => onCores([here, phone], 1)).toThrow('--cores does not work for pixel');
  expect(onCores([phone], undefined)).toEqual([phone]);
});

test('refuses more cores than may be used here, and names no file that says so', () => {
  const most = availableParallelism();
  const here = aFoundDevice('here').device;
  expect(onCores([here], most)).toMatchObject([{ cores: most }]);
  expect(() => onCores([here], most + 1)).toThrow(
    expect.objectContaining({
      code: 'bad-argument',
      message: `here cannot be given ${String(most + 1)} cores: ${String(most)} may be used here.`,
      next: `Ask for at most ${String(most)}.`,
    }),
  );
});

test('the JSON Schema for editors is the one that the declaration gives', async () => {
  const path = join(projectRoot(), 'harness/core/plan/inventory/devices.schema.json');
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(inventorySchema())),
  );
});

const refusals: readonly [string, unknown, RegExp][] = [
  [
    'a family of a browser that is known',
    { devices: [{ ...good, family: 'firefox-based' }] },
    /family.*is for a "program" only/,
  ],
  [
    'cores of a browser elsewhere',
    { devices: [{ ...good, driver: 'webdriver', server: 'http://hub:4444', cores: 2 }] },
    /cores.*starts on this machine/,
  ],
  [
    'broken JSON names line and column',
    '{\n  "devices": [,]\n}',
    /not JSON: \w+ at line 2, column 15/,
  ],
  [
    'an unknown driver offers the nearest',
    { devices: [{ ...good, driver: 'playwrihgt' }] },
    /\$\.devices\[0\]\.driver is "playwrihgt".*did you mean "playwright"/,
  ],
  [
    'an unknown driver in a list names its place',
    { devices: [{ ...good, driver: ['open', 'playwrihgt'] }] },
    /\$\.devices\[0\]\.driver\[1\] is "playwrihgt".*did you mean "playwright"/,
  ],
  [
    'a driver that is preferred twice is refused',
    { devices: [{ ...good, driver: ['open', 'open'] }] },
    /\$\.devices\[0\]\.driver\[1\] is "open": is in the list already/,
  ],
  [
    'an empty list of drivers is refused',
    { devices: [{ ...good, driver: [] }] },
    /\$\.devices\[0\]\.driver is \[\]/,
  ],
  [
    'a missing key is named',
    { devices: [{ id: 'one', driver: 'open' }] },
    /\$\.devices\[0\]\.browser is missing/,
  ],
  [
    'an unknown key is named',
    { devices: [{ ...good, headles: true }] },
    /\$\.devices\[0\] has the unknown key "headles"/,
  ],
  [
    'two devices with one id are refused',
    { devices: [good, good] },
    /\$\.devices\[1\]\.id is "one", as is \$\.devices\[0\]\.id/,
  ],
  [
    'a program without executable is refused',
    { devices: [{ ...good, browser: 'program' }] },
    /\$\.devices\[0\]\.executable is missing: must name the program/,
  ],
  [
    'a version of a browser is refused',
    { devices: [{ ...good, version: '22' }] },
    /\$\.devices\[0\]\.version.*can be chosen for runtimes and programs only/,
  ],
  [
    'a version that is none is refused',
    { devices: [{ id: 'one', browser: 'node', driver: 'process', version: '../22' }] },
    /\$\.devices\[0\]\.version is "\.\.\/22"/,
  ],
  [
    'a phone by another driver is refused',
    { devices: [{ ...good, browser: 'chrome', platform: 'android' }] },
    /\$\.devices\[0\]\.platform.*is for the driver "appium" only/,
  ],
  [
    'a browser that a phone has not is refused',
    { devices: [{ id: 'one', browser: 'firefox', driver: 'appium', platform: 'ios' }] },
    /\$\.devices\[0\]\.browser.*must be safari on ios/,
  ],
  [
    'an emulated device of another driver is refused',
    { devices: [{ ...good, driver: 'puppeteer', emulates: 'Pixel 7' }] },
    /\$\.devices\[0\]\.emulates.*is for the driver "playwright" only/,
  ],
  [
    'a phone that is there is not emulated',
    {
      devices: [
        {
          id: 'one',
          browser: 'chrome',
          driver: ['appium', 'playwright'],
          platform: 'android',
          cpuThrottling: 4,
        },
      ],
    },
    /\$\.devices\[0\]\.cpuThrottling.*is not for a phone that is there/,
  ],
  [
    'a processor that is made faster is refused',
    { devices: [{ ...good, cpuThrottling: 0.5 }] },
    /\$\.devices\[0\]\.cpuThrottling is 0\.5/,
  ],
  [
    'pages in the local network are for phones and for browsers elsewhere',
    { devices: [{ ...good, pages: 'lan' }] },
    /\$\.devices\[0\]\.pages.*needs a "server", and the driver "webdriver", "playwright" or/,
  ],
  [
    'a serial number of no phone is refused',
    { devices: [{ ...good, driver: 'appium', udid: 'R58M1' }] },
    /\$\.devices\[0\]\.udid.*needs a "platform"/,
  ],
  [
    'a serial number that would be an option of adb is refused',
    {
      devices: [
        { id: 'one', browser: 'chrome', driver: 'appium', platform: 'android', udid: '-H x' },
      ],
    },
    /\$\.devices\[0\]\.udid is "-H x"/,
  ],
  [
    'an address with a password is refused',
    { devices: [{ ...good, driver: 'appium', server: 'http://me:secret@grid:4723' }] },
    /\$\.devices\[0\]\.server/,
  ],
  [
    'a node of no server is refused',
    { devices: [{ ...good, driver: 'webdriver', node: 'a' }] },
    /\$\.devices\[0\]\.node.*needs the driver "webdriver" and a "server"/,
  ],
  [
    'a grid by a driver that speaks to none is refused',
    { devices: [{ ...good, driver: ['webdriver', 'playwright'], server: 'http://hub:4444' }] },
    /\$\.devices\[0\]\.server.*is for "appium", or for "webdriver", "playwright" or "puppeteer" as/,
  ],
  [
    'a Playwright server without its WebSocket is refused',
    { devices: [{ ...good, server: 'http://127.0.0.1:3000' }] },
    /\$\.devices\[0\]\.server.*must begin with "ws"/,
  ],
  [
    'a grid by a WebSocket is refused',
    { devices: [{ ...good, driver: 'webdriver', server: 'ws://hub:4444' }] },
    /\$\.devices\[0\]\.server.*must begin with "http"/,
  ],
  [
    'a token in an address is refused, as it would be stored',
    { devices: [{ ...good, server: 'ws://farm.example/?token=secret' }] },
    /\$\.devices\[0\]\.server/,
  ],
  [
    'flags of a browser that runs already are refused',
    { devices: [{ ...good, server: 'ws://127.0.0.1:3000', flags: ['--mute-audio'] }] },
    /\$\.devices\[0\]\.flags.*is for whoever started the browser/,
  ],
  [
    'a running browser is on no node of a grid',
    { devices: [{ ...good, driver: 'puppeteer', server: 'http://127.0.0.1:9222', node: 'a' }] },
    /\$\.devices\[0\]\.node.*needs the driver "webdriver" and a "server"/,
  ],
  [
    'a destination that would be an option of ssh is refused',
    {
      devices: [
        { ...good, driver: 'webdriver', server: 'http://hub:4444', ssh: '-oProxyCommand=sh' },
      ],
    },
    /\$\.devices\[0\]\.ssh is "-oProxyCommand=sh"/,
  ],
  [
    'capabilities where no WebDriver asks for a session are refused',
    { devices: [{ ...good, capabilities: { platformName: 'linux' } }] },
    /\$\.devices\[0\]\.capabilities.*needs the driver "webdriver" and a "server", or a "platform"/,
  ],
  [
    'two ways to read one CPU are refused',
    {
      devices: [
        {
          ...good,
          driver: 'webdriver',
          server: 'http://hub:4444',
          ssh: 'rack-2',
          agent: 'http://127.0.0.1:8720',
        },
      ],
    },
    /\$\.devices\[0\]\.agent.*"ssh" is there already/,
  ],
  ...['http://rack-2:8720', 'http://127.0.0.1.evil.example', 'http://localhost@rack-2'].map(
    (agent): [string, unknown, RegExp] => [
      `an agent at ${agent} would get its token in the clear @attack`,
      { devices: [{ ...good, driver: 'webdriver', server: 'http://hub:4444', agent }] },
      /\$\.devices\[0\]\.agent is .*must be an address of this machine.*ssh -N -L/,
    ],
  ),
  [
    'a phone takes no pages over plain HTTP from elsewhere',
    {
      devices: [
        {
          id: 'one',
          browser: 'safari',
          driver: 'appium',
          platform: 'ios',
          pages: 'http://farm.example',
        },
      ],
    },
    /\$\.devices\[0\]\.pages.*must be "lan" on a phone, or begin with "https:/,
  ],
  [
    'pages at no address are refused',
    { devices: [{ ...good, driver: 'webdriver', server: 'http://hub:4444', pages: 'wlan' }] },
    /\$\.devices\[0\]\.pages is "wlan"/,
  ],
  [
    'an id that means every device is refused',
    { devices: [{ ...good, id: 'all' }] },
    /\$\.devices\[0\]\.id is "all": is what --device calls every device/,
  ],
  [
    'a hostile id is refused',
    { devices: [{ ...good, id: '<script>' }] },
    /\$\.devices\[0\]\.id is "<script>"/,
  ],
  ['no devices at all are refused', { devices: [] }, /\$\.devices/],
];

for (const [title, content, expected] of refusals) {
  test(`inventory: ${title}`, async () => {
    const error = await load(content).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(FarmError);
    expect((error as FarmError).code).toBe('bad-inventory');
    expect((error as FarmError).message).toMatch(expected);
    expect((error as FarmError).exitCode).toBe(2);
  });
}

test('a phone is a device with a platform, a serial number and a server', async () => {
  const iphone = {
    id: 'iphone',
    browser: 'safari',
    driver: 'appium',
    platform: 'ios',
    udid: '00008030-001C2D22',
    server: 'http://mac.local:4723',
    capabilities: { 'appium:xcodeOrgId': 'AB12CD34EF' },
  };
  const beta = { id: 'pixel', browser: 'chrome', driver: 'appium', platform: 'android' };
  const more = { appPackage: 'com.chrome.beta', profile: 'erase', launchLimit: '10m' };
  expect(await load({ devices: [iphone, { ...beta, ...more }] })).toEqual([
    expect.objectContaining({
      id: 'iphone',
      server: 'http://mac.local:4723',
      phone: {
        platform: 'ios',
        udid: '00008030-001C2D22',
        capabilities: { 'appium:xcodeOrgId': 'AB12CD34EF' },
      },
      headless: false,
    }),
    expect.objectContaining({
      id: 'pixel',
      phone: {
        platform: 'android',
        appPackage: 'com.chrome.beta',
        profile: 'erase',
        limits: { launchMs: 600_000 },
      },
    }),
  ]);
  const tunnel = { ...iphone, pages: 'https://farm.example' };
  expect(await load({ devices: [tunnel] })).toMatchObject([{ phone: { pages: tunnel.pages } }]);
  const keeps = { ...beta, profile: 'keep', loadLimit: 90 };
  expect(await load({ devices: [keeps] })).toMatchObject([
    { phone: { limits: { loadMs: 90_000 } } },
  ]);
  await expect(load({ devices: [{ ...beta, launchLimit: '25h' }] })).rejects.toThrow(
    /at most "24h"/,
  );
  await expect(load({ devices: [{ ...good, profile: 'erase' }] })).rejects.toThrow(/"platform"/);
  const brave = { ...beta, browser: 'program' };
  await expect(load({ devices: [brave] })).rejects.toThrow(/must name the program/);
});

test('a grid browser is a device with hub, node, capabilities and pages', async () => {
  const chromium = {
    id: 'chromium-a',
    browser: 'chromium',
    driver: 'webdriver',
    server: 'http://hub:4444',
    node: 'a',
    pages: 'lan',
    ssh: 'bench@rack-2',
    capabilities: { platformName: 'linux' },
  };
  const safari = {
    id: 'safari',
    browser: 'safari',
    driver: 'webdriver',
    server: 'http://mac:4444',
    pages: 'https://farm.example',
    agent: 'https://mac:8720',
  };
  const plain = { id: 'own', browser: 'chromium', driver: 'webdriver' };
  const devices = (await load({ devices: [chromium, safari, plain] })) as readonly Device[];
  const [one, two, own] = devices;
  expect(one).toMatchObject({
    server: 'http://hub:4444',
    remote: {
      node: 'a',
      pages: 'lan',
      ssh: 'bench@rack-2',
      capabilities: { platformName: 'linux' },
    },
  });
  expect(two?.remote).toEqual({ pages: 'https://farm.example', agent: 'https://mac:8720' });
  expect(own?.remote).toBeUndefined();
});

test('a running browser is a device with address, pages and CPU access', async () => {
  const playwright = {
    ...good,
    server: 'wss://farm.example/4f',
    pages: 'lan',
    ssh: 'bench@rack-2',
  };
  const puppeteer = { ...good, id: 'two', driver: 'puppeteer', server: 'http://127.0.0.1:9222' };
  const [one, two] = (await load({ devices: [playwright, puppeteer] })) as readonly Device[];
  expect(one).toMatchObject({
    server: 'wss://farm.example/4f',
    remote: { pages: 'lan', ssh: 'bench@rack-2' },
  });
  expect(two).toMatchObject({ server: 'http://127.0.0.1:9222', remote: {} });
});

test('declares a device held by a person with its joining command', async () => {
  const phone = { id: 'mine', browser: 'safari', driver: 'attended', automatic: false };
  const [device] = (await load({ devices: [phone] })) as readonly Device[];
  expect(device).toMatchObject({ driver: 'attended', automatic: false });
});

test('a file that is not there is named', async () => {
  await expect(loadInventory('/nowhere/devices.json')).rejects.toThrow(
    /\/nowhere\/devices.json cannot be used: it does not exist/,
  );
});

test('an unknown device offers the nearest name', async () => {
  const devices = await loadInventory(join(projectRoot(), 'devices.json'));
  const error = (() => {
    try {
      return selectDevices(devices, ['firefx']);
    } catch (reason) {
      return reason;
    }
  })();
  expect((error as FarmError).code).toBe('unknown-device');
  expect((error as FarmError).next).toContain('Did you mean "firefox"?');
});

test('a list of drivers is kept in the order of preference', async () => {
  const several = { ...good, driver: ['playwright', 'puppeteer', 'open'] };
  const only = { ...good, id: 'two', driver: ['open'] };
  const [first, second] = (await load({ devices: [several, only] })) as readonly object[];
  expect(first).toMatchObject({ driver: 'playwright', otherDrivers: ['puppeteer', 'open'] });
  expect(second).toMatchObject({ driver: 'open' });
  expect(second).not.toHaveProperty('otherDrivers');
});

test('an emulated device says so wherever it is named', async () => {
  const pixel = { ...good, emulates: 'Pixel 7', cpuThrottling: 4 };
  const slow = { ...good, id: 'slow', name: 'Chromium, emulated as slow', cpuThrottling: 2 };
  expect(await load({ devices: [pixel, slow] })).toEqual([
    expect.objectContaining({
      name: 'one (emulated)',
      emulation: { descriptor: 'Pixel 7', cpuThrottling: 4 },
    }),
    expect.objectContaining({
      name: 'Chromium, emulated as slow',
      emulation: { cpuThrottling: 2 },
    }),
  ]);
});

test('the example inventory is valid, and has programs that are one line each', async () => {
  const devices = await loadInventory(join(projectRoot(), 'devices.example.json'));
  const programs = devices.filter(({ browser }) => browser === 'program');
  expect(programs.map(({ driver }) => driver)).toEqual(['open', 'open']);
});
