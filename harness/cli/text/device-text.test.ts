import { expect, test } from '@playwright/test';
import { aFoundDevice, aMissingDevice } from '../../testing/builders.ts';
import { printDevices } from './device-text.ts';
import type { Io } from '../io.ts';

/** Sets the colour, the title of the window, and the text before it upside down. */
const escapes = '\u001b[31mred\u001b[0m\u001b]0;owned\u0007\u202egnp.exe\u0007';

function anIo(): { readonly io: Io; readonly printed: () => string } {
  let printed = '';
  const stdout = {
    isTTY: false,
    write: (text: string) => {
      printed += text;
      return true;
    },
  };
  const io = { stdout, stderr: stdout, signal: new AbortController().signal };
  return { io: io as unknown as Io, printed: () => printed };
}

test('what devices are called, and why they are missing, moves no terminal', async () => {
  const { io, printed } = anIo();
  const missing = { ...aMissingDevice(`safari${escapes}`), reason: escapes, remedy: escapes };
  const found = aFoundDevice('chromium');
  const browser = { name: 'chromium', version: `1${escapes}` };
  const passedOver = [{ driver: 'webdriver' as const, reason: escapes }];
  const odd = { ...found, target: { ...found.target, browser }, passedOver };
  await printDevices([missing, odd], io, [
    {
      ...{ serial: `S1${escapes}`, state: 'device', model: `Pixel${escapes}`, android: '15' },
      ...{ reason: escapes, remedy: escapes },
    },
  ]);
  // Whole sequences are gone, not their first character alone.
  expect(printed()).not.toMatch(/[\u0007\u202e]/);
  expect(printed()).not.toContain('[31m');
  expect(printed()).not.toContain('0;owned');
  expect(printed()).toContain('red');
  expect(printed()).toContain('Pixel');
});
