/** Holds a page to a budget in Playwright Test; in Jest `expect.extend(matchers)` is the same. */
import { expect as base, test } from '@playwright/test';
import { matchers } from 'crossfarm/matchers';
import { options } from './options.js';

const expect = base.extend(matchers);
test.setTimeout(10 * 60_000);

test('the new page is not slower by more than 20 %', async () => {
  const { OLD = 'old.html', NEW = 'new.html' } = process.env;
  const caller = { signal: AbortSignal.timeout(9 * 60_000) };
  await expect(NEW).not.toBeSlower(OLD, { by: '20%', ...options, caller });
});
