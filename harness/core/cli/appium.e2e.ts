import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { findAppium } from '../../../drivers/doubles/phone-scene.ts';
import { farm, leftRunning } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';

interface Row {
  readonly id: string;
  readonly status: string;
  readonly reason?: string;
  readonly remedy?: string;
}

test('says why each device behind Appium cannot be used', async () => {
  const folder = await aFolder();
  const phone = { browser: 'chrome', driver: 'appium', platform: 'android' };
  const iphone = { browser: 'safari', driver: 'appium', platform: 'ios' };
  const devices = [
    { id: 'pixel', ...phone },
    { id: 'iphone', ...iphone, server: 'http://127.0.0.1:1' },
  ];
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices }));
  const { code, stdout, stderr } = await farmInProcess(folder, 'devices', '--json');
  expect(code, stderr).toBe(0);
  const rows = JSON.parse(stdout) as readonly Row[];
  expect(rows.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'pixel missing',
    'iphone missing',
  ]);
  expect(rows[0]).toMatchObject({
    reason: "Appium's appium-uiautomator2-driver is not installed",
    remedy: 'npx crossfarm devices setup --appium',
  });
  expect(rows[1]?.reason).toMatch(/^no Appium server.* http:\/\/127\.0\.0\.1:1 /);
});

test('a run through Appium completes, and leaves nothing running', async () => {
  const parts = [findAppium() ?? 'Appium', '/usr/bin/chromedriver', '/usr/bin/chromium'];
  const absent = parts.filter((path) => !existsSync(path));
  test.skip(absent.length > 0, `not here: ${absent.join(', ')}`);
  const folder = await aFolder();
  const small = ['--bench', 'promise', '--param', 'operation=chain', '--trials', '1'];
  const quick = ['--measurement', 'fast', '--no-repeat'];
  const run = await farm(folder, 'run', ...small, ...quick, '--device', 'chromium-appium');
  expect(run.code, run.stderr).toBe(0);
  expect(run.stdout + run.stderr).toContain('1 completed of 1 planned');
  expect(leftRunning(folder)).toEqual([]);
});
