import { expect, test } from '@playwright/test';
import { aDevice } from '../../testing/builders.ts';
import { makeRedaction } from './redact.ts';

const own = {
  home: '/home/ada',
  user: 'ada',
  host: 'adas-pc.fritz.box',
  temporary: '/tmp',
  here: '/home/ada/bench',
};

const redact = makeRedaction(
  aDevice('ada-pixel', {
    name: 'Pixel of Ada',
    browser: 'chrome',
    flags: ['--user-data-dir=/data/profile-7', '--headless'],
    environment: { TOKEN: 'hunter22' },
    phone: { platform: 'android', udid: 'R58M1234567' },
  }),
  own,
);

test('takes out what could name a person, a machine or a place @attack', () => {
  expect(redact('ada at adas-pc ran /home/ada/bench/x')).toBe('<name> at <name> ran <here>/x');
  expect(redact('Pixel of Ada (R58M1234567) refused hunter22')).toBe(
    '<device> (<setting>) refused <setting>',
  );
  expect(redact('no /home/bob/secret and C:\\Users\\bob\\secret')).toBe('no <home> and <home>');
  expect(redact('GET http://10.0.0.7:4723/session failed')).toBe('GET <address> failed');
  expect(redact('connect ECONNREFUSED 10.0.0.7:4723')).toBe('connect ECONNREFUSED <address>:4723');
  expect(redact('cannot open /srv/clients/acme/index.html')).toBe('cannot open <path>');
  expect(redact('write to ada.l@acme.example')).not.toContain('acme');
});

test('keeps what says why a device failed', () => {
  for (const text of [
    'SecurityError: The operation is insecure.',
    'chromedriver 131.0.6778.86 needs Chrome 131, and this is 130.0.0.0',
    'spawn /usr/bin/chromedriver ENOENT',
    'npm install -g appium@3.8.0',
    'Launching chrome by Appium took longer than 300 s',
    'Mozilla/5.0 (Linux; Android 14; Pixel 7) Chrome/131.0.0.0 Mobile Safari/537.36',
  ]) {
    expect(redact(text)).toBe(text);
  }
  expect(redact('http://127.0.0.1:41234/fib/?trial=abc was refused')).toBe(
    'http://127.0.0.1 was refused',
  );
});

test('keeps the usual name of a product', () => {
  const usual = makeRedaction(aDevice('chromium', { name: 'Chromium' }), own);
  expect(usual('Launching chromium failed')).toBe('Launching chromium failed');
});
