import { test, expect } from '@playwright/test';
import { ClientRegistry } from './join/client-registry.ts';
import { Client } from './join/client.ts';
import { attendedDevices, idOf } from './attended-devices.ts';

test('a device is called what its owner calls it, and twins get numbers', () => {
  expect(idOf('Jané’s Pixel 7!', [])).toBe('jane-s-pixel-7');
  expect(idOf('Pixel', ['pixel', 'pixel-2'])).toBe('pixel-3');
  expect(idOf('电话', [])).toBe('device');
});

test('a joined device is an attended target, on a phone if so', async () => {
  const registry = new ClientRegistry({ inviteMs: 1000, now: () => 0 });
  const userAgent = 'Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0';
  const client = new Client({ secret: 's', name: 'My phone', userAgent });
  const { presences, driverOf } = attendedDevices([client], registry);
  expect(presences).toEqual([
    expect.objectContaining({
      status: 'found',
      device: expect.objectContaining({
        id: 'my-phone',
        name: 'My phone',
        browser: 'firefox',
        driver: 'attended',
        phone: { platform: 'android' },
      }),
      target: expect.objectContaining({
        browser: { name: 'firefox', version: '130.0' },
        executable: '',
      }),
    }),
  ]);
  const [presence] = presences;
  if (presence?.status !== 'found') throw new Error('it has joined');
  expect((await driverOf(presence.target)).name).toBe('attended');
});
