import { expect, test } from '@playwright/test';
import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { appiumDriver, serverProgram } from './appium.ts';
import { describeDriver, findInstalled, type CaseName } from '../conformance.ts';
import type { AdbDevice } from '../doubles/adb-device.ts';
import { layOutAppium } from '../doubles/appium-home.ts';
import { absentForAndroid, findAppium, startPhoneScene } from '../doubles/phone-scene.ts';
import type { PhoneScene } from '../doubles/phone-scene.ts';
import { startDisplay, type VirtualDisplay } from '../doubles/virtual-display.ts';
import type { LaunchOptions } from '../driver.ts';
import { startServer, type RunningServer } from '../shared/driver-server.ts';
import { watchEnding } from '../shared/step.ts';
import { startTestPageServer } from '../doubles/test-page-server.ts';

/**
 * The conformance cases through the doubles of an Android phone and an iPhone: the real adb and the
 * real Appium server are in the path, only what stands at its end is not what it says it is.
 */

const appium = findAppium();
const chromium = findInstalled('/usr/bin/chromium');
const forAndroid = [findInstalled('/usr/bin/chromedriver'), chromium, appium];
const android = absentForAndroid() === null && !forAndroid.includes(null);
const xvfb = findInstalled('/usr/bin/Xvfb');
const forIphone = [
  appium,
  xvfb,
  findInstalled('/usr/bin/WebKitWebDriver'),
  findInstalled('/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser'),
];
const iphone = process.platform === 'linux' && !forIphone.includes(null);

let home = '';
let scene: PhoneScene | null = null;
let phone: AdbDevice | null = null;
let index = '';
let display: VirtualDisplay | null = null;
const running = new Map<'uiautomator2' | 'xcuitest', RunningServer>();

test.beforeAll(async () => {
  if (appium === null || !(android || iphone)) return;
  home = await mkdtemp(join(tmpdir(), 'appium-phones-'));
  index = await layOutAppium(home, { appium });
  if (android) {
    scene = await startPhoneScene();
    phone = await scene.phone();
    await serve('uiautomator2', scene.environment);
  }
  if (iphone) {
    display = await startDisplay(xvfb ?? '');
    await serve('xcuitest', { PATH: process.env['PATH'] ?? '', DISPLAY: display.name });
  }
});

