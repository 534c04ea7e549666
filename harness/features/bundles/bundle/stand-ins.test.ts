import { expect, test } from '@playwright/test';
import { causes, changedDevice } from '../../../core/analysis/causes.ts';
import type { Device, Presence, FoundDevice } from '../../../core/model/device.ts';
import { aDevice, aFoundDevice, aMissingDevice } from '../../../testing/builders.ts';
import type { BundleTarget } from './format.ts';
import {
  differencesOfTargets,
  foreignSettings,
  mergedBuilds,
  standInFor,
  type Surroundings,
} from './stand-ins.ts';

function found(id: string, version: string, overrides: Partial<Device> = {}): FoundDevice {
  const presence = aFoundDevice(id, overrides);
  const { target } = presence;
  const browser = { ...target.browser, version };
  return { ...presence, target: { ...target, browser, executable: `/opt/${id}` } };
}

function wanted(version: string, overrides: Partial<Device> = {}): BundleTarget {
  const device = aDevice('theirs', { automatic: false, ...overrides });
  return { device, browser: { name: device.browser, version } };
}

function here(presences: readonly Presence[], more: Partial<Surroundings> = {}): Surroundings {
  return { presences, logicalCores: 2, knownSettings: [], trust: false, ...more };
}

test('the build is ours, the settings and the driver are the bundle’s', () => {
  const target = wanted('156.0', { driver: 'puppeteer', headless: false });
  const standIn = standInFor(target, here([found('ours', '156.0', { driver: 'playwright' })]));
  expect(standIn).toEqual({
    kind: 'device',
    device: { ...target.device, executable: '/opt/ours' },
  });
});

test('prefers a build of the same version to one of the same driver', () => {
  const all = [
    found('newer', '157.0', { driver: 'puppeteer' }),
    found('other-driver', '156.0', { driver: 'open' }),
    found('same', '156.0', { driver: 'puppeteer' }),
  ];
  const executable = (presences: readonly Presence[]): string | undefined => {
    const standIn = standInFor(wanted('156.0', { driver: 'puppeteer' }), here(presences));
    return standIn.kind === 'device' ? standIn.device.executable : undefined;
  };
  expect(executable(all)).toBe('/opt/same');
  expect(executable(all.slice(0, 2))).toBe('/opt/other-driver');
  expect(executable(all.slice(0, 1))).toBe('/opt/newer');
});

test('no desktop replaces a phone, and the inventory chooses the phone', () => {
  const android = { browser: 'chrome', driver: 'appium' };
  const target = wanted('156.0', { ...android, phone: { platform: 'android' } });
  const desktop = found('desktop', '156.0', { browser: 'chrome' });
  expect(standInFor(target, here([desktop]))).toMatchObject({ kind: 'none' });
  const phone = { platform: 'android', udid: 'R58M1' } as const;
  const pixel = found('pixel', '155.0', { ...android, phone });
  expect(standInFor(target, here([desktop, pixel]))).toMatchObject({
    kind: 'device',
    device: { id: 'theirs', driver: 'appium', phone },
  });
});

test('prefers the same major version over a newer one, under any driver', () => {
  const newer = found('node24', '24.1.0', { browser: 'node', driver: 'program' });
  const kin = found('node22', '22.9.0', { browser: 'node', driver: 'other' });
  const target = wanted('22.1.0', { browser: 'node', driver: 'program' });
  const standIn = standInFor(target, here([newer, kin]));
  expect(standIn).toMatchObject({ kind: 'device', device: { executable: '/opt/node22' } });
});

test('names a product that is missing, or that no device has', () => {
  expect(standInFor(wanted('1'), here([aMissingDevice('chromium')]))).toEqual({
    kind: 'none',
    because: expect.stringMatching(/\bchromium.*not installed$/),
    remedy: 'apt-get install chromium',
  });
  expect(standInFor(wanted('1', { browser: 'safari' }), here([found('a', '1')]))).toMatchObject({
    because: expect.stringMatching(/\bsafari, .*no device/) as unknown,
  });
});

test('a program is only stood for by the program of that name', () => {
  const target = wanted('1', { id: 'tool', browser: 'program' });
  const other = found('other', '1', { browser: 'program' });
  expect(standInFor(target, here([other])).kind).toBe('none');
  expect(standInFor(target, here([found('tool', '1', { browser: 'program' })])).kind).toBe(
    'device',
  );
});

test('refuses a target with more cores than this machine has', () => {
  const standIn = standInFor(wanted('1', { cores: 8 }), here([found('a', '1')]));
  expect(standIn).toMatchObject({ because: expect.stringMatching(/\b8 cores.* 2$/) as unknown });
  expect(standInFor(wanted('1', { cores: 2 }), here([found('a', '1')])).kind).toBe('device');
});

