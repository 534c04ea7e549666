import { readFile, writeFile } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { can } from '../../../drivers/driver.ts';
import { aFakeFarm, type FakeAssignment, type FakeFarm } from '../../testing/fake-farm.ts';
import type { DeviceCheck, DeviceReport } from './device-report.ts';

/** The page of a report that has everything but files. */
const facts = {
  counters: { worker: 1, 'shared memory': 1, timers: 1, files: 0, fresh: 1, 'frame ms': 16.66667 },
  errors: ['files: SecurityError: The operation is insecure.'],
};

/** A page that answers a check of a device with these facts, and takes 10 ms as a benchmark. */
function aPage(answer: Readonly<Record<string, unknown>> = facts) {
  return {
    does: 'completes',
    metrics: () => [{ metric: 'duration', unit: 'ms', timed: [10] }],
    result: ({ benchmark }: FakeAssignment) => (benchmark === 'device-check' ? answer : {}),
  } as const;
}

const quick = ['--budget', '1ms', '--out', 'report.json'];

async function readReport({ folder }: FakeFarm): Promise<DeviceReport> {
  return JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as DeviceReport;
}

function find({ checks }: DeviceReport, name: string): DeviceCheck | undefined {
  return checks.find((check) => check.name === name);
}

test('a report says of each ability what is declared and what was seen', async () => {
  const fake = await aFakeFarm({ devices: ['one'], trial: aPage(), version: '156.0.1.2' });
  const { code, stdout } = await fake.farm('device-report', '--device', 'one', ...quick);
  expect(code).toBe(0);
  expect(stdout).toContain('report.json');
  const report = await readReport(fake);
  expect(report).toMatchObject({
    format: 'crossfarm-device-report',
    state: 'complete',
    device: { browser: 'chromium', driver: 'playwright', version: '156.0.1.2' },
    page: { granuleUs: 5, isolated: true, numbers: { 'frame ms': 16.67 } },
    againstItself: { blocks: expect.any(Number) as unknown },
  });
  expect(find(report, 'evaluate')).toMatchObject({ declared: true, seen: 'works' });
  expect(find(report, 'trace')).toMatchObject({ declared: true, seen: 'works' });
  expect(find(report, 'input')).toEqual({
    name: 'input',
    declared: false,
    seen: 'not tried',
    detail: 'a browser without a screen has nothing to click on',
  });
  expect(find(report, 'noticesDeath')).toMatchObject({ declared: true, seen: 'not tried' });
});

test('an ability that the page lacks is reported in the page’s words, and not as a fault', async () => {
  const fake = await aFakeFarm({ devices: ['one'], trial: aPage() });
  expect((await fake.farm('device-report', '--device', 'one', ...quick)).code).toBe(0);
  const report = await readReport(fake);
  expect(find(report, 'worker')).toEqual({ name: 'worker', declared: null, seen: 'works' });
  expect(find(report, 'files')).toMatchObject({
    seen: 'missing',
    detail: 'SecurityError: The operation is insecure.',
  });
});

test('an ability that a driver promises and does not have ends with 1', async () => {
  const fake = await aFakeFarm({ devices: ['one'], trial: aPage(), trace: null });
  const { code, stdout } = await fake.farm('device-report', '--device', 'one', ...quick);
  expect(code).toBe(1);
  expect(stdout).toContain('promised and not seen  trace: no trace was written');
  expect(find(await readReport(fake), 'trace')).toMatchObject({ declared: true, seen: 'fails' });
});

test('a browser that does not start is reported, and its abilities as not tried', async () => {
  const fake = await aFakeFarm({ devices: ['one'], launch: 'fails' });
  expect((await fake.farm('device-report', '--device', 'one', ...quick)).code).toBe(1);
  const report = await readReport(fake);
  expect(find(report, 'launch')).toMatchObject({
    seen: 'fails',
    detail: 'The fake browser was told not to start',
  });
  expect(find(report, 'evaluate')).toMatchObject({
    seen: 'not tried',
    detail: 'the browser was not started',
  });
  expect(report).toMatchObject({ state: 'complete', page: null, againstItself: null });
});

