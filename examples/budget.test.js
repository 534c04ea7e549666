/**
 * Holds a page to a budget in a test, with the matchers that the farm brings. This one is for
 * Playwright Test; in Vitest and Jest `expect.extend(matchers)` is the same.
 */
import { expect, test } from '@playwright/test';
import { compareVersions, matchers } from 'crossfarm';
import { options } from './options.js';

expect.extend(matchers);
test.setTimeout(10 * 60_000);

test('the new page is not slower by more than 20 %', async () => {
  const { OLD = 'old.html', NEW = 'new.html' } = process.env;
  const caller = { signal: AbortSignal.timeout(9 * 60_000), say: console.error };
  const compared = await compareVersions([OLD, NEW], options, caller);
  expect(compared).not.toBeSlower({ by: '20%' });
});
