/** `farm run mine.html`. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';

async function aFarmWithPages() {
  const trial = pagesWith((page) => ({ 'measure:loop': page === 'mine.html' ? 5 : 8 }));
  const scene = await aFakeFarm({ trial });
  for (const name of ['mine.html', 'other.html']) {
    await writeFile(join(scene.folder, name), '<!doctype html>');
  }
  return scene;
}

interface RunFinished {
  readonly run: number;
  readonly cells: object;
}

test('a page of one’s own is measured in every browser, stored and reported', async () => {
  const { farm } = await aFarmWithPages();
  const run = await farm('run', 'mine.html', '--trials', '3', '--seed', '1');
  expect(run.code, run.stderr).toBe(0);
  expect(run.stdout).toMatch(/mine\.html.*5\.00 ms/);
  const { path } = JSON.parse((await farm('report', '--json')).stdout) as { path: string };
  expect(await readFile(path, 'utf8')).toContain('npx crossfarm run mine.html');
});

test('several pages are cases of one run, which its command repeats', async () => {
  const { farm } = await aFarmWithPages();
  const asked = ['run', 'mine.html', 'other.html', '--measure', 'measure:loop', '--trials', '2'];
  const run = await farm(...asked, '--device', 'one', '--json');
  const last = JSON.parse(run.stdout.split('\n').at(-1) ?? '') as RunFinished;
  expect(last, run.stderr).toMatchObject({ run: 1, cells: { planned: 4, completed: 4 } });
  const runs = JSON.parse((await farm('runs', '--json')).stdout) as readonly object[];
  expect(JSON.stringify(runs)).toContain('mine.html + other.html');
  const exported = JSON.parse((await farm('export', '--format', 'json')).stdout) as object;
  expect(JSON.stringify(exported)).toContain(
    'npx crossfarm run mine.html other.html --measure measure:loop --device one --trials 2',
  );
});

test('what cannot be measured is refused before a page is opened', async () => {
  const { farm, driver } = await aFarmWithPages();
  for (const [args, says] of [
    [['quick'], /quick is not an HTML file, folder or URL[^]*run --suite/],
    [['gone.html'], /gone\.html does not exist/],
    [['mine.html', '--device', 'on'], /no device "on"/],
    [['mine.html', '--bench', 'fib'], /--bench cannot be said of pages/],
    [['mine.html', '--isolation', 'tab'], /Unknown isolation "tab"/],
    [['mine.html', '--until', 'decided', '--device', 'one'], /nothing to decide/],
    [['mine.html', '--measure', 'a..b'], /not an expression of JavaScript/],
    [['--suite', 'quick', '--measure', 'lcp'], /about pages of your own, and none is named/],
  ] as const) {
    const run = await farm('run', ...args);
    expect(run.stderr).toMatch(says);
    expect(run.code, args.join(' ')).toBe(2);
  }
  expect(driver.launches).toEqual([]);
});
