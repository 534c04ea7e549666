import { expect, test } from '@playwright/test';
import { describeDriver, findInstalled } from './conformance.ts';
import { playwrightDriver } from './playwright.ts';

describeDriver({
  driver: playwrightDriver,
  browser: 'chromium',
  executable: findInstalled('/usr/bin/chromium'),
});

test("a build of Playwright's own is told only where it is installed", async () => {
  const path = await playwrightDriver.ownBuild?.('webkit');
  expect(path === null || (typeof path === 'string' && findInstalled(path) === path)).toBe(true);
  expect(await playwrightDriver.ownBuild?.('edge')).toBeNull();
});
