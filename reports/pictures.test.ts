/**
 * Reports and the explorer as approved pictures: they show what a change of stylesheet or script does.
 * They are compared only where text is drawn as it was when they were approved.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, type Locator, type Page } from '@playwright/test';
import { openStore } from '../harness/core/store/store.ts';
import { aFolder } from '../harness/testing/folder.ts';
import { storeNight } from '../harness/testing/stored-history.ts';
import { renderEvidence } from '../harness/features/claims/evidence-page.ts';
import { drawOnce } from './golden/draw-once.ts';
import { anEvidence } from './golden/evidence-example.ts';
import { anExample } from './golden/example.ts';
import { aNightExample } from './golden/night-example.ts';
import { useExplorer } from './golden/opened-explorer.ts';
import { openDetails, useBrowser, useChromium } from './golden/opened-page.ts';
import { aPairExample } from './golden/pair-example.ts';
import { aStudiesExample } from './golden/studies-example.ts';
import { aVersionsExample } from './golden/versions-example.ts';
import { renderWhole } from './golden/whole-report.ts';

/** With what the pictures were approved: other fonts move every line. */
const approved = fileURLToPath(new URL('golden/pictures/approved.json', import.meta.url));

interface Circumstances {
  /** The font for each family of the stylesheet. */
  readonly fonts: Readonly<Record<string, string>>;
  readonly chromium: string;
}

let known: Circumstances['fonts'] | null | undefined;

/** Null without `fc-match`, which is asked once. */
function fontsHere(): Circumstances['fonts'] | null {
  known ??= askForFonts();
  return known;
}

function askForFonts(): Circumstances['fonts'] | null {
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

/**
 * Compares what is shown with its approved picture, or says why that cannot be done here.
 * `--update-snapshots` approves the circumstances, too.
 */
async function expectPicture(page: Page, name: string, part: Page | Locator = page): Promise<void> {
  const fonts = fontsHere();
  test.skip(fonts === null, 'fc-match is not installed, so it is not known which fonts are used');
  const here = { fonts: fonts ?? {}, chromium: page.context().browser()?.version() ?? '' };
  const { updateSnapshots } = test.info().config;
  if (updateSnapshots === 'all' || updateSnapshots === 'changed') {
    writeFileSync(approved, `${JSON.stringify(here, null, 2)}\n`);
  }
  const then = JSON.parse(readFileSync(approved, 'utf8')) as Circumstances;
  const other = Object.entries(then.fonts).find(([family, font]) => here.fonts[family] !== font);
  test.skip(other !== undefined, `the pictures were approved with other fonts: ${String(other)}`);
  // A word has some hundred pixels. Another version draws the edges of letters a little differently.
  const tolerance =
    here.chromium === then.chromium ? { maxDiffPixels: 60 } : { maxDiffPixelRatio: 0.01 };
  const how = { animations: 'disabled', timeout: 60_000, ...tolerance } as const;
  // Both have the assertion, of which the types have one signature each.
  await ('goto' in part
    ? expect(part).toHaveScreenshot(name, how)
    : expect(part).toHaveScreenshot(name, how));
}

const browser = useChromium();
const openPage = useBrowser(browser);

/** The first screen and somewhat more: whole pages would weigh four times as much. */
const screens = {
  wide: { viewport: { width: 1400, height: 1000 } },
  dark: { viewport: { width: 1400, height: 1000 }, colorScheme: 'dark' },
  medium: { viewport: { width: 768, height: 1000 } },
  narrow: { viewport: { width: 390, height: 1400 } },
} as const;

const draw = drawOnce(renderWhole);
const example = anExample();
const night = aNightExample();

/** On every screen the one that shows most; of the others what only they have, once. */
const pictures = [
  ['comparison', 'wide', () => draw(example)],
  ['comparison', 'dark', () => draw(example)],
  ['comparison', 'medium', () => draw(example)],
  ['comparison', 'narrow', () => draw(example)],
  ['pair', 'wide', () => draw(aPairExample())],
  ['evidence', 'wide', () => renderEvidence(anEvidence())],
  ['night', 'wide', () => draw(night)],
  ['night', 'narrow', () => draw(night)],
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
    await expectPicture(page, `${report}-${screen}.png`);
  });
}

for (const [screen, part] of [
  ['wide', '#row-1'],
  ['narrow', '#row-1 .more > details'],
] as const) {
  test(`a case that is unfolded is as it was approved: ${screen}`, async () => {
    const page = await opened(await draw(example), screen);
    await openDetails(page, 'details:has(> summary #comparison), #row-1 .more > details');
    await expectPicture(page, `case-${screen}.png`, page.locator(part));
  });
}

for (const screen of ['wide', 'narrow'] as const) {
  test(`versions of a page are as they were approved: ${screen}`, async () => {
    const page = await opened(await draw(aVersionsExample()), screen);
    await expectPicture(page, `versions-${screen}.png`, page.locator('.duel'));
  });
}

test('published tables are as they were approved', async () => {
  const page = await opened(await draw(aStudiesExample()), 'wide');
  const section = page.locator('section[aria-labelledby=rebuilt]');
  await expectPicture(page, 'studies-wide.png', section);
});

test('all approved pictures together have at most two megabytes', () => {
  const folder = fileURLToPath(new URL('golden/pictures/', import.meta.url));
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(2_000_000);
});

/** One night with blocks enough for verdicts. */
const aNight = async (): Promise<string> => {
  const path = join(await aFolder(), 'farm.db');
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
  const { open, visit } = useExplorer({ database: aNight, browser });

  for (const screen of ['wide', 'narrow', 'dark'] as const) {
    test(`the explorer is as it was approved: ${screen}`, async () => {
      const page = await open('', { ...explorerScreens[screen], reducedMotion: 'reduce' });
      await expect(page.locator('.slower')).toHaveCount(6);
      await expectPicture(page, `explorer-${screen}.png`);
    });
  }

  test('its first page is as it was approved', async () => {
    const page = await visit('/', { ...explorerScreens.medium, reducedMotion: 'reduce' });
    await expect(page.locator('.chip')).toHaveCount(1);
    await expectPicture(page, 'home-medium.png');
  });
});
