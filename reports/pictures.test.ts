/** The golden reports as pictures: what a change of stylesheet or script does to the eye. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { renderComparison } from './comparison.ts';
import { renderEvidence } from './evidence.ts';
import { anEvidence } from './golden/evidence-example.ts';
import { anExample } from './golden/example.ts';
import { useBrowser } from './golden/opened-page.ts';
import { aPairExample } from './golden/pair-example.ts';
import { aRunsExample } from './golden/runs-example.ts';

const openPage = useBrowser();

/** The fonts with which the pictures were approved: with others every line is somewhere else. */
const approved = fileURLToPath(new URL('golden/pictures/fonts.json', import.meta.url));

/** The families that the stylesheet asks for, as this machine answers them; null where nobody can say. */
function fontsHere(): Readonly<Record<string, string>> | null {
  const families = ['system-ui', 'sans-serif', 'monospace'];
  try {
    return Object.fromEntries(
      families.map((family) => [
        family,
        execFileSync('fc-match', [family], { encoding: 'utf8' }).trim(),
      ]),
    );
  } catch {
    return null;
  }
}

function whyNotComparable(): string | null {
  const here = fontsHere();
  if (here === null) return 'fc-match is not installed, so it is not known which fonts are used';
  const { updateSnapshots } = test.info().config;
  if (updateSnapshots === 'all' || updateSnapshots === 'changed') {
    writeFileSync(approved, `${JSON.stringify(here, null, 2)}\n`);
  }
  if (!existsSync(approved)) return `${approved} is not there`;
  const then = JSON.parse(readFileSync(approved, 'utf8')) as Readonly<Record<string, string>>;
  const other = Object.entries(then).find(([family, font]) => here[family] !== font);
  if (other === undefined) return null;
  const [family, font] = other;
  return `${family} is ${here[family] ?? 'unknown'} here, and the pictures were approved with ${font}`;
}

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
