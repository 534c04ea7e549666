import { test, expect } from '@playwright/test';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { can, cannot, type Driver } from '../../../drivers/driver.ts';
import { aDevice } from '../../testing/builders.ts';
import { askVersion, findAmong, findOnPath } from './executable.ts';
import { findDevice, findDevices, type DriverLoader } from './presence.ts';
import { aFolder } from '../../testing/folder.ts';

const driver: Driver = {
  name: 'test',
  serves: ['program', 'safari', 'chromium', 'firefox'],
  capabilities: () => ({
    evaluate: cannot('it is a test'),
    input: can,
    dialogs: can,
    firstScript: can,
    freshPage: can,
    liveVersion: can,
    headless: can,
    preferences: can,
    noticesDeath: can,
    trace: can,
  }),
  launch: () => Promise.reject(new Error('not used')),
};

async function aProgram(output: string, mode = 0o755): Promise<string> {
  const path = join(await aFolder(), 'browser');
  await writeFile(path, `#!/bin/sh\necho "${output}"\n`);
  await chmod(path, mode);
  return path;
}

test.skip(process.platform === 'win32', 'these programs are shell scripts');

test('a device whose executable is there is found, with its version and abilities', async () => {
  const executable = await aProgram('Browser 12.3.4 built today');
  const presence = await findDevice(aDevice('mine', { browser: 'chromium', executable }), driver);
  expect(presence).toMatchObject({
    status: 'found',
    target: { executable, browser: { name: 'chromium', version: '12.3.4' } },
  });
  expect(presence.capabilities).toContainEqual({
    name: 'evaluate',
    supported: false,
    because: 'it is a test',
  });
});

test('reports a device with a missing or unusable executable with a remedy', async () => {
  for (const executable of ['/nowhere/browser', await aProgram('x', 0o644)]) {
    const presence = await findDevice(aDevice('mine', { browser: 'chromium', executable }), driver);
    expect(presence).toMatchObject({
      status: 'missing',
      reason: expect.stringContaining(`${executable} does not exist`) as unknown,
      remedy: expect.stringMatching(/"executable" .*"mine" .*devices\.json/) as unknown,
    });
  }
});

test('a driver that cannot move the product says so', async () => {
  const presence = await findDevice(aDevice('mine', { browser: 'edge' }), driver);
  expect(presence).toMatchObject({ status: 'missing', reason: 'the driver test cannot move edge' });
});

test('a device that joins by hand is missing with its joining command', async () => {
  const [presence] = await findDevices(
    [aDevice('mine', { browser: 'safari', driver: 'attended' })],
    () => Promise.resolve({ ...driver, name: 'attended', joins: true }),
  );
  expect(presence).toMatchObject({
    status: 'missing',
    reason: 'its owner joins it by hand',
    remedy: 'npx crossfarm devices attend',
  });
});

test('a product of another platform says where it exists', async () => {
  test.skip(process.platform === 'darwin', 'Safari may be here');
  const presence = await findDevice(aDevice('mine', { browser: 'safari' }), driver);
  expect(presence).toMatchObject({ status: 'missing', reason: 'Safari exists on macOS only' });
});

test('an unprinted version is null, without endless waiting', async () => {
  expect(await askVersion([[await aProgram('no number')], ['/nowhere/program']])).toBeNull();
});

test('a star in a path stands for one folder name', async () => {
  const path = await aProgram('x');
  const starred = path.replace(/\/[^/]+\/browser$/, '/*/browser');
  expect(findAmong([starred])).toMatch(/\/browser$/);
  expect(findAmong(['/nowhere/*/browser'])).toBeNull();
});

test('names are looked for on PATH in order', () => {
  expect(findOnPath(['no-such-program-here', 'sh'])).toMatch(/\/sh$/);
  expect(findOnPath(['no-such-program-here'])).toBeNull();
});

test('a program that a package of npm brought is passed over', async () => {
  const project = await aFolder();
  const folders = [join(project, 'node_modules', '.bin'), join(project, 'bin')];
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'somedriver'), '#!/bin/sh\n', { mode: 0o755 });
  }
  const before = process.env['PATH'];
  process.env['PATH'] = folders.join(delimiter);
  const found = findOnPath(['somedriver']);
  process.env['PATH'] = before;
  expect(found).toBe(join(project, 'bin', 'somedriver'));
});

/** The same driver under several names, of which each moves some products alone. */
function loaderOf(serves: Readonly<Record<string, readonly string[]>>): DriverLoader {
  return (name) => Promise.resolve({ ...driver, name, serves: serves[name] ?? [] });
}

