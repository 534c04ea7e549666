import { expect, test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdbDevice } from '../../../drivers/doubles/adb-device.ts';
import { layOutAppium } from '../../../drivers/doubles/appium-home.ts';
import {
  absentForAndroid,
  findAppium,
  startPhoneScene,
  type PhoneScene,
} from '../../../drivers/doubles/phone-scene.ts';
import { type FinishedCommand, leftRunning, newestTrials, somePages } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { runInProcess } from '../../testing/in-process-farm.ts';

/** The real adb and the real Appium; phones and Appium's drivers for them are doubles. */

const absent = absentForAndroid();
test.skip(absent !== null, absent ?? '');
test.setTimeout(150_000);

const appium = findAppium();
const browser = ['/usr/bin/chromium', '/usr/bin/chromedriver'].filter((path) => !existsSync(path));
const noRun = appium === null ? 'Appium is not here (npm ci)' : browser.join(', ');

let scene: PhoneScene;

test.beforeAll(async () => {
  scene = await startPhoneScene();
});

test.afterAll(() => scene.close());

interface Event {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Ran extends FinishedCommand {
  readonly events: readonly Event[];
}

/**
 * Runs a command of the farm where the phones are, in the process of its test; `hear` is called
 * with each event as it is printed.
 */
async function farmBeside(
  folder: string,
  args: readonly string[],
  hear: (event: Event) => void = () => undefined,
): Promise<Ran> {
  const events: Event[] = [];
  // An event is written as one whole line.
  const onOutput = (text: string): void => {
    if (!text.startsWith('{"type"')) return;
    events.push(JSON.parse(text) as Event);
    hear(events.at(-1)!);
  };
  const { environment } = scene;
  const finished = await runInProcess(folder, args, { environment, onOutput });
  return { ...finished, events };
}

interface Row {
  readonly id: string;
  readonly status: string;
  readonly reason?: string;
  readonly remedy?: string;
  readonly attached?: object;
}

async function devicesIn(folder: string): Promise<readonly Row[]> {
  const ran = await farmBeside(folder, ['devices', '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout) as readonly Row[];
}

async function inventory(folder: string, ...devices: readonly object[]): Promise<void> {
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices }));
}

const node = { id: 'node', browser: 'node', driver: 'process' };

function pixel(phone: AdbDevice, more: object = {}): object {
  const where = { driver: 'appium', platform: 'android', udid: phone.serial };
  return { id: 'pixel', browser: 'chrome', ...where, ...more };
}

test('attached phones are discovered, with model, version, and how to authorise them', async () => {
  const folder = await aFolder();
  await inventory(folder, node);
  const ready = await scene.phone();
  const strange = await scene.phone({ name: 'o1s', model: 'SM G991B', authorised: false });
  const rows = await devicesIn(folder);
  expect(rows.find(({ id }) => id === `android:${ready.serial}`)).toMatchObject({
    name: 'Google Pixel 7',
    status: 'missing',
    reason: expect.stringContaining('not in devices.json') as unknown,
    remedy: expect.stringContaining(`"udid":"${ready.serial}"`) as unknown,
    attached: { serial: ready.serial, state: 'device', model: 'Google Pixel 7', android: '14' },
  });
  expect(rows.find(({ id }) => id === `android:${strange.serial}`)).toMatchObject({
    reason: expect.stringMatching(new RegExp(`${strange.serial} .*not authorised`)) as unknown,
    remedy: expect.stringContaining('accept "Allow USB debugging"') as unknown,
    attached: { state: 'unauthorized' },
  });
  const shown = await farmBeside(folder, ['devices']);
  expect(shown.stdout).toMatch(/attached.*Google Pixel 7, Android 14/);
  strange.accept();
  await expect
    .poll(async () => (await scene.server.run('devices')).includes(`${strange.serial}\tdevice`))
    .toBe(true);
  const after = await devicesIn(folder);
  expect(after.find(({ id }) => id === `android:${strange.serial}`)?.reason).toBe(
    'it is not in devices.json',
  );
});

test('a phone that went offline says so', async () => {
  const folder = await aFolder();
  const phone = await scene.phone();
  await inventory(folder, node);
  phone.goOffline();
  await expect
    .poll(async () => (await scene.server.run('devices')).includes(`${phone.serial}\tdevice`))
    .toBe(false);
  const row = (await devicesIn(folder)).find(({ id }) => id === `android:${phone.serial}`);
  // How adb calls it meanwhile is its own: some versions try again, some give it up.
  if (row !== undefined) expect(row.reason).toMatch(/offline|being connected|authorised/);
});

