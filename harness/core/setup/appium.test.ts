import { expect, test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { appiumDriver } from '../../../drivers/appium/appium.ts';
import type { Device } from '../model/device.ts';
import { projectRoot, testedVersions } from '../project.ts';
import { aDevice } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import { parseDevices } from './adb.ts';
import { findAppiumHome, locateServer } from './appium.ts';
import { judgeDevices } from './appium-android.ts';
import { installAppium } from './appium-install.ts';
import { findDevice } from './presence.ts';

test.skip(process.platform === 'win32', 'these programs are shell scripts');

async function aProgram(path: string, script: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** Runs in a new folder, with these variables; both are as before afterwards. */
async function inFolder<T>(
  variables: Readonly<Record<string, string>>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const [before, environment] = [process.cwd(), { ...process.env }];
  const folder = await aFolder();
  delete process.env['ANDROID_HOME'];
  delete process.env['ANDROID_SDK_ROOT'];
  delete process.env['CROSSFARM_APPIUM_SERVER'];
  Object.assign(process.env, variables);
  process.chdir(folder);
  try {
    return await work(folder);
  } finally {
    process.chdir(before);
    restore(environment);
  }
}

/** Each by itself: an object in place of `process.env` would no longer be the environment. */
function restore(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) {
    if (!(name in environment)) Reflect.deleteProperty(process.env, name);
  }
  Object.assign(process.env, environment);
}

/** As `farm devices setup --appium` leaves them. */
function install(folder: string, ...packages: readonly string[]): Promise<void> {
  return installInto(join(folder, '.farm/appium'), packages);
}

/** As npm leaves them. */
async function installInto(folder: string, packages: readonly string[]): Promise<void> {
  for (const name of packages) {
    const place = join(folder, 'node_modules', name);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'package.json'), '{}');
  }
}

const byAppium = (changes: Partial<Device>): Device =>
  aDevice('mine', { driver: 'appium', browser: 'chrome', headless: false, ...changes });

const onAndroid = byAppium({ phone: { platform: 'android' } });

test('without Appium, names the command that installs it', async () => {
  const homes = [await aFolder()];
  for (const device of [onAndroid, byAppium({ browser: 'chromium' })]) {
    expect(await locateServer(device, appiumDriver.serverNeeds!, { homes })).toEqual({
      reason: 'Appium is not installed',
      remedy: 'npx crossfarm devices setup --appium',
    });
  }
});

test('takes Appium from the first folder that has it and the driver', async () => {
  const [own, project, other] = [await aFolder(), await aFolder(), await aFolder()];
  const homes = [own, project, other];
  const packages = ['appium', 'appium-geckodriver'];
  expect(findAppiumHome(packages, homes)).toEqual({ folder: own, absent: packages });
  await installInto(other, packages);
  await installInto(project, ['appium']);
  expect(findAppiumHome(packages, homes)).toEqual({ folder: other, absent: [] });
  await installInto(project, packages);
  expect(findAppiumHome(packages, homes)).toEqual({ folder: project, absent: [] });
});

test('finds Appium in the current folder and next to the farm', async () => {
  const packages = ['appium', 'appium-chromium-driver'];
  await inFolder({}, async () => {
    expect(findAppiumHome(packages)).toEqual({ folder: projectRoot(), absent: [] });
    await installInto(process.cwd(), packages);
    expect(findAppiumHome(packages)).toEqual({ folder: process.cwd(), absent: [] });
    await install(process.cwd(), ...packages);
    expect(findAppiumHome(packages).folder).toBe(join(process.cwd(), '.farm/appium'));
  });
});

test("a driver of Appium's that is not installed is named", async () => {
  await inFolder({}, async (folder) => {
    await install(folder, 'appium');
    expect(await findDevice(onAndroid, appiumDriver)).toMatchObject({
      reason: "Appium's appium-uiautomator2-driver is not installed",
      remedy: 'npx crossfarm devices setup --appium',
    });
  });
});

test('without the Android SDK a phone is missing, with the package that brings it', async () => {
  await inFolder({}, async (folder) => {
    await install(folder, 'appium', 'appium-uiautomator2-driver');
    expect(await findDevice(onAndroid, appiumDriver)).toMatchObject({
      reason: expect.stringMatching(/^ANDROID_HOME.*not set/) as unknown,
      remedy: expect.stringContaining('export ANDROID_HOME=') as unknown,
    });
  });
});

