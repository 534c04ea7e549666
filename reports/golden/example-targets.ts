import type { TargetFacts } from '../../harness/core/results/index.ts';

export const chromium: TargetFacts = {
  id: 'chromium',
  name: 'Chromium',
  status: 'found',
  driver: 'playwright',
  browser: { name: 'Chromium', version: '156.0.7204.49' },
  notes: [
    { label: 'clock', text: 'steps of 5 µs, cross-origin isolated' },
    { label: 'cores', text: 'says 2' },
  ],
};

export const firefox: TargetFacts = {
  id: 'firefox',
  name: 'Firefox ESR',
  status: 'found',
  driver: 'puppeteer',
  browser: { name: 'Firefox', version: '153.0esr' },
  notes: [
    { label: 'clock', text: 'steps of 20 µs, cross-origin isolated' },
    { label: 'cores', text: 'says 2' },
  ],
};

export const webkit: TargetFacts = {
  id: 'webkitgtk',
  name: 'WebKitGTK',
  status: 'found',
  driver: 'webdriver',
  browser: { name: 'WebKitGTK', version: '2.50.1' },
  notes: [
    { label: 'clock', text: 'steps of 20 µs, cross-origin isolated' },
    { label: 'cores', text: 'says 4, the machine has 2' },
  ],
};

export const pixel: TargetFacts = {
  id: 'pixel',
  name: 'Pixel 9',
  status: 'missing',
  driver: 'appium',
  browser: null,
  reason: 'No Appium server answered at http://127.0.0.1:4723.',
  remedy: 'Start it with “npx appium”, connect the phone, and run “npx crossfarm devices”.',
  notes: [],
};
