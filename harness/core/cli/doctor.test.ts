import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';

const phones = [
  { id: 'iphone', browser: 'safari', driver: 'appium', platform: 'ios' },
  {
    id: 'signed',
    browser: 'safari',
    driver: 'appium',
    platform: 'ios',
    capabilities: { 'appium:xcodeOrgId': 'AB12CD34EF' },
  },
  { id: 'guest', browser: 'safari', driver: 'attended' },
];

interface Told {
  readonly devices: readonly {
    readonly id: string;
    readonly status: string;
    readonly reason: string;
    readonly ownerSteps: readonly string[];
  }[];
}

test('says of named devices what is missing, and what only their owner can do', async () => {
  test.skip(process.platform === 'darwin', 'an iPhone may be at this Mac');
  const folder = await aFolder();
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: phones }));
  const words = ['devices', 'doctor', '--no-noise', '--device', 'iphone,signed,guest'];
  const { code, stdout } = await farmInProcess(folder, ...words, '--json');
  expect(code).not.toBe(0);
  const { devices } = JSON.parse(stdout) as Told;
  const [iphone, signed, guest] = devices.map(({ ownerSteps }) => ownerSteps.join('\n'));
  expect(devices[0]).toMatchObject({ id: 'iphone', status: 'missing' });
  expect(devices[0]?.reason).toContain('Mac');
  expect(iphone).toContain('Remote Automation');
  expect(iphone).toContain('Auto-Lock');
  expect(signed).toContain('Developer Mode');
  expect(signed).not.toContain('Remote Automation');
  expect(guest).toContain('scan its code');
});

test('refuses options of a report where none is asked for', async () => {
  const folder = await aFolder();
  const { code, stderr } = await farmInProcess(folder, 'devices', 'doctor', '--lan', '--tls');
  expect(code).toBe(2);
  expect(stderr).toMatch(/report of one device takes --lan, and --bundle is missing/);
});

test('prints them below the machine, and ends with 3 where a device is missing', async () => {
  test.skip(process.platform === 'darwin', 'an iPhone may be at this Mac');
  const folder = await aFolder();
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: phones }));
  const { code, stdout } = await farmInProcess(
    folder,
    ...['devices', 'doctor', '--no-noise', '--device', 'iphone'],
  );
  // 1 where the machine is unfit besides.
  expect([1, 3]).toContain(code);
  expect(stdout).toMatch(/missing +iphone: .*Mac/);
  expect(stdout).toContain('Only a person at the device can see or do this:');
});
