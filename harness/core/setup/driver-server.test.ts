import { test, expect } from '@playwright/test';
import { can, cannot, type Driver } from '../../../drivers/driver.ts';
import { fakeDriver } from '../../../drivers/fake/fake.ts';
import type { Emulation } from '../model/device.ts';
import { aDevice } from '../../testing/builders.ts';
import { findEmulationObstacle } from './driver-server.ts';

const able: Driver = {
  ...fakeDriver(),
  emulator: {
    descriptor: (browser) => (browser === 'firefox' ? cannot('it has no mobile mode') : can),
    cpuThrottling: (browser) => (browser === 'chromium' ? can : cannot('it is never slow')),
    descriptors: () => Promise.resolve(['Pixel 7', 'iPhone 15']),
  },
};

const pixel = { descriptor: 'Pixel 7' };

function obstacle(browser: string, emulation: Emulation, driver = able): Promise<unknown> {
  return findEmulationObstacle(aDevice('mine', { browser, emulation }), driver);
}

test('finds no obstacle to emulation by a capable driver, or without it', async () => {
  expect(await obstacle('chromium', { ...pixel, cpuThrottling: 4 })).toBeNull();
  expect(await findEmulationObstacle(aDevice('mine'), fakeDriver())).toBeNull();
});

test('gives the driver’s own reason for what it cannot emulate, and emulates nothing partly', async () => {
  expect(await obstacle('firefox', pixel)).toMatchObject({ reason: 'it has no mobile mode' });
  const slow = { ...pixel, cpuThrottling: 4 };
  expect(await obstacle('webkit', slow)).toMatchObject({ reason: 'it is never slow' });
  expect(await obstacle('chromium', pixel, fakeDriver())).toMatchObject({
    reason: 'the driver fake emulates nothing',
  });
});

test('a phone that is not in the list is refused with the nearest name', async () => {
  expect(await obstacle('chromium', { descriptor: 'Pixel7' })).toEqual({
    reason: 'there is no "Pixel7" to emulate',
    remedy: 'did you mean "Pixel 7"?',
  });
});