test('takes the first driver that works, and reports those before it with the reason', async () => {
  const executable = await aProgram('Browser 12.3.4');
  const device = aDevice('mine', { driver: 'one', otherDrivers: ['two', 'three'], executable });
  const loadDriver = loaderOf({ one: ['safari'], two: ['chromium'], three: ['chromium'] });
  const [presence] = await findDevices([device], loadDriver);
  expect(presence).toMatchObject({
    status: 'found',
    device: { driver: 'two' },
    target: { device: { driver: 'two' } },
    passedOver: [{ driver: 'one', reason: expect.stringMatching(/cannot .*chromium$/) as unknown }],
  });
  expect(presence?.device).not.toHaveProperty('otherDrivers');
});

test('a device whose first driver works has passed over none', async () => {
  const executable = await aProgram('Browser 12.3.4');
  const device = aDevice('mine', { driver: 'one', otherDrivers: ['two'], executable });
  const [presence] = await findDevices([device], loaderOf({ one: ['chromium'], two: [] }));
  expect(presence).toMatchObject({ status: 'found', device: { driver: 'one' } });
  expect(presence).not.toHaveProperty('passedOver');
});

test('a device without a usable driver says why, by driver', async () => {
  const device = aDevice('mine', { driver: 'one', otherDrivers: ['two'] });
  const [presence] = await findDevices([device], loaderOf({}));
  expect(presence).toMatchObject({
    status: 'missing',
    device: { driver: 'one', otherDrivers: ['two'] },
    reason: expect.stringMatching(/^one: .*cannot.*chromium; two: .*cannot.*chromium$/) as unknown,
  });
});

test('a driver that moves only its own build does not take the installed one', async () => {
  const own = await aProgram('Browser 1.2.3');
  const patched = { ...driver, needsOwnBuild: ['firefox'] };
  const device = aDevice('mine', { browser: 'firefox' });
  expect(await findDevice(device, { ...patched, ownBuild: () => Promise.resolve(null) })).toEqual(
    expect.objectContaining({
      status: 'missing',
      reason: expect.stringMatching(/only its bundled.*not installed$/) as unknown,
      remedy: 'npx test install firefox',
    }),
  );
  const found = await findDevice(device, { ...patched, ownBuild: () => Promise.resolve(own) });
  expect(found).toMatchObject({ status: 'found', target: { executable: own } });
});

test('a driver that moves only its own builds passes over what several drivers share', async () => {
  const executable = await aProgram('Browser 12.3.4');
  const device = aDevice('mine', {
    browser: 'firefox',
    driver: 'one',
    otherDrivers: ['two'],
    executable,
  });
  const ownBuild = (): Promise<string> => Promise.resolve('/opt/one/firefox');
  const loadDriver: DriverLoader = (name) =>
    Promise.resolve({
      ...driver,
      name,
      ...(name === 'one' && { needsOwnBuild: ['firefox'], ownBuild }),
    });
  const [presence] = await findDevices([device], loadDriver);
  expect(presence).toMatchObject({
    status: 'found',
    device: { driver: 'two' },
    passedOver: [
      {
        driver: 'one',
        reason: expect.stringMatching(new RegExp(`only its bundled.* ${executable} `)) as unknown,
      },
    ],
  });
  // Named for that driver alone it is believed: such builds may lie anywhere.
  const [only] = await findDevices([{ ...device, otherDrivers: [] }], loadDriver);
  expect(only).toMatchObject({ status: 'found', device: { driver: 'one' } });
});

test('an executable that is a name is looked for on PATH', async () => {
  const name = { browser: 'program', executable: 'sh', headless: false } as const;
  const presence = await findDevice(aDevice('mine', name), driver);
  test.skip(presence.status === 'missing' && presence.reason.includes('display'), 'no Xvfb here');
  expect(presence).toMatchObject({ target: { executable: expect.stringMatching(/\/sh$/) } });
});

test('a driver whose package was left out of the installation says how to get it', async () => {
  const executable = await aProgram('Browser 12.3.4');
  const device = aDevice('mine', { browser: 'chromium', executable });
  const find = (libraries: readonly string[]) => findDevice(device, { ...driver, libraries });
  expect(await find(['no-such-library'])).toMatchObject({
    status: 'missing',
    reason: 'the package no-such-library of the driver test is not installed',
    remedy: 'npm install no-such-library',
  });
  expect(await find(['no-such-library', 'webdriverio'])).toMatchObject({ status: 'found' });
});
