import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, expect, test } from '@playwright/test';
import { pagesFolder } from '../../core/project.ts';
import { startPageServer } from '../../core/server/page-server.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { farm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { runInProcess } from '../../testing/in-process-farm.ts';
import type { DeviceReport } from './device-report.ts';

const chromiumPath = findOnPath(['chromium', 'chromium-browser']);

async function readReport(folder: string): Promise<DeviceReport> {
  return JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as DeviceReport;
}

/** Names of the checks that ended so. */
function named({ checks }: DeviceReport, seen: string): readonly string[] {
  return checks.filter((check) => check.seen === seen).map(({ name }) => name);
}

const quick = ['--bundle', 'report.json', '--budget', '1ms'];

test('Chromium does what its driver promises, and its page is isolated', async () => {
  test.skip(chromiumPath === null, 'chromium is not here');
  const folder = await aFolder();
  const { code, stdout, stderr } = await farm(
    folder,
    ...['devices', 'doctor', '--device', 'chromium', ...quick],
  );
  expect(code, stdout + stderr).toBe(0);
  const report = await readReport(folder);
  expect(report).toMatchObject({ state: 'complete', page: { isolated: true } });
  expect(report.page?.granuleUs).toBeLessThanOrEqual(20);
  expect(report.page?.drawnBy).toMatch(/^(software|GPU)/);
  expect(named(report, 'works')).toEqual(
    expect.arrayContaining([
      ...['launch', 'page', 'evaluate', 'input', 'dialogs', 'freshPage', 'firstScript', 'trace'],
      ...['noticesDeath', 'close', 'worker', 'shared memory', 'files', 'timers', 'frames'],
    ]),
  );
});

test('Node.js is reported without what only a browser has', async () => {
  const folder = await aFolder();
  const { code, stdout, stderr } = await farm(
    folder,
    ...['devices', 'doctor', '--device', 'node', ...quick],
  );
  expect(code, stdout + stderr).toBe(0);
  const report = await readReport(folder);
  expect(named(report, 'works')).toEqual(
    expect.arrayContaining(['launch', 'page', 'worker', 'shared memory', 'timers']),
  );
  expect(report.checks.map(({ name }) => name)).not.toContain('files');
});

test('a person who opens the page by hand reads what it is for', async () => {
  test.skip(chromiumPath === null, 'chromium is not here');
  const server = await startPageServer({ pages: pagesFolder(), port: 0 });
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: chromiumPath!, args });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.origin}/device-check/index.html`);
    await expect(page.getByRole('status')).toHaveText(/^Nothing is measured by hand here/);
    await expect(page.getByText('devices doctor --device ID --bundle')).toBeVisible();
  } finally {
    await browser.close();
    await server.close();
  }
});

test('a device that a person joins is reported', async () => {
  test.skip(chromiumPath === null, 'chromium is not here');
  const folder = await aFolder();
  const mine = { id: 'mine', browser: 'chrome', driver: 'attended', automatic: false };
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [mine] }));
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: chromiumPath!, args });
  const page = await browser.newPage();
  const joinAs = async (address: string): Promise<void> => {
    await page.goto(address);
    await page.getByLabel('What do you call this device?').fill('Ada’s phone');
    await page.getByRole('button', { name: 'Join' }).click();
  };
  let joining: Promise<void> | null = null;
  const onOutput = (text: string): void => {
    const [address] = /http:\/\/127\.0\.0\.1:\d+\/join\/[\w-]+/.exec(text) ?? [];
    if (address !== undefined) joining ??= joinAs(address);
  };
  try {
    const words = ['devices', 'doctor', '--device', 'mine', ...quick];
    const { code, stdout, stderr } = await runInProcess(folder, words, { onOutput });
    await joining;
    expect(code, stdout + stderr).toBe(0);
    const report = await readReport(folder);
    expect(report).toMatchObject({ state: 'complete', device: { where: 'attended' } });
    expect(report.page?.drawnBy).toMatch(/^(software|GPU)/);
    expect(named(report, 'works')).toEqual(expect.arrayContaining(['page', 'worker', 'freshPage']));
    expect(JSON.stringify(report)).not.toContain('Ada');
  } finally {
    await browser.close();
  }
});
