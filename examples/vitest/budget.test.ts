/** The same in Vitest: npx vitest run --root examples/vitest */
import 'crossfarm/vitest';
import { expect, test } from 'vitest';
import { options } from '../options.js';

test('the new page is faster', { timeout: 10 * 60_000 }, async () => {
  const { OLD = 'old.html', NEW = 'new.html' } = process.env;
  await expect(NEW).toBeFaster(OLD, { by: 0.05, ...options });
});
