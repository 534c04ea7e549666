/** The pages of a gallery in a real Chromium, opened from disk: what `report --gallery` writes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { renderSweep } from '../../../reports/sweep.ts';
import { anEvidence } from '../../../reports/golden/evidence-example.ts';
import { aSweep } from '../../../reports/golden/sweep-example.ts';
import { useBrowser, useChromium, problemsOfAxe } from '../../../reports/golden/opened-page.ts';
import { expectHarmless, expectToFit } from '../../../reports/golden/page-tests.ts';
import { aMachine } from '../../testing/builders.ts';
import { farm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { aStoredHistory } from '../../testing/stored-history.ts';
import { claims } from './catalogue/index.ts';
import { renderClaims } from './claim-cards.ts';

const browser = useChromium();
const openPage = useBrowser(browser);

const widths = [1280, 768, 390, 320];

const claimsPage = renderClaims(
  claims.map((claim) => {
    const evidence = anEvidence({ verdict: claim.id === 'A4' ? 'refuted' : 'confirmed' });
    const run = { id: 7, startedAt: '2026-11-25T10:00:00.000Z', machine: aMachine };
    const answer = claim.id.startsWith('A') ? { evidence, run } : null;
    return { claim, command: `npx crossfarm reproduce ${claim.id}`, answer };
  }),
  { writtenAt: '2026-11-29T12:00:00Z', farmVersion: '1.0.0' },
);

for (const [name, markup] of [
  ['claims', claimsPage],
  ['a sweep', renderSweep(aSweep())],
] as const) {
  test(`${name}: nothing is loaded, axe finds nothing, and it fits every screen`, async () => {
    const opened = await openPage(markup);
    await expectHarmless(opened);
    expect(await problemsOfAxe(opened.page, 'light')).toEqual([]);
    await opened.page.emulateMedia({ colorScheme: 'dark' });
    expect(await problemsOfAxe(opened.page, 'dark')).toEqual([]);
    await expectToFit(opened.page, widths);
  });
}

const shown = (page: Page) => page.locator('.claim:visible');

test('claims are chosen by study and verdict, and the choice stands in the address', async () => {
  const { page } = await openPage(claimsPage);
  await page.getByLabel('Study').selectOption('A');
  await page.getByLabel('Verdict').selectOption('refuted');
  await expect(shown(page)).toHaveCount(1);
  await expect(page.locator('output')).toHaveText(`1 of ${String(claims.length)} claims`);
  expect(page.url()).toContain('#study=A&verdict=refuted');
  await page.reload();
  await expect(shown(page)).toHaveCount(1);
  // A tile leads to its card, also to a hidden one.
  await page.locator('.tile', { hasText: 'E1' }).click();
  await expect(page.locator('#claim-E1')).toBeInViewport();
});

test('the keyboard goes through the builds of a sweep, and Enter leads to the row', async () => {
  const { page } = await openPage(renderSweep(aSweep()));
  const [first, second] = [page.locator('.versions a').nth(0), page.locator('.versions a').nth(1)];
  await first.focus();
  await expect(first.locator('.words')).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(second).toBeFocused();
  await expect(first.locator('.words')).toBeHidden();
  await expect(second.locator('.words')).toContainText('chromium@115');
  await page.keyboard.press('Enter');
  expect(page.url()).toContain('#build-chromium-115');
});

test('the command writes pages that lead to each other, from disk', async () => {
  const [folder, database] = [await aFolder(), await aStoredHistory()];
  const out = join(folder, 'gallery');
  const { code, stderr } = await farm(folder, 'report', '--gallery', out, '--database', database);
  expect(code, stderr).toBe(0);
  const opened = await openPage(readFileSync(join(out, 'index.html'), 'utf8'));
  expect(await problemsOfAxe(opened.page, 'light')).toEqual([]);
  await expectHarmless(opened);
  await expectToFit(opened.page, widths);
  const { page } = opened;
  await page.goto(pathToFileURL(join(out, 'index.html')).href);
  await page.getByRole('link', { name: /published claims/ }).click();
  await expect(page.locator('h1')).toContainText('published claims');
  await page.goBack();
  await page.locator('.exhibit', { hasText: 'The first run' }).getByRole('link').click();
  await expect(page.locator('#comparison')).toBeAttached();
});
