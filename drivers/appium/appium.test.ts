import { expect, test } from '@playwright/test';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startDouble,
  makeStatus,
  type AppiumDouble,
  type DoubleScript,
} from '../doubles/appium.ts';
import { appiumDriver } from './appium.ts';
import type { LaunchOptions, Orphan } from '../driver.ts';

const opened: { close(): Promise<unknown> }[] = [];

test.afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function aDouble(script?: DoubleScript): Promise<AppiumDouble> {
  const double = await startDouble(script);
  opened.push(double);
  return double;
}

function options(server: string, changes: Partial<LaunchOptions> = {}): LaunchOptions {
  return {
    browser: 'firefox',
    executable: '/usr/bin/firefox',
    server,
    flags: [],
    preferences: {},
    headless: true,
    sandbox: true,
    environment: { PATH: process.env['PATH'] ?? '' },
    profile: '/nowhere/profile',
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    ...changes,
  };
}

const failure = (code: string, message: RegExp): Record<string, unknown> => ({
  name: 'DriverError',
  code,
  message: expect.stringMatching(message) as unknown,
});

test("starts and ends a session at a server's address, which keeps running", async () => {
  const double = await aDouble();
  const session = await appiumDriver.launch(options(double.address));
  expect(await session.version()).toBe('9.8.7');
  expect(await session.processes()).toEqual([]);
  const bounds = { signal: new AbortController().signal, timeoutMs: 60_000 };
  await session.open('http://127.0.0.1:1/page', bounds);
  await session.close();
  expect(double.asked).toEqual([
    'GET /status',
    'POST /session',
    // Of webdriverio itself: it wants to know where it is.
    'GET /session/s1/window',
    'POST /session/s1/window/new',
    'DELETE /session/s1/window',
    // The first one is of webdriverio itself, which saw that the window went.
    'POST /session/s1/window',
    'POST /session/s1/window',
    'POST /session/s1/url',
    'DELETE /session/s1',
  ]);
  expect(double.wanted).toEqual([
    {
      capabilities: expect.objectContaining({
        alwaysMatch: expect.objectContaining({
          'appium:automationName': 'Gecko',
          pageLoadStrategy: 'none',
        }) as unknown,
      }) as unknown,
    },
  ]);
});

const refusals: readonly (readonly [string, DoubleScript, RegExp])[] = [
  [
    'reports why a session was not created, in the words of the server',
    { refusal: 'The browser would not start' },
    /^Launching firefox by Appium failed: .*The browser would not start/,
  ],
  [
    'reports a driver that the server lacks, with the command that installs it',
    { refusal: "Could not find a driver for automationName 'Gecko' and platformName 'linux'." },
    /has no driver "gecko": where it runs, appium driver install --source=npm appium-geckodriver/,
  ],
  [
    'refuses an old Appium, with its version',
    { status: makeStatus('1.22.3') },
    /Appium 1\.22\.3 answers at http:\S+, and the farm needs version 2 or later/,
  ],
  ['refuses an unknown server', { status: '{"value":{"ready":true}}' }, /is no Appium server/],
  ['refuses a server that answers no JSON', { status: '<h1>hello</h1>' }, /is no Appium server/],
];

for (const [name, script, message] of refusals) {
  test(name, async () => {
    const { address } = await aDouble(script);
    await expect(appiumDriver.launch(options(address))).rejects.toMatchObject(
      failure('launch-failed', message),
    );
  });
}

test('reports a port without a listener', async () => {
  const double = await startDouble();
  await double.close();
  await expect(appiumDriver.launch(options(double.address))).rejects.toMatchObject(
    failure('launch-failed', /no Appium server answers at http:\S+ \(ECONNREFUSED\)/),
  );
});

