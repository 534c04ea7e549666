/**
 * Reports and the explorer as approved pictures: they show what a change of stylesheet or script does.
 * They are compared only where text is drawn as it was when they were approved.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { openStore } from '../harness/store/store.ts';
import { storeNight } from '../harness/testing/stored-history.ts';
import { renderComparison } from './comparison.ts';
import { renderEvidence } from './evidence.ts';
import { anEvidence } from './golden/evidence-example.ts';
import { anExample } from './golden/example.ts';
import { aNightExample } from './golden/night-example.ts';
import { useExplorer } from './golden/opened-explorer.ts';
import { openDetails, useBrowser } from './golden/opened-page.ts';
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

/** What a reader sees before scrolling, and somewhat more: whole pages would weigh four times as much. */
const screens = {
  wide: { viewport: { width: 1400, height: 1000 } },
  dark: { viewport: { width: 1400, height: 1000 }, colorScheme: 'dark' },
  medium: { viewport: { width: 768, height: 1000 } },
  narrow: { viewport: { width: 390, height: 1400 } },
} as const;

/** On every screen the one that shows most; of the others what only they have, once. */
const pictures = [
  ['comparison', 'wide', () => renderComparison(anExample())],
  ['comparison', 'dark', () => renderComparison(anExample())],
  ['comparison', 'medium', () => renderComparison(anExample())],
  ['comparison', 'narrow', () => renderComparison(anExample())],
  ['pair', 'wide', () => renderComparison(aPairExample())],
  ['evidence', 'wide', () => renderEvidence(anEvidence())],
  ['night', 'wide', () => renderComparison(aNightExample())],
  ['night', 'narrow', () => renderComparison(aNightExample())],
] as const;

/** The report has its script's additions. */
async function opened(report: string, screen: keyof typeof screens): Promise<Page> {
  const { page } = await openPage(report, { ...screens[screen], reducedMotion: 'reduce' });
  await page.locator('#download a').first().waitFor({ state: 'attached' });
  return page;
}

for (const [report, screen, render] of pictures) {
  test(`the ${report} report is as it was approved: ${screen}`, async () => {
    const page = await opened(await render(), screen);
    await expect(page).toHaveScreenshot(`${report}-${screen}.png`, shot);
  });
}

for (const [screen, part] of [
  ['wide', '#row-1'],
  ['narrow', '#row-1 .more > details'],
] as const) {
  test(`a case that is unfolded is as it was approved: ${screen}`, async () => {
    const page = await opened(await renderComparison(anExample()), screen);
    await openDetails(page, 'details:has(> summary #comparison), #row-1 .more > details');
    await expect(page.locator(part)).toHaveScreenshot(`case-${screen}.png`, shot);
  });
}

test('published tables are as they were approved', async () => {
  const page = await opened(await renderComparison(aStudiesExample()), 'wide');
  const section = page.locator('section[aria-labelledby=rebuilt]');
  await expect(section).toHaveScreenshot('studies-wide.png', shot);
});

test('all approved pictures together have at most two megabytes', () => {
  const folder = fileURLToPath(new URL('golden/pictures/', import.meta.url));
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(2_000_000);
});

/** One night with blocks enough for verdicts. */
const aNight = async (): Promise<string> => {
  const path = test.info().outputPath('farm.db');
  const store = await openStore(path);
  await storeNight(store, { startedAt: '2026-11-20T00:00:00.000Z', blocks: 12 });
  await store.close();
  return path;
};

const explorerScreens = {
  wide: { viewport: { width: 1400, height: 900 } },
  medium: { viewport: { width: 768, height: 900 } },
  narrow: { viewport: { width: 390, height: 1200 } },
  dark: { viewport: { width: 1400, height: 900 }, colorScheme: 'dark' },
} as const;

test.describe(() => {
  const { open, visit } = useExplorer({ database: aNight });

  for (const screen of ['wide', 'narrow', 'dark'] as const) {
    test(`the explorer is as it was approved: ${screen}`, async () => {
      const page = await open('', { ...explorerScreens[screen], reducedMotion: 'reduce' });
      await expect(page.locator('.slower')).toHaveCount(6);
      await expect(page).toHaveScreenshot(`explorer-${screen}.png`, shot);
    });
  }

  test('its first page is as it was approved', async () => {
    const page = await visit('/', { ...explorerScreens.medium, reducedMotion: 'reduce' });
    await expect(page.locator('.chip')).toHaveCount(1);
    await expect(page).toHaveScreenshot('home-medium.png', shot);
  });
});