test.afterAll(async () => {
  for (const { program } of running.values()) await program.end(3000);
  await scene?.close();
  await display?.end();
  if (home !== '') await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

async function serve(
  driver: 'uiautomator2' | 'xcuitest',
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const features = driver === 'xcuitest' ? [] : ['uiautomator2:chromedriver_autodownload'];
  const program = serverProgram(index, { driver, features }, { HOME: home, ...environment });
  const abandoned = new AbortController().signal;
  running.set(driver, await startServer(program, { ending: watchEnding(), abandoned }));
}

const addressOf = (driver: 'uiautomator2' | 'xcuitest') => () =>
  `http://127.0.0.1:${String(running.get(driver)?.port)}`;

/** Cases that start a program here mean nothing where the farm did not start the server. */
const byAddress: Readonly<Partial<Record<CaseName, string>>> = {
  'lists the processes that it started, which carry the given environment':
    'what is started for a phone is started by the server',
  'a program that cannot be run is a failed launch': 'the browser is an app of the phone',
  'reports the death of the browser, and can still be closed':
    'it does not know which process is the browser',
};

const onAndroid = {
  driver: appiumDriver,
  browser: 'chrome',
  executable: android ? '' : null,
  phone: { platform: 'android' },
  environment: () => scene?.environment ?? {},
} as const;

describeDriver({
  ...onAndroid,
  how: ' on Android, by address',
  server: android ? addressOf('uiautomator2') : null,
  // Those of a phone are tried on the iPhone, those of what leads to it below.
  covered: ['bounds'],
  without: byAddress,
});

describeDriver({
  ...onAndroid,
  how: ' on Android, with its own server',
  server: android ? () => index : null,
  only: [
    'a second page inherits nothing, is visible, and the first one is closed',
    'lists the processes that it started, which carry the given environment',
    'closing leaves nothing running, and is not reported as a death',
  ],
});

/** An iPhone reaches this machine by its address in the local network only. */
const lanAddress =
  Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null;

describeDriver({
  driver: appiumDriver,
  browser: 'safari',
  how: ' on an iPhone',
  executable: iphone ? '' : null,
  phone: { platform: 'ios' },
  server: iphone ? addressOf('xcuitest') : null,
  host: lanAddress,
  without: {
    ...byAddress,
    'a page is visible and, with the right headers, isolated with shared memory':
      'over plain HTTP a page of another machine is no secure context',
  },
});

const bounds = { signal: new AbortController().signal, timeoutMs: 60_000 };

function onPhone(changes: Partial<LaunchOptions> = {}): LaunchOptions {
  return {
    browser: 'chrome',
    executable: '',
    server: addressOf('uiautomator2')(),
    flags: [],
    preferences: {},
    headless: false,
    sandbox: true,
    profile: '/nowhere',
    phone: { platform: 'android', udid: phone?.serial ?? '' },
    environment: scene?.environment ?? {},
    ...bounds,
    timeoutMs: 90_000,
    ...changes,
  };
}

test.describe('a phone behind adb', () => {
  test.skip(!android, absentForAndroid() ?? 'Appium or Chromium is not on this machine');

  test('reaches a page of this machine through adb, and through nothing else', async () => {
    const [testPages, stranger] = [await startTestPageServer(), await startTestPageServer()];
    const session = await appiumDriver.launch(onPhone());
    try {
      await session.open(testPages.page('one'), bounds);
      expect(await testPages.seen('one')).toMatchObject({ isolated: true, sharedMemory: true });
      const { port } = new URL(testPages.origin);
      const list = await scene!.server.run('-s', phone!.serial, 'reverse', '--list');
      expect(list).toContain(`tcp:${port} tcp:${port}`);
      expect(session.shell?.app).toBe('com.android.chrome');
      const asked = stranger.asked('two').then(() => 'asked');
      const tried = `fetch('${stranger.page('two')}', { mode: 'no-cors' }).then(() => 'got', () => 'failed')`;
      expect(await session.evaluate?.(tried)).toBe('failed');
      expect(await Promise.race([asked, Promise.resolve('not asked')])).toBe('not asked');
    } finally {
      await session.close();
      await Promise.all([testPages.close(), stranger.close()]);
    }
    expect((await scene!.server.run('-s', phone!.serial, 'reverse', '--list')).trim()).toBe('');
  });

  test('a session that never starts is given up at its deadline, and nothing stays', async () => {
    const environment = { ...scene!.environment, CROSSFARM_DOUBLE: 'never ready' };
    const options = onPhone({ server: index, environment, timeoutMs: 8000 });
    await expect(appiumDriver.launch(options)).rejects.toMatchObject({
      code: 'timed-out',
      message: expect.stringMatching(/chrome by Appium.* 8 s$/) as unknown,
    });
  });

  test('reports a driver that is not installed, with the command that installs it', async () => {
    const bare = await mkdtemp(join(tmpdir(), 'appium-bare-'));
    try {
      const lacking = await layOutAppium(bare, { appium: appium!, packages: [] });
      await expect(appiumDriver.launch(onPhone({ server: lacking }))).rejects.toMatchObject({
        code: 'launch-failed',
        message: expect.stringMatching(
          /has no driver "uiautomator2": .*appium driver install .*appium-uiautomator2-driver/,
        ) as unknown,
      });
    } finally {
      await rm(bare, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
  });

  test('reports a phone that is not connected', async () => {
    const wanted = { platform: 'android', udid: 'NOBODY' } as const;
    await expect(appiumDriver.launch(onPhone({ phone: wanted }))).rejects.toMatchObject({
      code: 'launch-failed',
      message: expect.stringMatching(/no Android device is connected/) as unknown,
    });
  });

  test('reports a phone that went offline when the next page is opened', async () => {
    const other = await scene!.phone();
    const udid = other.serial;
    const session = await appiumDriver.launch(onPhone({ phone: { platform: 'android', udid } }));
    try {
      other.goOffline();
      await expect(session.open('http://127.0.0.1:9/one', bounds)).rejects.toMatchObject({
        code: 'navigation-failed',
        message: expect.stringMatching(/adb: .*(offline|not found|closed|connecting)/) as unknown,
      });
    } finally {
      await session.close();
    }
  });
});
