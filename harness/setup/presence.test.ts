import { test, expect } from '@playwright/test';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { can, cannot, type Driver } from '../../drivers/driver.ts';
import { aDevice } from '../testing/builders.ts';
import { askVersion, findAmong, findOnPath } from './executable.ts';
import { findDevice } from './presence.ts';
import { aFolder } from '../testing/folder.ts';

const driver: Driver = {
  name: 'test',
  serves: ['program', 'safari', 'chromium', 'firefox'],
  capabilities: () => ({
    evaluate: cannot('it is a test'),
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

test('a device whose executable is gone, or may not be run, is missing with a remedy', async () => {
  for (const executable of ['/nowhere/browser', await aProgram('x', 0o644)]) {
    const presence = await findDevice(aDevice('mine', { browser: 'chromium', executable }), driver);
    expect(presence).toMatchObject({
      status: 'missing',
      reason: `its executable ${executable} is not there or may not be run`,
      remedy: 'correct "executable" of "mine" in devices.json',
    });
  }
});

test('a driver that cannot move the product says so', async () => {
  const presence = await findDevice(aDevice('mine', { browser: 'edge' }), driver);
  expect(presence).toMatchObject({ status: 'missing', reason: 'the driver test cannot move edge' });
});

test('a product of another platform says where it exists', async () => {
  test.skip(process.platform === 'darwin', 'Safari may be here');
  const presence = await findDevice(aDevice('mine', { browser: 'safari' }), driver);
  expect(presence).toMatchObject({ status: 'missing', reason: 'Safari exists on macOS only' });
});

test('a version that no program tells is null, and the program is not waited for for ever', async () => {
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