test('finds a phone by adb and ends the server it started', async () => {
  // No server of adb's is on this port, so whichever there is was started by us.
  await inFolder({ ANDROID_ADB_SERVER_PORT: '1' }, async (folder) => {
    await install(folder, 'appium', 'appium-uiautomator2-driver');
    const list = 'List of devices attached\\nR58M1\\tdevice\\n';
    const answers = `devices) printf '${list}';; -s) echo '    versionName=128.0.6613.88';;`;
    const script = `echo "$@" >> ${folder}/told; case $1 in ${answers} esac`;
    await aProgram(join(folder, 'sdk/platform-tools/adb'), script);
    process.env['ANDROID_HOME'] = join(folder, 'sdk');
    expect(await findDevice(onAndroid, appiumDriver)).toMatchObject({
      status: 'found',
      target: {
        executable: '',
        server: join(process.cwd(), '.farm/appium/node_modules/appium/index.js'),
        browser: { name: 'chrome', version: '128.0.6613.88' },
      },
    });
    const asked = 'devices -l\n-s R58M1 shell dumpsys package com.android.chrome\nkill-server\n';
    expect(await readFile(join(folder, 'told'), 'utf8')).toBe(asked);
  });
});

const listing = `* daemon not running; starting now at tcp:5037
* daemon started successfully
List of devices attached
R58M1\tdevice
emulator-5554\tunauthorized
192.168.0.7:5555\toffline
ABC\tno permissions (user in plugdev group); see [http://developer.android.com/tools/device.html]

`;

test('the list of adb is read line by line', () => {
  expect(parseDevices(listing)).toEqual([
    { serial: 'R58M1', state: 'device' },
    { serial: 'emulator-5554', state: 'unauthorized' },
    { serial: '192.168.0.7:5555', state: 'offline' },
    { serial: 'ABC', state: 'no permissions' },
  ]);
  expect(parseDevices('')).toEqual([]);
});

test('the long list has the model of a phone that can be used', () => {
  const line = 'R58M1  device usb:1-1 product:panther model:Pixel_7 device:panther transport_id:3';
  expect(parseDevices(`List of devices attached\n${line}\nABC  unauthorized usb:1-2\n`)).toEqual([
    { serial: 'R58M1', state: 'device', model: 'Pixel_7' },
    { serial: 'ABC', state: 'unauthorized' },
  ]);
});

test('reports a browser that the phone does not have', async () => {
  await inFolder({ ANDROID_ADB_SERVER_PORT: '1' }, async (folder) => {
    await install(folder, 'appium', 'appium-uiautomator2-driver');
    const list = 'List of devices attached\\nR58M1\\tdevice\\n';
    const answers = `devices) printf '${list}';; -s) echo 'Unable to find package: com.android.chrome';;`;
    await aProgram(join(folder, 'sdk/platform-tools/adb'), `case $1 in ${answers} esac`);
    process.env['ANDROID_HOME'] = join(folder, 'sdk');
    expect(await findDevice(onAndroid, appiumDriver)).toMatchObject({
      status: 'missing',
      reason: expect.stringMatching(/R58M1 .*no com\.android\.chrome$/) as unknown,
    });
  });
});

const judgements: readonly (readonly [string | undefined, RegExp])[] = [
  ['emulator-5554', /emulator-5554 has not authorised this computer/],
  ['192.168.0.7:5555', /is connected but offline/],
  ['ABC', /may not be used by this user/],
  ['XYZ', /XYZ is not connected; there are: R58M1, emulator-5554/],
  [undefined, /several Android devices are connected: R58M1, /],
];

for (const [udid, reason] of judgements) {
  test(`a phone is judged by what adb says of it: ${udid ?? 'none is named'}`, () => {
    expect(judgeDevices(parseDevices(listing), { id: 'mine', serial: udid })).toMatchObject({
      reason: expect.stringMatching(reason) as unknown,
    });
  });
}

test('accepts a named or only phone, not two of one name', () => {
  const phones = parseDevices(listing);
  const named = { id: 'mine', serial: 'R58M1' };
  expect(judgeDevices(phones, named)).toBe(phones[0]);
  const [only] = phones;
  if (only === undefined) throw new Error('the listing is empty');
  const any = { id: 'mine', serial: undefined };
  expect(judgeDevices([only], any)).toBe(only);
  expect(judgeDevices([only, only], named)).toMatchObject({
    reason: expect.stringMatching(/two .* serial number R58M1/) as unknown,
  });
  expect(judgeDevices([], any)).toMatchObject({ reason: 'no Android device is connected' });
});