test('after Ctrl-C the report has what was tried, and says that it is partial', async () => {
  const fake = await aFakeFarm({ devices: ['one'], trial: aPage() });
  const controller = new AbortController();
  const onOutput = (text: string): void => {
    if (text.includes('evaluate')) controller.abort(new Error('Interrupted by SIGINT.'));
  };
  const surroundings = { signal: controller.signal, onOutput };
  const words = ['device-report', '--device', 'one', ...quick];
  expect((await fake.farmIn(surroundings, ...words)).code).toBe(3);
  const report = await readReport(fake);
  expect(report).toMatchObject({ state: 'partial', because: 'Interrupted by SIGINT.' });
  expect(find(report, 'page')).toMatchObject({ seen: 'works' });
  expect(find(report, 'trace')).toMatchObject({
    seen: 'not tried',
    detail: 'the report ended before',
  });
  // Its browser was closed.
  expect(fake.driver.events.filter((event) => event === 'launch')).toHaveLength(
    fake.driver.events.filter((event) => event === 'close').length,
  );
});

test('the doctor writes it, of one device', async () => {
  const fake = await aFakeFarm({ devices: ['one', 'two'], trial: aPage() });
  const doctor = ['devices', 'doctor', '--bundle', '--budget', '1ms'];
  const { code, stderr } = await fake.farm(...doctor);
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Name it: --device chromium --bundle') as unknown,
  });
  const { stdout } = await fake.farm(...doctor, '--device', 'one', '--json');
  const told = JSON.parse(stdout) as { path: string; format: string };
  expect(told.format).toBe('crossfarm-device-report');
  expect(told.path).toBe(join(fake.folder, 'device-report-chromium-playwright.json'));
});

test('a device that is missing gives a partial report, with what its owner has to do', async () => {
  const fake = await aFakeFarm({ devices: ['one'] });
  const iphone = { id: 'mine', browser: 'safari', driver: 'appium', platform: 'ios' };
  await writeFile(join(fake.folder, 'devices.json'), JSON.stringify({ devices: [iphone] }));
  const { loadDriver } = await import('../../../drivers/index.ts');
  const { runInProcess } = await import('../../testing/in-process-farm.ts');
  const words = ['device-report', '--device', 'mine', '--out', 'report.json'];
  const { code, stdout } = await runInProcess(fake.folder, words, { loadDriver });
  expect(code).toBe(3);
  expect(stdout).toContain('Web Inspector and Remote Automation');
  const report = await readReport(fake);
  expect(report).toMatchObject({ state: 'partial', device: { where: 'ios', version: null } });
  expect(report.ownerSteps.join()).toContain('Auto-Lock');
  expect(find(report, 'evaluate')).toMatchObject({ declared: true, seen: 'not tried' });
});

test('a report holds no name, path, address, setting or page of its owner @attack', async () => {
  const secrets = {
    flag: 'flag-secret-77',
    variable: 'variable-secret-78',
    preference: 'preference-secret-79',
    home: '/home/ada.lovelace/clients/acme/page.html',
    path: '/srv/clients/acme-merger/index.html',
    address: '192.168.17.34',
    mail: 'ada@acme.example',
    token: 'AIzaSyD4x9fQ2kPq7Lm3Nn',
  };
  const words = Object.values(secrets).join(' ; ');
  const page = aPage({
    counters: { files: 0, worker: 0, [secrets.flag.replaceAll('-', ' ')]: 1 },
    errors: [
      `files: ${words}`.slice(0, 300),
      `worker: ${homedir()}/x, ${hostname()}, adas-laptop, http://127.0.0.1:9/a?trial=abcdefgh`,
    ],
    host: { userAgent: `Fake/1.0 (${secrets.token}; ${secrets.mail})`, hardwareConcurrency: 2 },
  });
  const fake = await aFakeFarm({ devices: ['one'], trial: page, capabilities: { input: can } });
  const device = {
    id: 'adas-laptop',
    name: "Ada's laptop",
    browser: 'chromium',
    driver: 'playwright',
    executable: process.execPath,
    flags: [`--token=${secrets.flag}`],
    environment: { API_KEY: secrets.variable },
    preferences: { 'my.pref': secrets.preference },
  };
  await writeFile(join(fake.folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  await fake.farm('device-report', '--device', 'adas-laptop', ...quick);
  const text = await readFile(join(fake.folder, 'report.json'), 'utf8');
  expect(text).toContain('crossfarm-device-report');
  for (const secret of [...Object.values(secrets), fake.folder, 'acme', 'adas-laptop', 'trial=']) {
    expect(text).not.toContain(secret);
  }
  if (homedir().length > 1) expect(text).not.toContain(homedir());
  expect(text.split(/[^\w.-]+/)).not.toContain(hostname());
});
