import { expect, test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cannot } from '../../../drivers/driver.ts';
import { fakeDriver, type FakeDriver, type FakeScript } from '../../../drivers/fake/fake.ts';
import type { Device, Target } from '../model/device.ts';
import { aDevice } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import { startSession, type LiveSession, type SessionOptions } from './session.ts';

const never = new AbortController().signal;

function aTarget(overrides: Partial<Device> = {}): Target {
  const device = aDevice('one', overrides);
  return {
    device,
    browser: { name: device.browser, version: '1.2.3' },
    executable: '/usr/bin/true',
  };
}

interface StartedSession {
  readonly session: LiveSession;
  readonly driver: FakeDriver;
  readonly directory: string;
}

async function start(
  script: FakeScript = {},
  { device, ...options }: Partial<SessionOptions> & { device?: Partial<Device> } = {},
): Promise<StartedSession> {
  const directory = options.directory ?? (await aFolder());
  const driver = fakeDriver(script);
  const session = await startSession(aTarget(device), driver, {
    directory,
    display: () => Promise.reject(new Error('no display was expected to be asked for')),
    signal: never,
    timeoutMs: 60_000,
    ...options,
  });
  return { session, driver, directory };
}

test('a session has its own directory and record, and close removes them', async () => {
  const { session, driver, directory } = await start();
  expect(session.id).toMatch(/^[0-9a-f]{8}$/);
  expect(await readdir(directory)).toEqual([session.id]);
  const record: unknown = JSON.parse(
    await readFile(join(directory, session.id, 'session.json'), 'utf8'),
  );
  expect(record).toEqual({
    id: session.id,
    farm: expect.stringMatching(new RegExp(`^${process.pid}:`)),
  });
  const launch = driver.launches[0]!;
  expect(launch.profile).toBe(join(directory, session.id, 'profile'));
  expect(await readdir(launch.profile)).toEqual([]);
  await session.close();
  expect(await readdir(directory)).toEqual([]);
  expect(existsSync(launch.environment['TMPDIR']!)).toBe(false);
  expect(driver.events).toEqual(['launch', 'close']);
});

test("passes Firefox's compiled startup code to the build's next sessions", async () => {
  const files = { 'compatibility.ini': '[Compatibility]', 'startupCache/scriptCache.bin': 'code' };
  const leave = async ({ driver }: StartedSession): Promise<void> => {
    const { profile } = driver.launches[0]!;
    await mkdir(join(profile, 'startupCache'), { recursive: true });
    for (const [name, text] of Object.entries({ ...files, 'cookies.sqlite': 'private' }))
      await writeFile(join(profile, name), text);
  };
  const found = async (
    device: Partial<Device> = { browser: 'firefox' },
    script: FakeScript = {},
  ) => {
    const started = await start(script, { device, closeMs: 50 });
    const { profile } = started.driver.launches[0]!;
    const names = (await readdir(profile, { recursive: true })).sort();
    await leave(started);
    await started.session.close();
    return names;
  };
  expect(await found({ browser: 'firefox' }, { close: 'hangs' })).toEqual([]);
  expect(await found({ browser: 'chromium' })).toEqual([]);
  expect(await found()).toEqual([]);
  expect(await found()).toEqual([
    'compatibility.ini',
    'startupCache',
    'startupCache/scriptCache.bin',
  ]);
  expect(await found({ browser: 'chromium' })).toEqual([]);
});

test('a browser that hangs is not asked to close for as long as another', async () => {
  const never = 2 ** 31 - 1;
  const { session, directory } = await start({ close: 'hangs' }, { closeMs: never });
  session.giveUp?.();
  await session.close();
  expect(await readdir(directory)).toEqual([]);
});

test('only a local browser can be abandoned; others must end themselves', async () => {
  const here = await start();
  const there = await start({}, { device: { remote: {} } });
  expect(here.session.giveUp).toBeDefined();
  expect(there.session.giveUp).toBeUndefined();
  await Promise.all([here.session.close(), there.session.close()]);
});

test('the version is the one that the live browser reports', async () => {
  const { session } = await start({ version: '156.0.1' });
  expect(session.browserVersion).toBe('156.0.1');
  await session.close();
});

test('the environment carries the mark and private folders, and what the owner gave wins', async () => {
  const { session, driver, directory } = await start(
    {},
    { device: { environment: { XDG_CACHE_HOME: '/my/cache', MINE: '1' } } },
  );
  const { environment } = driver.launches[0]!;
  expect(environment).toMatchObject({
    PATH: process.env['PATH'],
    CROSSFARM_SESSION: session.id,
    XDG_CACHE_HOME: '/my/cache',
    XDG_CONFIG_HOME: join(directory, session.id, 'config'),
    MINE: '1',
  });
  expect(environment).not.toHaveProperty('NODE_OPTIONS');
  expect(environment).not.toHaveProperty('DISPLAY');
  await session.close();
});