test('an iPhone says that a Mac is needed, and how to point to it', async () => {
  test.skip(process.platform === 'darwin', 'this is a Mac');
  const iphone = byAppium({ browser: 'safari', phone: { platform: 'ios' } });
  await inFolder({}, async () => {
    expect(await findDevice(iphone, appiumDriver)).toMatchObject({
      status: 'missing',
      reason: expect.stringMatching(/Appium server .*Mac .*Xcode/) as unknown,
      remedy: expect.stringMatching(
        /driver install --source=npm appium-safari-driver@\d+\.\d+\.\d+,.*"server" of "mine"/,
      ) as unknown,
    });
  });
});

test('reports a server that does not answer, and where its address is set', async () => {
  const iphone = byAppium({ browser: 'safari', phone: { platform: 'ios' } });
  const address = 'http://127.0.0.1:1';
  await inFolder({}, async () => {
    expect(await findDevice({ ...iphone, server: address }, appiumDriver)).toMatchObject({
      reason: expect.stringMatching(/^no Appium server .*http:\/\/127\.0\.0\.1:1 \(/) as unknown,
      remedy: expect.stringContaining('"server" of "mine" in devices.json') as unknown,
    });
  });
  await inFolder({ CROSSFARM_APPIUM_SERVER: address }, async () => {
    expect(await findDevice(iphone, appiumDriver)).toMatchObject({
      remedy: expect.stringContaining('CROSSFARM_APPIUM_SERVER') as unknown,
    });
  });
});

test('installs device needs by one npm call, nothing without needs', async () => {
  const npm = await aFolder();
  await aProgram(join(npm, 'npm'), `echo "$@" >> ${npm}/told`);
  const said: string[] = [];
  await inFolder({ PATH: `${npm}:/bin` }, async (folder) => {
    const options = {
      homes: [join(process.cwd(), '.farm/appium')],
      loadDriver: () => Promise.resolve(appiumDriver),
      signal: new AbortController().signal,
      say: (sentence: string) => void said.push(sentence),
    };
    const foreign = byAppium({ server: 'http://mac.local:4723' });
    const other = aDevice('other', { driver: 'playwright' });
    expect(await installAppium([foreign, other], options)).toBe(false);
    const beta = byAppium({ phone: { platform: 'android', appPackage: 'com.chrome.beta' } });
    expect(await installAppium([onAndroid, beta], options)).toBe(true);
    const told = await readFile(join(npm, 'told'), 'utf8');
    const appium = `appium@${testedVersions('appium') ?? ''}`;
    const chromium = `appium-chromium-driver@${testedVersions('appium-chromium-driver') ?? ''}`;
    // One version each: that of the tests, and of drivers that need a phone what was read for them.
    expect(told).toMatch(/ appium@3\.\d+\.\d+ appium-uiautomator2-driver@\d+\.\d+\.\d+ /);
    expect(told).toContain(` ${appium} `);
    expect(told).toContain(` ${chromium}\n`);
    expect(told).toContain(`--prefix ${join(process.cwd(), '.farm/appium')} `);
    expect(said.join('\n')).toMatch(/from npm/);
    expect(said.join('\n')).toContain(join(process.cwd(), '.farm/appium'));
    await install(folder, 'appium', 'appium-uiautomator2-driver', 'appium-chromium-driver');
    expect(await installAppium([onAndroid, beta], options)).toBe(false);
  });
});

test('installs no Appium where the project has it', async () => {
  const npm = await aFolder();
  await aProgram(join(npm, 'npm'), `echo "$@" >> ${npm}/told`);
  await inFolder({ PATH: `${npm}:/bin` }, async (folder) => {
    await installInto(folder, ['appium', 'appium-uiautomator2-driver']);
    const options = {
      loadDriver: () => Promise.resolve(appiumDriver),
      signal: new AbortController().signal,
      say: () => undefined,
    };
    expect(await installAppium([onAndroid], options)).toBe(false);
    expect(existsSync(join(npm, 'told'))).toBe(false);
  });
});
