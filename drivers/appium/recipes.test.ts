import { expect, test } from '@playwright/test';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findDataLoss, joinCapabilities, listRecipes } from './recipes.ts';
import type { LaunchOptions, Phone } from '../driver.ts';

function options(changes: Partial<LaunchOptions> = {}): LaunchOptions {
  return {
    browser: 'chrome',
    executable: '/usr/bin/chromium',
    flags: ['--mine'],
    preferences: {},
    headless: true,
    sandbox: false,
    environment: {},
    profile: '/the/profile',
    signal: new AbortController().signal,
    timeoutMs: 1000,
    ...changes,
  };
}

function wanted(given: LaunchOptions, near = true): Readonly<Record<string, unknown>> {
  const [recipe] = listRecipes(given.browser, given.phone);
  return recipe?.capabilities(given, near ? { near, port: 4567 } : { near }) ?? {};
}

test("opens desktop Chromium by the chromedriver on PATH, in the session's profile", async () => {
  test.skip(process.platform !== 'linux', 'the name of the platform is that of Linux');
  const folder = await mkdtemp(join(tmpdir(), 'path-'));
  try {
    const chromedriver = join(folder, 'chromedriver');
    await writeFile(chromedriver, '');
    await chmod(chromedriver, 0o755);
    const environment = { PATH: `/nowhere:${folder}` };
    expect(wanted(options({ browser: 'chromium', environment }))).toEqual({
      // chromedriver refuses "Linux" with a capital.
      platformName: 'linux',
      browserName: 'chrome',
      'appium:automationName': 'Chromium',
      'appium:executable': chromedriver,
      'appium:autodownloadEnabled': false,
      'appium:chromedriverPort': 4567,
      'appium:newCommandTimeout': 3600,
      'goog:chromeOptions': {
        binary: '/usr/bin/chromium',
        args: expect.arrayContaining([
          '--headless',
          '--no-sandbox',
          '--user-data-dir=/the/profile',
          '--mine',
        ]) as unknown,
      },
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('reports that no chromedriver is on PATH, instead of downloading one', () => {
  const given = options({ browser: 'chromium', environment: { PATH: '/nowhere' } });
  expect(() => wanted(given)).toThrow('There is no chromedriver on PATH');
});

test('sends no local path to a browser on a distant server', () => {
  for (const browser of ['chromium', 'firefox']) {
    expect(JSON.stringify(wanted(options({ browser }), false))).not.toMatch(/the\/profile|\/usr/);
  }
});

const android: Phone = { platform: 'android', udid: 'R58M1' };

test('Chrome on Android is opened by UiAutomator2, and keeps its sandbox', () => {
  const capabilities = wanted(options({ phone: android }));
  expect(capabilities).toMatchObject({
    platformName: 'Android',
    browserName: 'Chrome',
    'appium:automationName': 'UiAutomator2',
    'appium:udid': 'R58M1',
  });
  expect(JSON.stringify(capabilities)).not.toMatch(/no-sandbox|headless|user-data-dir/);
});

test('keeps the data of a browser on Android, by both programs that would clear them', () => {
  const environment = { PATH: '/nowhere' };
  const of = (browser: string, phone: Phone): Readonly<Record<string, unknown>> =>
    wanted(options({ browser, phone, environment }), false);
  for (const [browser, phone] of [
    ['chrome', android],
    ['chrome', { ...android, appPackage: 'com.chrome.beta' }],
    ['samsung', android],
    ['edge', android],
    ['program', { ...android, appPackage: 'com.opera.browser' }],
  ] as const) {
    const kept = { androidKeepAppDataDir: true };
    expect(of(browser, phone)['goog:chromeOptions']).toMatchObject(kept);
    const erased = of(browser, { ...phone, profile: 'erase' });
    expect(erased['goog:chromeOptions']).not.toHaveProperty('androidKeepAppDataDir');
  }
  expect(of('chrome', android)['appium:noReset']).toBe(true);
  expect(of('chrome', { ...android, profile: 'erase' })['appium:noReset']).toBe(false);
});

test("an owner's own options of Chrome do not take away that its data are kept", () => {
  const ours = wanted(options({ phone: android }));
  const theirs = { 'goog:chromeOptions': { androidActivity: '.Main' }, 'appium:noReset': false };
  expect(joinCapabilities(ours, theirs)).toMatchObject({
    'appium:udid': 'R58M1',
    'appium:noReset': false,
    'goog:chromeOptions': { androidKeepAppDataDir: true, androidActivity: '.Main' },
  });
});

test('Firefox on Android is opened only where its data may be erased', () => {
  expect(findDataLoss('firefox', android)).toMatch(/geckodriver erases all data of org\.mozilla/);
  expect(findDataLoss('firefox', { ...android, profile: 'erase' })).toBeNull();
  expect(findDataLoss('firefox', undefined)).toBeNull();
  expect(findDataLoss('chrome', android)).toBeNull();
});

test('Edge, Opera and Brave on Android are opened by package, activity and socket', () => {
  const environment = { PATH: '/nowhere' };
  const of = (browser: string, appPackage?: string): unknown =>
    wanted(
      options({ browser, phone: { ...android, ...(appPackage && { appPackage }) }, environment }),
      false,
    );
  expect(of('edge')).toMatchObject({
    browserName: 'chrome',
    'goog:chromeOptions': {
      androidPackage: 'com.microsoft.emmx',
      androidActivity: 'com.microsoft.ruby.Main',
      androidDeviceSocket: 'chrome_devtools_remote',
    },
  });
  expect(of('program', 'com.opera.browser')).toMatchObject({
    'goog:chromeOptions': {
      androidPackage: 'com.opera.browser',
      androidDeviceSocket: 'com.opera.browser.devtools',
    },
  });
  expect(of('program', 'com.brave.browser')).toMatchObject({
    'goog:chromeOptions': { androidActivity: 'com.google.android.apps.chrome.Main' },
  });
});

test('names other browsers on Android by their package and the phone', () => {
  const path = { environment: { PATH: '/nowhere' } };
  const of = (browser: string, phone: Phone): unknown =>
    wanted(options({ browser, phone, ...path }), false);
  expect(of('samsung', android)).toMatchObject({
    'appium:automationName': 'Chromium',
    'goog:chromeOptions': {
      androidPackage: 'com.sec.android.app.sbrowser',
      androidDeviceSerial: 'R58M1',
      androidExecName: 'Terrace',
    },
  });
  expect(of('chrome', { ...android, appPackage: 'com.chrome.beta' })).toMatchObject({
    'appium:automationName': 'Chromium',
    'goog:chromeOptions': { androidPackage: 'com.chrome.beta', androidDeviceSerial: 'R58M1' },
  });
  expect(of('firefox', { platform: 'android' })).toMatchObject({
    'appium:automationName': 'Gecko',
    'moz:firefoxOptions': { androidPackage: 'org.mozilla.firefox' },
  });
});

test("opens Safari on iOS by Apple's own driver, and by XCUITest where that is asked for", () => {
  const on = (phone: Partial<Phone>): LaunchOptions =>
    options({ browser: 'safari', phone: { platform: 'ios', ...phone } });
  expect(wanted(on({ udid: '00008030-1' }))).toMatchObject({
    platformName: 'iOS',
    browserName: 'Safari',
    'appium:automationName': 'Safari',
    'safari:deviceUDID': '00008030-1',
  });
  for (const capabilities of [
    { 'appium:automationName': 'XCUITest' },
    { 'appium:xcodeOrgId': 'AB12CD34EF' },
    { 'appium:updatedWDABundleId': 'example.me.Runner' },
  ]) {
    expect(wanted(on({ capabilities }))).toMatchObject({
      'appium:automationName': 'XCUITest',
      'appium:udid': 'auto',
    });
  }
});

test('a browser that no driver of Appium moves has no recipe', () => {
  expect(listRecipes('webkitgtk')).toEqual([]);
  expect(listRecipes('safari')).toEqual([]);
  expect(listRecipes('samsung')).toEqual([]);
  expect(listRecipes('chrome', { platform: 'ios' })).toEqual([]);
  expect(listRecipes('program', android)).toEqual([]);
});
