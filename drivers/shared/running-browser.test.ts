import { expect, test } from '@playwright/test';
import { wrongProduct } from './running-browser.ts';

test('recognises the product by the version or user agent of the browser', () => {
  expect(wrongProduct('chrome', 'HeadlessChrome/156.0', 'ws://there:1/4f')).toBeNull();
  expect(
    wrongProduct('edge', 'Mozilla/5.0 … Chrome/156.0 Safari/537.36 Edg/156.0', 'ws://there:1/4f'),
  ).toBe(null);
  expect(
    wrongProduct('webkit', 'Mozilla/5.0 … AppleWebKit/605.1 Safari/605.1', 'ws://there:1/4f'),
  ).toBeNull();
  expect(wrongProduct('chromium', 'firefox/153.0', 'ws://there:1/4f')).toMatch(
    /ws:\/\/there:1 .*\bfirefox, not chromium$/,
  );
  expect(wrongProduct('chromium', 'Lynx', 'ws://there:1/4f')).toMatch(
    /ws:\/\/there:1 .*\bunknown browser, not chromium$/,
  );
});
