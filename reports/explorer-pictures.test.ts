/** The explorer as pictures: what a change of stylesheet or script does to the eye. */
import { expect, test } from '@playwright/test';
import { openStore } from '../harness/store/store.ts';
import { storeNight } from '../harness/testing/stored-history.ts';
import { whyNotComparable } from './golden/approved-fonts.ts';
import { useExplorer } from './golden/opened-explorer.ts';

/** One night with blocks enough for verdicts. */
const aNight = async (): Promise<string> => {
  const path = test.info().outputPath('farm.db');
  const store = await openStore(path);
  await storeNight(store, { startedAt: '2026-11-20T00:00:00.000Z', blocks: 12 });
  await store.close();
  return path;
};

const { open } = useExplorer({ database: aNight });

const screens = {
  wide: { viewport: { width: 1280, height: 1400 } },
  narrow: { viewport: { width: 320, height: 1600 } },
  dark: { viewport: { width: 1280, height: 1400 }, colorScheme: 'dark' },
} as const;

for (const [screen, options] of Object.entries(screens)) {
  test(`the explorer is as it was approved: ${screen}`, async () => {
    const why = whyNotComparable();
    test.skip(why !== null, why ?? '');
    const page = await open('', { ...options, reducedMotion: 'reduce' });
    await expect(page.locator('.slower')).toHaveCount(6);
    await expect(page).toHaveScreenshot(`explorer-${screen}.png`, {
      animations: 'disabled',
      timeout: 60_000,
      // Another version of the browser draws the edges of letters a little differently.
      maxDiffPixelRatio: 0.01,
    });
  });
}
