/**
 * Reports and the explorer as approved pictures: they show what a change of stylesheet or script does.
 * They are compared only where text is drawn as it was when they were approved.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { openStore } from '../harness/store/store.ts';
import { storeNight } from '../harness/testing/stored-history.ts';
import { renderComparison } from './comparison.ts';
import { renderEvidence } from './evidence.ts';
import { anEvidence } from './golden/evidence-example.ts';
import { anExample } from './golden/example.ts';
import { aNightExample } from './golden/night-example.ts';
import { useExplorer } from './golden/opened-explorer.ts';
import { useBrowser } from './golden/opened-page.ts';
import { aPairExample } from './golden/pair-example.ts';
import { aStudiesExample } from './golden/studies-example.ts';

/** The fonts with which the pictures were approved: others move every line. */
const approved = fileURLToPath(new URL('golden/pictures/fonts.json', import.meta.url));

/** The font of this machine for each family of the stylesheet; null without `fc-match`. */
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

/** Why pictures cannot be compared here; null if they can. `--update-snapshots` approves the fonts, too. */
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

/** How a picture is taken and compared. */
const shot = {
  animations: 'disabled',
  timeout: 60_000,
  // Another version of the browser draws the edges of letters a little differently.
  maxDiffPixelRatio: 0.01,
} as const;

test.beforeEach(() => {
  const why = whyNotComparable();
  test.skip(why !== null, why ?? '');
});

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
    const { page } = await openPage(await render(), {
      ...screens[screen],
      reducedMotion: 'reduce',
    });
    await page.locator('details:has(> summary #comparison)').evaluateAll((all) => {
      for (const one of all) one.setAttribute('open', '');
    });
    // The script has added what it adds.
    await page.locator('#download a').first().waitFor({ state: 'attached' });
    await expect(page).toHaveScreenshot(`${report}-${screen}.png`, shot);
  });
}

/** One night with blocks enough for verdicts. */
const aNight = async (): Promise<string> => {
  const path = test.info().outputPath('farm.db');
  const store = await openStore(path);
  await storeNight(store, { startedAt: '2026-11-20T00:00:00.000Z', blocks: 12 });
  await store.close();
  return path;
};

const explorerScreens = {
  wide: { viewport: { width: 1280, height: 1400 } },
  narrow: { viewport: { width: 320, height: 1600 } },
  dark: { viewport: { width: 1280, height: 1400 }, colorScheme: 'dark' },
} as const;

test.describe(() => {
  const { open } = useExplorer({ database: aNight });

  for (const [screen, options] of Object.entries(explorerScreens)) {
    test(`the explorer is as it was approved: ${screen}`, async () => {
      const page = await open('', { ...options, reducedMotion: 'reduce' });
      await expect(page.locator('.slower')).toHaveCount(6);
      await expect(page).toHaveScreenshot(`explorer-${screen}.png`, shot);
    });
  }
});
