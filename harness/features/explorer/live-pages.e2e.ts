import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { problemsOfAxe, useChromium } from '../../../reports/golden/opened-page.ts';
import { expectToFit } from '../../../reports/golden/page-tests.ts';
import { leftRunning, startFarm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

const browser = useChromium();

/** A page that times a loop of so many rounds. */
function timing(rounds: number): string {
  return `<!doctype html><title>x</title><script>
    performance.mark('from');
    let x = 0;
    for (let i = 0; i < ${String(rounds)}; i++) x = (x * 31 + i) | 0;
    globalThis.kept = x;
    performance.measure('loop', 'from');
  </script>`;
}

/** The address that a farm says on its stderr. */
function readAddress(farm: ReturnType<typeof startFarm>): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    farm.stderr.on('data', (chunk: Buffer) => {
      said += String(chunk);
      const [address] = /http:\/\/127\.0\.0\.1:\d+\/runs\/\d+/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
    void farm.then(() => {
      reject(new Error(`no address was said: ${said}`));
    });
  });
}

test('a comparison is watched block by block, until its report’s first screen', async () => {
  test.setTimeout(240_000);
  const folder = await aFolder();
  const hostile = 'new <img src=x onerror=owned=1>.html';
  await writeFile(join(folder, 'old.html'), timing(2_000_000));
  await writeFile(join(folder, hostile), timing(8_000_000));
  const farm = startFarm(
    folder,
    [
      ...['compare', 'old.html', hostile, '--browsers', 'chromium', '--open', '--no-probes'],
      ...['--measurement', 'fast', '--max-blocks', '12', '--margin', '0.1%'],
    ],
    { BROWSER: 'true' },
  );
  try {
    const address = await readAddress(farm);
    const page = await (await browser().newContext()).newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      // Its server ends with the run, and the page asks for it.
      const isOfEnd = message.text().includes('ERR_CONNECTION_REFUSED');
      if (message.type() === 'error' && !isOfEnd) complaints.push(message.text());
    });
    await page.goto(address);
    await expect(page.locator('#live')).toContainText(/trials? in \d+ blocks?/);
    // The strip of ratios is that of the farm's own newest look.
    await expect(page.locator('#found .duel-strip .same').first()).toBeVisible({
      timeout: 120_000,
    });
    await expect(page.locator('h1')).toContainText('slower');
    expect(await problemsOfAxe(page)).toEqual([]);
    await expectToFit(page, [1280, 390, 320]);
    await expect(page.locator('#live')).toContainText('has finished', { timeout: 120_000 });
    await expect(page.locator('#found .lead')).toContainText('versions of a page were measured');
    await expect(page.locator('#found img')).toHaveCount(0);
    expect(await problemsOfAxe(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect((await farm).exitCode).toBe(0);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    expect(leftRunning(folder)).toEqual([]);
  } finally {
    farm.kill('SIGINT');
    await farm;
  }
});

test('Ctrl-C ends a run that is watched, its page and its server', async () => {
  const folder = await aFolder();
  await writeFile(join(folder, 'old.html'), timing(2_000_000));
  await writeFile(join(folder, 'new.html'), timing(8_000_000));
  const sides = ['compare', 'old.html', 'new.html', '--browsers', 'chromium', '--no-probes'];
  const farm = startFarm(folder, [...sides, '--open'], { BROWSER: 'true' });
  const address = await readAddress(farm);
  const page = await (await browser().newContext()).newPage();
  await page.goto(address);
  await expect(page.locator('#live')).toContainText('is going on');
  farm.kill('SIGINT');
  await expect(page.locator('#live')).toContainText('has been interrupted');
  expect((await farm).exitCode).toBe(3);
  await expect(page.locator('#live')).toContainText('The server of this page has ended');
  await expect(page.locator('a[href^="/"]')).toHaveCount(0);
  await expect(fetch(address)).rejects.toThrow('fetch failed');
  expect(leftRunning(folder)).toEqual([]);
});
