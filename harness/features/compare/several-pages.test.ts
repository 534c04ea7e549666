/** `farm compare old new --page 'bench/*.html'`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parsePage } from '../../../reports/golden/markup.ts';
import { aFakeFarm, type FakeFarm } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';

/** Two folders with pages, of which the new version's sort takes twice as long. */
async function aFarmWithPages(): Promise<FakeFarm> {
  const scene = await aFakeFarm({
    devices: ['chromium'],
    trial: pagesWith((version, page) => ({
      'measure:job': version === 'new' && page === 'bench/sort.html' ? 20 : 10,
      ...(page === 'bench/sort.html' && { 'measure:rest': 5 }),
    })),
  });
  for (const [version, pages] of [
    ['old', ['bench/sort.html', 'bench/walk.html', 'bench/notes.txt']],
    ['new', ['bench/sort.html', 'bench/walk.html', 'bench/fresh.html']],
  ] as const) {
    await mkdir(join(scene.folder, version, 'bench'), { recursive: true });
    for (const page of pages) await writeFile(join(scene.folder, version, page), '<!doctype html>');
  }
  return scene;
}

const all = ['compare', 'old', 'new', '--page', 'bench/*.html', '--seed', '1'];

test('several pages are one table, each with its own measures', async () => {
  const { folder, farm } = await aFarmWithPages();
  const run = await farm(...all, '--json', '--fail-on', 'slower');
  expect(run.code, run.stderr).toBe(1);
  expect(run.stderr).toContain('bench/fresh.html is only in new, so it is not compared');
  const { comparisons, command } = JSON.parse(run.stdout) as Answer;
  expect(comparisons).toMatchObject([
    { page: 'bench/sort.html', title: 'job', verdict: 'slower', firstValue: 10 },
    { page: 'bench/sort.html', title: 'rest', verdict: 'equivalent' },
    { page: 'bench/walk.html', title: 'job', verdict: 'equivalent', firstValue: 10, value: 10 },
  ]);
  expect(command).toContain("--page 'bench/*.html'");
  await farm('report', '1', '--out', 'report.html');
  const page = parsePage(await readFile(join(folder, 'report.html'), 'utf8'));
  const tables = [...page.querySelectorAll('.lead table caption b')];
  expect(tables.map(({ textContent }) => textContent)).toEqual([
    'bench/sort.html: job',
    'bench/sort.html: rest',
    'bench/walk.html: job',
  ]);
  const { stdout } = await farm('db', 'export', '1', '--format', 'junit');
  expect(stdout.match(/<testcase /g)).toHaveLength(3 + 4);
});

interface Answer {
  readonly command: string;
  readonly comparisons: readonly object[];
}

test('several pages stand in the table of the terminal and of Markdown', async () => {
  const { farm } = await aFarmWithPages();
  const text = await farm(...all, '--max-blocks', '8');
  expect(text.stdout).toMatch(/bench\/sort\.html: job .*old[^]*new .*100 % slower/);
  expect(text.stdout).toMatch(/bench\/walk\.html: job .*old[^]*new .*same within 2 %/);
  const markdown = await farm(...all, '--max-blocks', '8', '--markdown');
  expect(markdown.stdout).toMatch(/^\*\*new is 100 % slower .*bench\/sort\.html: job/);
});

for (const [title, args, says] of [
  ['a file', ['old/bench/sort.html', 'new/bench/sort.html'], /sort\.html is no folder/],
  ['a URL', ['old', 'http://localhost:1/'], /http:\/\/localhost:1\/ is a URL/],
  ['a package', ['old', 'x@1'], /x@1 is a package/],
] as const) {
  test(`several pages of ${title} are refused`, async () => {
    const { farm } = await aFarmWithPages();
    const run = await farm('compare', ...args, '--page', 'bench/*.html');
    expect(run.stderr).toMatch(says);
    expect(run.code).toBe(2);
  });
}

for (const [title, pattern, says] of [
  ['names none', 'gone/*.html', /names no HTML file in any version/],
  ['names none that both have', '*/f*.html', /names no page that all versions have/],
  ['leads out', '../*/*.html', /leads out of the folder/],
] as const) {
  test(`a pattern that ${title} is refused`, async () => {
    const { farm } = await aFarmWithPages();
    const run = await farm('compare', 'old', 'new', '--page', pattern);
    expect(run.stderr).toMatch(says);
    expect(run.code).toBe(2);
  });
}