test('a port that is silent is given up at the deadline', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket));
  await new Promise<void>((ready) => silent.listen(0, '127.0.0.1', ready));
  const address = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}`;
  try {
    await expect(appiumDriver.launch(options(address, { timeoutMs: 200 }))).rejects.toMatchObject(
      failure('timed-out', /longer than 0\.2 s/),
    );
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});

test('deletes a session that opens after the launch was aborted', async () => {
  let release: (value?: unknown) => void = () => undefined;
  const before = new Promise((resolve) => (release = resolve));
  const double = await aDouble({ before });
  const controller = new AbortController();
  const reason = new Error('changed my mind');
  const launching = appiumDriver.launch(options(double.address, { signal: controller.signal }));
  await expect.poll(() => double.wanted.length).toBe(1);
  controller.abort(reason);
  release();
  await expect(launching).rejects.toBe(reason);
  expect(double.asked.at(-1)).toBe('DELETE /session/s1');
});

test('a browser that Appium does not move is refused before anything is started', async () => {
  const refused = options('/nowhere/appium/index.js', {
    browser: 'firefox',
    phone: { platform: 'ios' },
  });
  await expect(appiumDriver.launch(refused)).rejects.toMatchObject(
    failure('not-supported', /Appium has no driver for firefox on ios/),
  );
});

test.describe('on a phone', () => {
  test.skip(process.platform === 'win32', 'the double of adb is a shell script');

  const bounds = { signal: new AbortController().signal, timeoutMs: 60_000 };

  /** An SDK whose adb writes its arguments to the file `told`. */
  async function anSdk(): Promise<string> {
    const sdk = await mkdtemp(join(tmpdir(), 'sdk-'));
    opened.push({ close: () => rm(sdk, { recursive: true, force: true }) });
    await mkdir(join(sdk, 'platform-tools'));
    const adb = join(sdk, 'platform-tools', 'adb');
    await writeFile(adb, `#!/bin/sh\necho "$@" >> "${sdk}/told"\n`);
    await chmod(adb, 0o755);
    return sdk;
  }

  test('each page has its own session, and adb reaches our loopback', async () => {
    const [double, sdk] = [await aDouble(), await anSdk()];
    const told: Orphan[] = [];
    const session = await appiumDriver.launch(
      options(double.address, {
        browser: 'chrome',
        remember: (orphan) => {
          told.push(orphan);
          return Promise.resolve();
        },
        phone: { platform: 'android', udid: 'R58M1' },
        environment: { PATH: process.env['PATH'] ?? '', ANDROID_HOME: sdk },
      }),
    );
    await session.open('http://127.0.0.1:8080/one', bounds);
    await session.open('http://127.0.0.1:8080/two', bounds);
    await session.close();
    expect(double.asked).toEqual([
      'GET /status',
      'POST /session',
      'GET /session/s1/window',
      'POST /session/s1/url',
      'DELETE /session/s1',
      'POST /session',
      'GET /session/s2/window',
      'POST /session/s2/url',
      'DELETE /session/s2',
    ]);
    expect(await readFile(join(sdk, 'told'), 'utf8')).toBe(
      '-s R58M1 reverse tcp:8080 tcp:8080\n-s R58M1 reverse --remove tcp:8080\n',
    );
    // Enough to end all of it, should the farm be killed meanwhile.
    expect(told).toEqual([
      { kind: 'webdriver', server: double.address, session: 's1' },
      { kind: 'adb-reverse', udid: 'R58M1', port: '8080', environment: { ANDROID_HOME: sdk } },
      { kind: 'webdriver', server: double.address, session: 's2' },
    ]);
  });

  test('capabilities of the owner are added to those of the farm, and override them', async () => {
    const double = await aDouble();
    const signing = {
      'appium:xcodeOrgId': 'AB12CD34EF',
      'appium:xcodeSigningId': 'iPhone Developer',
      'appium:newCommandTimeout': 60,
    };
    const phone = { platform: 'ios', capabilities: signing } as const;
    const session = await appiumDriver.launch(
      options(double.address, { browser: 'safari', phone }),
    );
    await session.close();
    expect(double.wanted).toEqual([
      {
        capabilities: expect.objectContaining({
          alwaysMatch: expect.objectContaining({
            ...signing,
            'appium:automationName': 'XCUITest',
          }) as unknown,
        }) as unknown,
      },
    ]);
  });

  test("a server without Appium's safari driver is asked for XCUITest", async () => {
    const refusal = "Could not find a driver for automationName 'Safari' and platformName 'iOS'";
    const double = await aDouble({ refusal });
    const iphone = options(double.address, { browser: 'safari', phone: { platform: 'ios' } });
    await expect(appiumDriver.launch(iphone)).rejects.toMatchObject(
      failure('launch-failed', /has no driver "xcuitest".*appium-xcuitest-driver/),
    );
    expect(JSON.stringify(double.wanted[0])).toContain('"appium:automationName":"Safari"');
    expect(JSON.stringify(double.wanted[1])).toContain('"appium:automationName":"XCUITest"');
    expect(double.wanted).toHaveLength(2);
  });

  test('says what to do when the agent of an iPhone cannot be built', async () => {
    const refusal =
      'Unable to launch WebDriverAgent. Original error: xcodebuild failed with code 65.';
    const double = await aDouble({ refusal });
    const iphone = options(double.address, { browser: 'safari', phone: { platform: 'ios' } });
    await expect(appiumDriver.launch(iphone)).rejects.toMatchObject(
      failure('launch-failed', /WebDriverAgent.*sign it on the Mac.*trust its developer/),
    );
  });

  test('Firefox on Android is refused before its data are lost', async () => {
    const double = await aDouble();
    const fox = options(double.address, { phone: { platform: 'android' } });
    await expect(appiumDriver.launch(fox)).rejects.toMatchObject(
      failure('not-supported', /geckodriver erases all data of org\.mozilla\.firefox/),
    );
    expect(double.asked).toEqual([]);
  });

  test('a page that an iPhone cannot reach is refused', async () => {
    const double = await aDouble();
    const session = await appiumDriver.launch(
      options(double.address, { browser: 'safari', phone: { platform: 'ios' } }),
    );
    opened.push(session);
    await expect(session.open('http://127.0.0.1:8080/one', bounds)).rejects.toMatchObject(
      failure('not-supported', /an iPhone has no way to the loopback of this machine/),
    );
  });
});