test('shows a flag that names a program, refused unless trusted', () => {
  const evil = '--renderer-cmd-prefix=/bin/sh -c id';
  const target = wanted('1', { flags: [evil], environment: { LD_PRELOAD: '/tmp/x.so' } });
  const standIn = standInFor(target, here([found('a', '1')]));
  expect(standIn).toMatchObject({ kind: 'none' });
  expect(standIn.kind === 'none' ? standIn.because : '').toContain(
    `${evil}; environment LD_PRELOAD=/tmp/x.so`,
  );
  const trusting = here([found('a', '1')], { trust: true });
  expect(standInFor(target, trusting)).toMatchObject({ kind: 'device', device: { flags: [evil] } });
});

test('settings of the catalogue of causes or the inventory are trusted', () => {
  const known = [{ flags: ['--js-flags=--single-threaded-gc', '--js-flags=--no-opt --no-maglev'] }];
  const pick = { preferences: { 'dom.workers.maxPerDomain': 10000 } };
  const target = wanted('1', {
    flags: ['--js-flags=--no-opt --single-threaded-gc --no-maglev'],
    ...pick,
  });
  const presences = [found('a', '1', pick)];
  expect(standInFor(target, here(presences, { knownSettings: known })).kind).toBe('device');
});

test('a bundle can switch off every cause, alone and with others', () => {
  const changes = causes.flatMap((cause) => Object.values(cause.changes));
  const together = changes.reduce<Device>(
    (device, change, index) => changedDevice(device, String(index), change),
    aDevice('all'),
  );
  const alone = changes.map((change) => changedDevice(aDevice('one'), 'x', change));
  expect(changes.length).toBeGreaterThan(3);
  for (const device of [...alone, together]) expect(foreignSettings(device, changes)).toEqual([]);
});

test('settings are compared with their values, and script flags one by one', () => {
  const known = [
    { flags: ['--js-flags=--no-opt'], preferences: { a: 1 }, environment: { JSC_x: '0' } },
  ];
  const strange = {
    flags: ['--js-flags=--no-opt --expose-gc', '--no-opt', '--a'],
    preferences: { a: '1', b: true },
    environment: { JSC_x: '1' },
  };
  expect(foreignSettings(strange, known)).toEqual([
    '--js-flags=--expose-gc',
    '--no-opt',
    '--a',
    'preference a="1"',
    'preference b=true',
    'environment JSC_x=1',
  ]);
  expect(foreignSettings(known[0]!, known)).toEqual([]);
});

test('two builds that would be one here cannot be compared', () => {
  const [old, young] = [wanted('150.0', { id: 'old' }), wanted('156.0', { id: 'young' })];
  const same = [found('old', '156.0'), found('young', '156.0')];
  expect(mergedBuilds([old, young], same)).toMatch(/chromium 150\.0 .*156\.0.*both.*156\.0/);
  const two = [found('old', '149.0'), found('young', '156.0')];
  expect(mergedBuilds([old, young], two)).toBeNull();
  const twins = [wanted('150.0', { id: 'old' }), wanted('150.0', { id: 'young' })];
  expect(mergedBuilds(twins, same)).toBeNull();
});

test('names another version, and marks another major one', () => {
  const targets = [wanted('156.0.1', { id: 'a' }), wanted('156.0.1', { id: 'b' })];
  const presences = [found('a', '156.0.2'), found('b', '157.0.0')];
  expect(differencesOfTargets(targets, presences)).toEqual([
    expect.stringMatching(/^a .*\b156\.0\.2 here.*\b156\.0\.1$/),
    expect.stringMatching(/^b .*\b157\.0\.0 here.*\b156\.0\.1, .*major/),
  ]);
});

test('takes what a bundle withholds from the local device or names it', () => {
  const target = wanted('156.0', {
    flags: ['--api-key=<redacted>', '--no-opt', '<redacted>'],
    environment: { API_TOKEN: '<redacted>' },
    preferences: { 'a.password': '<redacted>' },
  });
  const settings = {
    flags: ['--api-key=mine', '--no-opt', 'my-program'],
    environment: { API_TOKEN: 'own' },
    preferences: { 'a.password': 'ours' },
  };
  expect(standInFor(target, here([found('ours', '156.0', settings)]))).toMatchObject({
    kind: 'device',
    device: settings,
  });
  for (const trust of [false, true]) {
    const without = here([found('ours', '156.0', { ...settings, environment: {} })], { trust });
    expect(standInFor(target, without)).toEqual({
      kind: 'none',
      because:
        'the bundle withholds what may be secrets of theirs: environment API_TOKEN=<redacted>',
      remedy: 'Give the same settings to ours in devices.json, with values of your own.',
    });
  }
});
