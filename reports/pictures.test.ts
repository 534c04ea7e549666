/** The golden reports as pictures: what a change of stylesheet or script does to the eye. */
import { expect, test } from '@playwright/test';
import { renderComparison } from './comparison.ts';
import { renderEvidence } from './evidence.ts';
import { whyNotComparable } from './golden/approved-fonts.ts';
import { anEvidence } from './golden/evidence-example.ts';
import { anExample } from './golden/example.ts';
import { aNightExample } from './golden/night-example.ts';
import { useBrowser } from './golden/opened-page.ts';
import { aPairExample } from './golden/pair-example.ts';
import { aStudiesExample } from './golden/studies-example.ts';

const openPage = useBrowser();

/** Tall enough for the first sections and the comparison: whole pages would weigh four times as much. */
const screens = {
  wide: { viewport: { width: 1280, height: 2200 } },
  narrow: { viewport: { width: 320, height: 2600 } },
  dark: { viewport: { width: 1280, height: 2200 }, colorScheme: 'dark' },
} as const;

/** On every screen the one that shows most; of the others what only they have, once. */
const pictures = [
  ['comparison', 'wide', () => renderComparison(anExample())],
  ['comparison', 'narrow', () => renderComparison(anExample())],
  ['comparison', 'dark', () => renderComparison(anExample())],
  ['pair', 'wide', () => renderComparison(aPairExample())],
  ['evidence', 'wide', () => renderEvidence(anEvidence())],
  ['night', 'wide', () => renderComparison(aNightExample())],
  ['studies', 'wide', () => renderComparison(aStudiesExample())],
] as const;

for (const [report, screen, render] of pictures) {
  test(`the ${report} report is as it was approved: ${screen}`, async () => {
    const why = whyNotComparable();
    test.skip(why !== null, why ?? '');
    const { page } = await openPage(await render(), {
      ...screens[screen],
      reducedMotion: 'reduce',
    });
    // The script has added what it adds.
    await page.locator('#download a').first().waitFor();
    await expect(page).toHaveScreenshot(`${report}-${screen}.png`, {
      animations: 'disabled',
      timeout: 60_000,
      // Another version of the browser draws the edges of letters a little differently.
      maxDiffPixelRatio: 0.01,
    });
  });
}
