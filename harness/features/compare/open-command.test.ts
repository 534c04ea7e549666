/** `farm mine.html`: a page once in every browser. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { FakeScript } from '../../../drivers/fake/fake.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';

const numbers = { load: 20, fcp: 30, lcp: 40, 'measure:loop': [1, 2, 3] };

async function aFarmWithPage(script: FakeScript = { trial: pagesWith(() => numbers) }) {
  const scene = await aFakeFarm({ devices: ['one', 'two'], ...script });
  for (const name of ['mine.html', 'other.html']) {
    await writeFile(join(scene.folder, name), '<!doctype html>');
  }
  return scene;
}

test('a page by its name is opened once in every browser, without a verdict', async () => {
  const { farm, driver } = await aFarmWithPage();
  const run = await farm('mine.html');
  expect(run.code, run.stderr).toBe(0);
  for (const id of ['one', 'two']) {
    expect(run.stdout).toMatch(
      new RegExp(`${id} .* 20.0 ms .* 30.0 ms .* 40.0 ms .* 2.00 ms \\(median of 3\\) .* none`),
    );
  }
  expect(run.stdout).toContain('One load each decides nothing.');
  expect(run.stdout).toContain('npx crossfarm compare one two --page mine.html');
  expect(run.stdout).toContain('npx crossfarm run mine.html');
  // One look, and then each browser once.
  expect(driver.launches).toHaveLength(3);
  expect((await farm('report')).stderr).toContain('No run was found');
});

test('two pages lead to their comparison, and JSON has every number', async () => {
  const { farm } = await aFarmWithPage();
  const run = await farm('mine.html', 'other.html', '--browsers', 'two', '--json');
  expect(run.code, run.stderr).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({
    pages: ['mine.html', 'other.html'],
    browsers: [
      {
        page: 'mine.html',
        device: 'two',
        status: 'opened',
        measures: [
          { metric: 'load', unit: 'ms', value: 20, times: 1 },
          { metric: 'fcp', value: 30 },
          { metric: 'lcp', value: 40 },
          { title: 'loop', value: 2, times: 3 },
        ],
        errors: [],
      },
      { page: 'other.html', device: 'two' },
    ],
    next: ['npx crossfarm compare mine.html other.html'],
  });
});

test("a page's errors are shown as text, and are no success", async () => {
  const hostile = 'gone\u001b[2J <b>x</b>';
  const { farm } = await aFarmWithPage({
    trial: pagesWith(
      () => numbers,
      () => [hostile],
    ),
  });
  const run = await farm('mine.html');
  expect(run.code).toBe(1);
  expect(run.stdout).toContain('mine.html in one: gone');
  expect(run.stdout).not.toContain('\u001b[2J');
});

test('refuses a page that fails, and an unknown word, with a sentence', async () => {
  const { farm } = await aFarmWithPage({ open: 'fails' });
  for (const [args, says] of [
    [['mine.html'], /mine\.html cannot be measured: .*told not to open/],
    [['gone.html'], /gone\.html does not exist/],
    [['mine.html', '--browsers', 'on'], /no device "on"[^]*Did you mean "one"/],
    [['mine.html', '--deadline', 'soon'], /duration such as 90/],
    [['devices.json'], /unknown command 'devices\.json'/],
    [['rnu'], /unknown command 'rnu'[^]*Did you mean run\?/],
  ] as const) {
    const run = await farm(...args);
    expect(run.code, args.join(' ')).toBe(2);
    expect(run.stderr).toMatch(says);
  }
});
