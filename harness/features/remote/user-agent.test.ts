import { test, expect } from '@playwright/test';
import { claimedBrowser } from './attended-devices.ts';

const android = 'Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko)';
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

const agents: readonly [string, string, string | null, string | null][] = [
  [`${android} Chrome/128.0.6613.99 Mobile Safari/537.36`, 'chrome', '128.0.6613.99', 'android'],
  [
    `${android} SamsungBrowser/26.0 Chrome/122.0 Mobile Safari/537.36`,
    'samsung',
    '26.0',
    'android',
  ],
  [`${android} Chrome/128.0 Mobile Safari/537.36 EdgA/127.0.1`, 'edge', '127.0.1', 'android'],
  [
    'Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0',
    'firefox',
    '130.0',
    'android',
  ],
  [`${iphone} Version/17.4 Mobile/15E148 Safari/604.1`, 'safari', '17.4', 'ios'],
  [`${iphone} CriOS/128.0 Mobile/15E148 Safari/604.1`, 'webkit', '128.0', 'ios'],
  [
    'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
    'safari',
    '17.4',
    null,
  ],
  ['something else', 'program', null, null],
  ['', 'program', null, null],
];

for (const [agent, product, version, platform] of agents) {
  test(`"${agent.slice(-40)}" is ${product}`, () => {
    expect(claimedBrowser(agent)).toEqual({ product, version, platform });
  });
}
