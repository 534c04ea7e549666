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
import { aRunsExample } from './golden/runs-example.ts';
import { aStudiesExample } from './golden/studies-example.ts';

const openPage = useBrowser();

/** Tall enough for the first sections and the comparison: whole pages would weigh four times as much. */
const screens = {
  wide: { viewport: { width: 1280, height: 2200 } },
  narrow: { viewport: { width: 320, height: 2600 } },
  dark: { viewport: { width: 1280, height: 2200 }, colorScheme: 'dark' },
} as const;

const reports = {
  comparison: () => renderComparison(anExample()),
  pair: () => renderComparison(aPairExample()),
  runs: () => renderComparison(aRunsExample()),
  evidence: () => renderEvidence(anEvidence()),
  night: () => renderComparison(aNightExample()),
  studies: () => renderComparison(aStudiesExample()),
} as const;

for (const [report, render] of Object.entries(reports)) {
  for (const [screen, options] of Object.entries(screens)) {
    test(`the ${report} report is as it was approved: ${screen}`, async () => {
      const why = whyNotComparable();
      test.skip(why !== null, why ?? '');
      const { page } = await openPage(await render(), { ...options, reducedMotion: 'reduce' });
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
}
