import { expect, test } from '@playwright/test';
import { aFoundDevice, aMissingDevice } from '../../../testing/builders.ts';
import { drawDevices } from './device-text.ts';

/** Sets the colour, the title of the window, and the text before it upside down. */
const escapes = '\u001b[31mred\u001b[0m\u001b]0;owned\u0007\u202egnp.exe\u0007';

test('control characters in names and reasons of devices are left out', async () => {
  const missing = { ...aMissingDevice(`safari${escapes}`), reason: escapes, remedy: escapes };
  const found = aFoundDevice('chromium');
  const browser = { name: 'chromium', version: `1${escapes}` };
  const passedOver = [{ driver: 'webdriver' as const, reason: escapes }];
  const odd = { ...found, target: { ...found.target, browser }, passedOver };
  const drawn = await drawDevices([missing, odd], { isTTY: false, columns: 80 }, [
    {
      serial: `S1${escapes}`,
      state: 'device',
      model: `Pixel${escapes}`,
      android: '15',
      reason: escapes,
      remedy: escapes,
    },
  ]);
  // Whole sequences are gone, not their first character alone.
  expect(drawn).not.toMatch(/[\u0007\u202e]/);
  expect(drawn).not.toContain('[31m');
  expect(drawn).not.toContain('0;owned');
  expect(drawn).toContain('red');
  expect(drawn).toContain('Pixel');
});
