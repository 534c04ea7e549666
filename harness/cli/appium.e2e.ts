import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { projectRoot } from '../project.ts';
import { farm, leftRunning } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';
import { farmInProcess } from '../testing/in-process-farm.ts';

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
    { id: 'desktop', browser: 'chromium', driver: 'appium', executable: process.execPath },
  ];
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices }));
  const { code, stdout, stderr } = await farmInProcess(folder, 'devices', '--json');
  expect(code, stderr).toBe(0);
  const rows = JSON.parse(stdout) as readonly Row[];
  expect(rows.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'pixel missing',
    'iphone missing',
    'desktop missing',
  ]);
  const absent = { reason: 'Appium is not installed', remedy: 'npx farm setup --appium' };
  expect(rows[0]).toMatchObject(absent);
  expect(rows[1]?.reason).toMatch(/^no Appium server.* http:\/\/127\.0\.0\.1:1 /);
  expect(rows[2]).toMatchObject(absent);
});

test('a run through Appium completes, and leaves nothing running', async () => {
  const appium = join(projectRoot(), '.farm/appium');
  const parts = [
    `${appium}/node_modules/appium`,
    `${appium}/node_modules/appium-chromium-driver`,
    '/usr/bin/chromedriver',
    '/usr/bin/chromium',
  ];
  const absent = parts.filter((path) => !existsSync(path));
  test.skip(absent.length > 0, `not here: ${absent.join(', ')} (farm setup --appium)`);
  const folder = await aFolder();
  await mkdir(join(folder, '.farm'));
  await symlink(appium, join(folder, '.farm/appium'));
  const small = ['--bench', 'promise', '--param', 'operation=chain', '--trials', '1'];
  const quick = ['--measurement', 'fast', '--no-repeat'];
  const run = await farm(folder, 'run', ...small, ...quick, '--device', 'chromium-appium');
  expect(run.code, run.stderr).toBe(0);
  expect(run.stdout + run.stderr).toContain('1 completed of 1 planned');
  expect(leftRunning(folder)).toEqual([]);
});
