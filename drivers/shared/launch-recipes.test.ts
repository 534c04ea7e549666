import { chromium, expect, test } from '@playwright/test';
import { findInstalled } from '../conformance.ts';
import { chromiumFlags } from './launch-recipes.ts';

test('several --js-flags become one, because Chromium heeds only the last', () => {
  const flags = ['--js-flags=--expose-gc', '--mute-audio', '--js-flags=--single-threaded-gc'];
  const given = chromiumFlags({ flags, sandbox: true });
  expect(given.filter((flag) => flag.startsWith('--js-flags'))).toEqual([
    '--js-flags=--expose-gc --single-threaded-gc',
  ]);
  expect(given).toContain('--mute-audio');
});

test('a single --js-flags stays where it is', () => {
  const flags = ['--js-flags=--expose-gc', '--mute-audio'];
  expect(chromiumFlags({ flags, sandbox: true }).slice(-2)).toEqual(flags);
});

test("switches off the caller's features together with the farm's", () => {
  const given = chromiumFlags({ flags: ['--disable-features=One,Two'], sandbox: true });
  const off = given.filter((flag) => flag.startsWith('--disable-features='));
  expect(off).toEqual([expect.stringMatching(/=WebUIOmniboxPopup,.*,One,Two$/)]);
});

test('Chromium has no page but the one that is opened', async () => {
  const executablePath = findInstalled('/usr/bin/chromium');
  test.skip(executablePath === null, 'Chromium is not on this machine');
  const args = chromiumFlags({ flags: [], sandbox: process.getuid?.() !== 0 });
  const browser = await chromium.launch({ executablePath: executablePath!, args });
  try {
    const page = await browser.newPage();
    await page.goto('data:text/html,<title>ours</title>');
    // Those of its address bar are there as soon as the first page is (Chromium 156).
    const asked = await browser.newBrowserCDPSession();
    const { targetInfos } = await asked.send('Target.getTargets');
    expect(targetInfos.map(({ type }) => type)).toEqual(['page']);
  } finally {
    await browser.close();
  }
});