test('secrets of the farm’s environment reach no browser, what an Appium server needs does @attack', async () => {
  const variables = {
    CROSSFARM_SMTP_URL: 'smtps://me:hunter2@mail',
    CROSSFARM_AGENT_TOKEN: 'hunter2',
    AWS_SECRET_ACCESS_KEY: 'hunter2',
    HTTPS_PROXY: 'http://me:hunter2@proxy',
    JAVA_HOME: '/usr/lib/jvm',
    LC_TIME: 'C',
  };
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    const { session, driver } = await start();
    const { environment } = driver.launches[0]!;
    expect(JSON.stringify(environment)).not.toContain('hunter2');
    expect(environment).toMatchObject({ JAVA_HOME: '/usr/lib/jvm', LC_TIME: 'C' });
    await session.close();
  } finally {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
  }
});

test("a browser's sockets in a deep directory have short paths", async () => {
  const directory = join(await aFolder(), 'deep'.repeat(20));
  const { session, driver } = await start({}, { directory });
  const temporary = driver.launches[0]!.environment['TMPDIR']!;
  expect(temporary.length).toBeLessThan(60);
  expect(existsSync(temporary)).toBe(true);
  await session.close();
  expect(existsSync(temporary)).toBe(false);
});

test('a display is asked for only by what needs one', async () => {
  test.skip(process.platform !== 'linux', 'only Linux has X displays');
  const display = () => Promise.resolve(':77');
  const headless = cannot('it has no headless mode');
  const needing: [FakeScript, Partial<Device>][] = [
    [{}, { headless: false }],
    [{ capabilities: { headless } }, { headless: true }],
  ];
  for (const [script, device] of needing) {
    const { session, driver } = await start(script, { device, display });
    expect(driver.launches[0]!.environment['DISPLAY']).toBe(':77');
    await session.close();
  }
});

test('a launch that fails in a long folder for temporary files says so', async () => {
  const directory = join(await aFolder(), 'long-'.repeat(20));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = directory;
  try {
    await expect(start({ launch: 'fails' }, { directory })).rejects.toThrow(
      /long-.* may be too long for a socket in it: set TMPDIR/,
    );
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
});

test('a launch that fails, hangs or is aborted leaves nothing behind', async () => {
  const directory = await aFolder();
  const reason = new Error('enough');
  await expect(start({ launch: 'fails' }, { directory })).rejects.toMatchObject({
    code: 'launch-failed',
  });
  await expect(start({ launch: 'hangs' }, { directory, timeoutMs: 20 })).rejects.toMatchObject({
    code: 'timed-out',
  });
  const signal = AbortSignal.abort(reason);
  await expect(start({}, { directory, signal })).rejects.toBe(reason);
  const device = { headless: false };
  const display = () => Promise.reject(reason);
  if (process.platform === 'linux') {
    await expect(start({}, { directory, device, display })).rejects.toBe(reason);
  }
  expect(await readdir(directory)).toEqual([]);
});

test('a browser that refuses to close, or hangs, is ended all the same', async () => {
  for (const close of ['fails', 'hangs'] as const) {
    const { session, directory } = await start({ close }, { closeMs: 20 });
    await session.close();
    expect(await readdir(directory)).toEqual([]);
  }
});

test('closing twice closes once', async () => {
  const { session, driver } = await start();
  await Promise.all([session.close(), session.close()]);
  expect(driver.events).toEqual(['launch', 'close']);
});

test('a session that leaves something behind says so after everything else was done', async () => {
  test.skip(process.getuid?.() === 0, 'nothing can be forbidden to root');
  const { session, driver, directory } = await start();
  const locked = join(driver.launches[0]!.profile, 'locked');
  await mkdir(locked);
  await writeFile(join(locked, 'file'), '');
  await chmod(locked, 0o500);
  await expect(session.close()).rejects.toThrow(/EACCES|EPERM/);
  expect(driver.events).toEqual(['launch', 'close']);
  const [left] = await readdir(directory);
  expect(left).toMatch(/^\.partial-/);
  await chmod(join(directory, left!, 'profile', 'locked'), 0o700);
});

test('opening and dying are passed on from the driver', async () => {
  const { session } = await start({ open: 'fails' });
  await expect(
    session.open('http://127.0.0.1:1/', { signal: never, timeoutMs: 1000 }),
  ).rejects.toMatchObject({ code: 'navigation-failed' });
  expect(session.processTree()).toEqual([]);
  await session.close();
});

test('passes the emulation of a device to the driver', async () => {
  const emulation = { descriptor: 'Pixel 7', cpuThrottling: 4 };
  const { session, driver } = await start({}, { device: { emulation } });
  expect(driver.launches[0]).toMatchObject({ emulation });
  await session.close();
});