test.describe('a run', () => {
  test.skip(noRun !== '', noRun);

  async function aFarm(...devices: readonly object[]): Promise<string> {
    const folder = await aFolder();
    await layOutAppium(join(folder, '.farm/appium'), { appium: appium! });
    await inventory(folder, ...devices);
    return folder;
  }

  const small = ['--bench', 'promise', '--param', 'operation=chain', '--trials', '1'];
  const quick = ['--measurement', 'fast', '--no-repeat', '--json'];
  const run = ['run', ...small, ...quick];

  test('a report of a phone says what it does, without its serial number', async () => {
    const phone = await scene.phone();
    const folder = await aFarm(pixel(phone));
    const { code, stdout, stderr } = await farmBeside(folder, [
      ...['devices', 'doctor', '--device', 'pixel', '--bundle', 'report.json', '--budget', '1ms'],
    ]);
    expect(code, stdout + stderr).toBe(0);
    const text = await readFile(join(folder, 'report.json'), 'utf8');
    const report = JSON.parse(text) as { checks: { name: string; seen: string }[] };
    expect(report).toMatchObject({ state: 'complete', device: { where: 'android' } });
    const works = report.checks.filter(({ seen }) => seen === 'works').map(({ name }) => name);
    expect(works).toEqual(expect.arrayContaining(['ready', 'launch', 'page', 'worker', 'close']));
    expect(text).not.toContain(phone.serial);
  });

  test('completes on a phone, with its cores, its threads and its state', async () => {
    const phone = await scene.phone();
    const folder = await aFarm(pixel(phone));
    const { code, stderr, events } = await farmBeside(folder, run);
    expect(code, stderr).toBe(0);
    expect(events.at(-1)).toMatchObject({ cells: { planned: 1, completed: 1 } });
    const [trial] = await newestTrials(folder);
    if (trial?.outcome.kind !== 'completed') throw new Error(JSON.stringify(trial));
    const { readings, result } = trial.outcome;
    expect(result.clock.isolated).toBe(true);
    expect(trial.browser?.version).toMatch(/^\d+\./);
    const cores = readings.find(({ probe }) => probe === 'cpu-core');
    const threads = readings.find(({ probe }) => probe === 'cpu-thread');
    const environment = readings.find(({ probe }) => probe === 'environment');
    expect(cores).toMatchObject({ intervalMs: 100 });
    expect(environment).toMatchObject({
      phone: { batteryPercent: 87, powered: true, batteryCelsius: 28.3, thermalStatus: 0 },
    });
    if (threads === undefined || !('threads' in threads)) throw new Error(JSON.stringify(threads));
    // The benchmark is one of those that run in a worker.
    expect(threads.threads.map(({ role }) => role)).toContain('js-worker');
    expect(threads.threads.map(({ process }) => process)).toContain('renderer');
    expect(phone.asked.some((command) => command.startsWith('dumpsys battery'))).toBe(true);
    // Whose phone it is has the same tabs, logins and history after it.
    expect(existsSync(join(phone.files.environment['DEVICE']!, 'data/com.android.chrome'))).toBe(
      true,
    );
    expect(phone.asked.filter((command) => command.startsWith('pm clear'))).toEqual([]);
    expect(stderr).toMatch(/pixel: its first session began after [\d.]+ s/);
    expect((await scene.server.run('-s', phone.serial, 'reverse', '--list')).trim()).toBe('');
    expect(leftRunning(folder)).toEqual([]);
  });

  test('erases the data of a browser only when its device says so, and says it before', async () => {
    const phone = await scene.phone();
    const folder = await aFarm(pixel(phone, { profile: 'erase' }));
    const { code, stderr } = await farmBeside(folder, run);
    expect(code, stderr).toBe(0);
    const erased = phone.asked.findIndex((command) => command === 'pm clear com.android.chrome');
    expect(erased).toBeGreaterThan(-1);
    expect(existsSync(join(phone.files.environment['DEVICE']!, 'data/com.android.chrome'))).toBe(
      false,
    );
    expect(stderr.indexOf('are erased at each session')).toBeLessThan(
      stderr.indexOf('its first session began'),
    );
    expect(stderr).toContain('pixel: all data of its chrome (tabs, logins, history) are erased');
  });

  test('a hot phone is waited for and reported; a locked one is skipped', async () => {
    const [hot, locked] = [await scene.phone(), await scene.phone()];
    await hot.files.set({ batteryCelsius: 43 });
    await locked.files.set({ locked: true, wakes: false });
    const folder = await aFarm(pixel(hot, { id: 'hot' }), pixel(locked, { id: 'locked' }));
    const { code, events, stderr } = await farmBeside(folder, run, ({ type }) => {
      if (type === 'waiting') void hot.files.set({ batteryCelsius: 30 });
    });
    expect(code, stderr).toBe(1);
    expect(events.find(({ type }) => type === 'waiting')).toMatchObject({
      device: 'hot',
      reason: expect.stringMatching(/too hot.* 43\.0 °C.* 38 °C/) as unknown,
    });
    const endings = events.filter(({ type }) => type === 'trial-ended');
    expect(endings.find(({ device }) => device === 'hot')).toMatchObject({ outcome: 'completed' });
    expect(endings.find(({ device }) => device === 'locked')).toMatchObject({
      outcome: 'failed',
      code: 'launch-failed',
      message: expect.stringMatching(/phone locked .*unlock it/) as unknown,
    });
  });

  test('reports a phone that goes offline in mid-trial and ends the run', async () => {
    const phone = await scene.phone();
    const folder = await aFarm(pixel(phone), node);
    const pages = await somePages(folder, "document.body.append('It hangs.');");
    const args = ['run', '--pages', pages, '--bench', 'mine', '--trials', '1', ...quick];
    // Its processes are listed when the page has begun.
    const listed = join(phone.files.environment['DEVICE']!, 'listed');
    const began = expect
      .poll(() => existsSync(listed), { timeout: 120_000 })
      .toBe(true)
      .then(() => {
        phone.goOffline();
      });
    const { code, events, stderr } = await farmBeside(folder, [...args, '--device', 'pixel']);
    await began;
    expect(code, stderr).toBe(1);
    const attempts = events.filter(
      ({ type }) => type === 'attempt-failed' || type === 'trial-ended',
    );
    expect(attempts[0]).toMatchObject({
      device: 'pixel',
      code: 'browser-died',
      message: expect.stringMatching(/^the phone is gone: /) as unknown,
    });
    expect(events.at(-1)).toMatchObject({ type: 'run-finished', cells: { planned: 1, failed: 1 } });
    expect(leftRunning(folder)).toEqual([]);
  });
});
