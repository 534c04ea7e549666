import { test, expect } from '@playwright/test';
import { aFoundDevice } from '../../../testing/builders.ts';
import { deviceFor } from './products.ts';

test('no emulated device stands for a product', () => {
  const pixel = aFoundDevice('pixel', { emulation: { descriptor: 'Pixel 7' } });
  expect(deviceFor('chromium', [pixel])).toBeNull();
  expect(deviceFor('chromium', [pixel, aFoundDevice('chromium')])?.device.id).toBe('chromium');
});
