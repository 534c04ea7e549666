import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import type { Findings } from './findings.ts';
import { renderComparison } from './comparison.ts';
import { anExample, aRun } from './golden/example.ts';
import { aLargeExample } from './golden/large-example.ts';

const golden = fileURLToPath(new URL('golden/comparison.html', import.meta.url));

/** Text as a reader has it: no tags, one space for any white space, no style, script or data. */
function wordsOf(page: string): string {
  return page
    .replace(/<(style|script)[^>]*>.*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replace(/[\s\u00a0]+/g, ' ');
}

function dataOf(page: string): unknown {
  const text = /<script type="application\/json" id="findings">(.*?)<\/script>/s.exec(page)?.[1];
  return JSON.parse(text ?? '');
}

const nothing: Findings = {
  ...anExample(),
  runs: [],
  targets: [],
  benchmarks: [],
  rows: [],
  growth: [],
  cpu: [],
  troubles: [],
  cautions: [],
};

test('the representative report is the golden one', async () => {
  const page = await renderComparison(anExample());
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, page);
  const same = page === readFileSync(golden, 'utf8');
  expect(same, 'The report changed: look at it, then run with UPDATE_GOLDEN=1.').toBe(true);
});

test('the same findings give the same report', async () => {
  expect(await renderComparison(anExample())).toBe(await renderComparison(anExample()));
});

test('the first screen says what was measured, how it ended, and what differs how surely', async () => {
  const words = wordsOf(await renderComparison(anExample()));
  expect(words).toContain('13 cases of 2 benchmarks were measured on 3 targets: Chromium');
  expect(words).toContain('1 more target could not be found');
  expect(words).toMatch(/Firefox ESR took \d\.\d+× as long as WebKitGTK/);
  expect(words).toMatch(/The ratio lies between \S+× and \S+× with at least 92 % confidence/);
  expect(words).toContain('Chromium ran without its sandbox');
});

test('sections stand in the promised order', async () => {
  const page = await renderComparison(anExample());
  const ids = [...page.matchAll(/<h2 id="([^"]+)"/g)].map((match) => match[1]);
  expect(ids).toEqual([
    'in-short',
    'targets',
    'comparison',
    'growth',
    'cpu',
    'troubles',
    'environment',
    'method',
    'repeat',
    'data',
  ]);
});

test('a cell without trials says why, and an interval below 95 % says so', async () => {
  const words = wordsOf(await renderComparison(anExample()));
  expect(words).toContain('— every trial timed out after 60 s');
  expect(words).toContain('only 87 % sure');
  expect(words).toContain('no steady state in 4 of 9 trials');
});

test('overlapping intervals are not called a difference', async () => {
  const findings = anExample();
  const rows = findings.rows.slice(0, 1).map((row) => ({
    ...row,
    cells: row.cells.map((cell) =>
      cell.kind === 'measured' ? { ...cell, low: 1, high: 100 } : cell,
    ),
  }));
  const words = wordsOf(await renderComparison({ ...findings, rows }));
  expect(words).not.toContain('Largest differences');
  expect(words).toContain('they overlap, so no difference was shown there');
});

test('a stated baseline is what others are set against', async () => {
  const page = await renderComparison(anExample(), { baselineTargetId: 'firefox' });
  expect(wordsOf(page)).toContain('relative to Firefox ESR , the stated baseline');
  expect(page).toMatch(/Firefox ESR<\/bdi><\/th>\s*<td><b>[^<]*<\/b><\/td>\s*<td>1×<\/td>/);
});

test('where more is better, the larger value is the best', async () => {
  const findings = anExample();
  const rows = findings.rows
    .slice(0, 1)
    .map((row) => ({ ...row, direction: 'higher' as const, unit: 'ops/s', metric: 'rate' }));
  const words = wordsOf(await renderComparison({ ...findings, rows }));
  expect(words).toMatch(/WebKitGTK reached less than Firefox ESR , by a factor of 6\.\d+×/);
});

test('targets of one name are told apart by their ids', async () => {
  const findings = anExample();
  const targets = findings.targets.map((target) => ({ ...target, name: 'Firefox' }));
  expect(wordsOf(await renderComparison({ ...findings, targets }))).toContain(
    'Firefox (webkitgtk)',
  );
});

test('nothing at all still makes a page', async () => {
  const words = wordsOf(await renderComparison(nothing));
  expect(words).toContain('No target took part, so nothing was measured.');
  expect(words).toContain('There is no result to compare.');
  expect(words).toContain('No CPU reading is part of this report.');
  expect(words).toContain('None: no trial failed, timed out or was skipped.');
});

test('a run in which every target is missing says how to get them', async () => {
  const findings = anExample();
  const targets = findings.targets.map((target) => ({
    ...target,
    status: 'missing' as const,
    browser: null,
    reason: 'It is not installed.',
    remedy: `apt-get install ${target.id}`,
  }));
  const rows = findings.rows.map((row) => ({
    ...row,
    cells: targets.map(({ id }) => ({
      kind: 'missing' as const,
      targetId: id,
      why: 'not installed',
    })),
  }));
  const words = wordsOf(
    await renderComparison({ ...findings, targets, rows, growth: [], cpu: [] }),
  );
  expect(words).toContain('Nothing was measured: none of 4 targets was found.');
  expect(words).toContain('apt-get install webkitgtk');
  expect(words).toContain('— not installed');
});

for (const [status, says] of [
  ['running', 'was still going on when this was written'],
  ['interrupted', 'was interrupted'],
] as const) {
  test(`a ${status} run says how many trials have no outcome`, async () => {
    const cells = { planned: 100, completed: 40, failed: 1, timedOut: 0, skipped: 3 };
    const run = { ...aRun, status, finishedAt: null, cells };
    const words = wordsOf(await renderComparison({ ...anExample(), runs: [run] }));
    expect(words).toContain(`Run 12 ${says}: 56 of 100 planned trials have no outcome.`);
  });
}

test('points that a logarithmic axis cannot hold are left out and counted', async () => {
  const findings = anExample();
  const growth = findings.growth.map((chart) => ({
    ...chart,
    points: chart.points.map((point, i) => (i === 0 ? { ...point, y: 0, low: 0 } : point)),
  }));
  const words = wordsOf(await renderComparison({ ...findings, growth }));
  expect(words).toContain('1 of 30 points are not positive');
});

test('the embedded data hold every trial', async () => {
  const findings = anExample();
  const data = dataOf(await renderComparison(findings)) as Findings;
  const values = (of: Findings): number[] =>
    of.rows.flatMap((row) =>
      row.cells.flatMap((cell) => (cell.kind === 'measured' ? cell.values : [])),
    );
  const expected = values(findings);
  expect(values(data)).toHaveLength(expected.length);
  values(data).forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i]!, 4);
  });
  expect(data.cpu).toHaveLength(findings.cpu.length);
});

test('a report of 3 targets and 20 cases is far below 1 MB', async () => {
  const page = await renderComparison(aLargeExample({ targets: 3, cases: 20, trials: 10 }));
  expect(Buffer.byteLength(page)).toBeLessThan(600_000);
});

test('a report of 10 targets, 200 cases and 30 trials is at most 2 MB, and says what it leaves out', async () => {
  const page = await renderComparison(aLargeExample({ targets: 10, cases: 200, trials: 30 }));
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(2_000_000);
  expect(wordsOf(page)).toContain('Figures are drawn for the 7 cases whose targets differ most');
  expect(dataOf(page)).toMatchObject({ encoding: 'gzip+base64' });
});
