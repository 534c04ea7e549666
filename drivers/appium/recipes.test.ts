import { expect, test } from '@playwright/test';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recipeFor } from './recipes.ts';
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
  const recipe = recipeFor(given.browser, given.phone);
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

test('opens Safari on iOS by XCUITest, on the connected or named phone', () => {
  const safari = options({ browser: 'safari', phone: { platform: 'ios' } });
  expect(wanted(safari)).toMatchObject({
    platformName: 'iOS',
    browserName: 'Safari',
    'appium:automationName': 'XCUITest',
    'appium:udid': 'auto',
  });
});

test('a browser that no driver of Appium moves has no recipe', () => {
  expect(recipeFor('webkitgtk')).toBeNull();
  expect(recipeFor('safari')).toBeNull();
  expect(recipeFor('samsung')).toBeNull();
  expect(recipeFor('chrome', { platform: 'ios' })).toBeNull();
  expect(recipeFor('edge', android)).toBeNull();
});
