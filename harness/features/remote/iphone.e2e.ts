import { readFile, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { serverProgram } from '../../../drivers/appium/appium.ts';
import { layOutAppium } from '../../../drivers/doubles/appium-home.ts';
import { findAppium, findProgram } from '../../../drivers/doubles/phone-scene.ts';
import { startDisplay } from '../../../drivers/doubles/virtual-display.ts';
import { startServer } from '../../../drivers/shared/driver-server.ts';
import { watchEnding } from '../../../drivers/shared/step.ts';
import { newestTrials, startFarm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

/** The built farm and the real Appium at an address, as on a Mac; its driver for iPhones is a double. */

const appium = findAppium();
const absent = ['Xvfb', 'WebKitWebDriver'].filter((name) => findProgram(name) === null);
const hasLan = Object.values(networkInterfaces())
  .flatMap((one) => one ?? [])
  .some(({ family, internal }) => family === 'IPv4' && !internal);

test.skip(process.platform !== 'linux', 'the double of an iPhone needs WebKitGTK');
test.skip(appium === null, 'Appium is not here (npm ci)');
test.skip(absent.length > 0, `not on this machine: ${absent.join(', ')}`);
test.skip(!hasLan, 'this machine has no address but its loopback, and an iPhone cannot reach that');

test('measures an iPhone at a remote Appium server by local pages', async () => {
  const folder = await aFolder();
  const index = await layOutAppium(join(folder, 'mac'), { appium: appium! });
  const display = await startDisplay(findProgram('Xvfb')!);
  const environment = { PATH: process.env['PATH'] ?? '', HOME: folder, DISPLAY: display.name };
  const { program, port } = await startServer(
    serverProgram(index, { driver: 'xcuitest', features: [] }, environment),
    { ending: watchEnding(), abandoned: new AbortController().signal },
  );
  try {
    const iphone = {
      id: 'iphone',
      browser: 'safari',
      driver: 'appium',
      platform: 'ios',
      pages: 'lan',
      server: `http://127.0.0.1:${String(port)}`,
      capabilities: { 'appium:xcodeOrgId': 'AB12CD34EF' },
    };
    await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [iphone] }));
    const { exitCode, stderr } = await startFarm(folder, [
      ...['run', '--bench', 'promise', '--param', 'operation=chain', '--trials', '1'],
      ...['--measurement', 'fast', '--isolation', 'session'],
    ]);
    expect(exitCode, String(stderr)).toBe(0);
    const [trial] = await newestTrials(folder);
    expect(trial).toMatchObject({
      browser: { name: 'safari' },
      outcome: {
        kind: 'completed',
        // Over plain HTTP from another address a page is not a secure context.
        result: { clock: { isolated: false } },
        readings: expect.arrayContaining([
          { probe: 'cpu-core', notSupported: expect.stringContaining('on a phone') as unknown },
        ]) as unknown,
      },
    });
    // Its report says what that costs, and what its owner alone can see.
    const words = ['devices', 'doctor', '--device', 'iphone', '--bundle', 'report.json'];
    const told = await startFarm(folder, [...words, '--budget', '1ms']);
    expect(told.exitCode, String(told.stderr)).toBe(0);
    const text = await readFile(join(folder, 'report.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      state: 'complete',
      device: { where: 'ios' },
      page: { isolated: false },
      checks: expect.arrayContaining([
        expect.objectContaining({ name: 'secure context', seen: 'missing' }),
      ]) as unknown,
    });
    expect(text).toContain('Enable UI Automation');
    expect(text).not.toContain('AB12CD34EF');
  } finally {
    await program.end(3000);
    await display.end();
  }
});
