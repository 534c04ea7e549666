import { expect, test } from '@playwright/test';
import type { Findings } from '../../harness/core/results/index.ts';
import { renderCase, renderComparison } from '../comparison.ts';
import { anExample } from '../golden/example.ts';
import { parsePage, visibleWords } from '../golden/markup.ts';
import { aVersionsExample } from '../golden/versions-example.ts';
import { makeAxes, makeRatioAxis } from '../html/duel.ts';
import { isMeasured } from '../wording/difference.ts';

const payload = '<img src=x onerror=alert(1)>';

/** The words of each line of the tables. */
async function readRows(findings: Findings): Promise<readonly string[]> {
  const tables =
    (await renderComparison(findings)).match(/<table class="duel">[\s\S]*?<\/table>/g) ?? [];
  return tables.flatMap((table) =>
    [...table.matchAll(/<tr[\s\S]*?<\/tr>/g)].map(([row]) => readWords(row)),
  );
}

function readWords(markup: string): string {
  return markup
    .replace(/<svg[\s\S]*?<\/svg>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

test('the first screen has a line for each version in each browser', async () => {
  const rows = await readRows(aVersionsExample());
  expect(rows.filter((row) => /^(Chromium|Firefox)/.test(row))).toHaveLength(2);
  expect(rows.filter((row) => row.startsWith('old.html'))).toHaveLength(2);
  expect(rows.filter((row) => row.startsWith('new.html'))).toEqual([
    expect.stringMatching(/^new\.html 11\d ms ▼ 1\d % slower 1\.\d+–1\.\d+×/),
    expect.stringMatching(/^new\.html 2\d\d ms \? not decided, ≈ [\d.]+ % (slower|faster) so far/),
  ]);
});

test('a value about frames that no GPU drew says so', async () => {
  const example = aVersionsExample();
  const rows = example.rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell) =>
      isMeasured(cell) ? { ...cell, drawnBy: 'software' as const } : cell,
    ),
  }));
  const lines = await readRows({ ...example, rows });
  const heads = lines.filter((line) => /^(Chromium|Firefox)/.test(line));
  for (const line of heads) expect(line).toContain('drawn by software');
  expect((await readRows(example)).join()).not.toContain('drawn by');
});

test('the heading says what is decided, and what was seen of the rest', async () => {
  const page = await renderComparison(aVersionsExample());
  expect(visibleWords(page)).toMatch(
    /new\.html is 1\d % slower in Chromium; not decided in Firefox ESR \(≈ [\d.]+ % \w+ so far\)/,
  );
});

test('of several pages each is a table of its versions, and its trials lead to their page', async () => {
  const findings = onPage(aVersionsExample(), 'bench/sort.html');
  const rows = await readRows(findings);
  expect(rows.filter((row) => row.startsWith('new.html 11'))).toHaveLength(1);
  expect(visibleWords(await renderComparison(findings))).toContain(
    'bench/sort.html of new.html is 1',
  );
  const { caseName, metric, cells } = findings.rows[0]!;
  const [cell] = cells.filter(isMeasured);
  const trial = { caseName, metric, targetId: cell!.targetId, value: cell!.values[0]! };
  const { markup } = renderCase(findings, caseName, [{ ...trial, href: '/trials/7' }]);
  expect(markup).toContain('href="/trials/7"');
});

function onPage(findings: Findings, page: string): Findings {
  const rows = findings.rows.map((row) => ({
    ...row,
    label: `${row.label} ${page}`,
    parameters: { ...row.parameters, page },
  }));
  return { ...findings, rows };
}

test('a summary counts versions and browsers', async () => {
  const page = visibleWords(await renderComparison(aVersionsExample()));
  expect(page).toMatch(/2 versions of a page were measured in 2 browsers\. All 48 trials count\./);
});

test('every trial and every block is a mark with its value', async () => {
  const page = await renderComparison(aVersionsExample({ trials: 9 }));
  const titles = [...page.matchAll(/<circle[^>]*><title>([^<]*)/g)].map(([, words = '']) =>
    words.replace(/\s/g, ' '),
  );
  expect(titles.filter((words) => /^trial \d of 9: [\d.]+ ms$/.test(words))).toHaveLength(4 * 9);
  expect(titles.filter((words) => /^block \d: [\d.]+×$/.test(words))).toHaveLength(2 * 9);
});

test('CPU time by thread stands as one bar a version', async () => {
  const rows = await readRows(aVersionsExample());
  expect(rows.filter((row) => row.startsWith('CPU time by thread'))).toEqual([
    expect.stringMatching(/\d+ ms → \d+ ms, median trial/),
    expect.stringMatching(/\d+ ms → \d+ ms, median trial/),
  ]);
});

const settled = <T>(part: T): T & { low: number; high: number; isSettled: boolean } => ({
  ...part,
  low: 50,
  high: 71,
  isSettled: true,
});

const explained: NonNullable<Findings['explained']> = aVersionsExample()
  .rows.filter(({ label }) => label === 'new.html')
  .map(({ caseName, metric }) => ({
    targetId: 'chromium',
    caseName,
    against: 'old',
    metric,
    blocks: 12,
    fewestBlocks: 8,
    parts: [
      { name: 'firstByte', title: 'time to first byte', beforeMs: 30, afterMs: 29, changeMs: -1 },
      { name: 'loadDelay', title: 'resource load delay', beforeMs: 20, afterMs: 82, changeMs: 62 },
    ].map((part, i) =>
      i === 1 ? settled(part) : { ...part, low: null, high: null, isSettled: false },
    ),
    before: { element: payload, resource: null, event: null, frame: null },
    after: {
      element: 'img.hero',
      resource: `${payload}.png`,
      event: null,
      frame: {
        ms: 214,
        blockedMs: 160,
        trials: 12,
        of: 12,
        scripts: [
          { name: payload, invoker: 'BUTTON#go.onclick', ms: 180, layoutMs: 40, trials: 12 },
        ],
      },
    },
    lacks: [],
  }));

test('the browser’s explanation stands below the measure, and its names are text', async () => {
  const findings = { ...aVersionsExample(), explained };
  const rows = await readRows(findings);
  const [row] = rows.filter((one) => one.startsWith('parts of it'));
  expect(row).toContain('resource load delay +62 ms (50 … 71)');
  expect(row).toContain('time to first byte 30 → 29 ms, not settled');
  expect(row).toContain('longest frame 214 ms (none before), 180 ms of it in &lt;img');
  expect(row).toContain('called by BUTTON#go.onclick, 40 ms of that style and layout');
  const page = await renderComparison(findings);
  expect(page).not.toContain('<img');
  expect(() => parsePage(page)).not.toThrow();
  const bars = page.match(/<rect[^>]*class="part[^>]*>/g) ?? [];
  expect(bars).toHaveLength(4);
});

test('where no part is settled yet, the command that measures on stands there', async () => {
  const few = explained.map((one) => ({
    ...one,
    blocks: 6,
    parts: one.parts.map((part) => ({ ...part, low: null, high: null, isSettled: false })),
  }));
  const { runs: made, ...findings } = aVersionsExample();
  const command = 'npx crossfarm compare old.html new.html --seed 7';
  const runs = made.map((run) => ({ ...run, command }));
  const advised = await readRows({ ...findings, runs, explained: few });
  const id = String(runs[0]?.id);
  expect(advised.join('\n')).toContain(
    `2 more blocks may settle a part: npx crossfarm continue ${id}`,
  );
  // An imported run is not continued here.
  const closed = runs.map((run) => ({ ...run, isClosed: true as const }));
  const rows = await readRows({ ...findings, runs: closed, explained: few });
  expect(rows.join('\n')).not.toContain('continue');
});

test('each measure has its own table, and every version a line', async () => {
  const versions = { 'old.html': 100, 'new.html': 113, 'third.html': 80 };
  const page = await renderComparison(aVersionsExample({ versions, metrics: ['load', 'parse'] }));
  expect(page.match(/<table class="duel">/g)).toHaveLength(2);
  expect(visibleWords(page)).toMatch(
    /(load|parse) of third\.html is [\d.]+ % faster in Chromium; .*of 8 comparisons differ/,
  );
});

test('shows markup in the name of a version as text', async () => {
  const page = await renderComparison(
    aVersionsExample({ versions: { 'old.html': 100, [payload]: 113 } }),
  );
  expect(page).not.toContain('<img');
  expect(() => parsePage(page)).not.toThrow();
});

test('any other report has no table of versions', async () => {
  expect(await renderComparison(anExample())).not.toContain('class="duel"');
});

test('browsers that are alike share an axis', () => {
  const [one, other] = makeAxes([
    [100, 110],
    [120, 140],
  ]);
  expect(one).toEqual(other);
});

test('browsers far apart have axes on which 10 % is as long', () => {
  const [quick, slow] = makeAxes([
    [10, 11, 12],
    [1000, 1100],
  ]);
  expect(quick!.to / quick!.from).toBeCloseTo(slow!.to / slow!.from, 9);
  expect(slow!.from).toBeLessThan(1000);
  expect(slow!.to).toBeGreaterThan(1100);
});

test('one far trial does not squeeze all others together', () => {
  const usual = Array.from({ length: 20 }, (_, i) => 100 + i / 2);
  const [axis] = makeAxes([[...usual, 5000]]);
  expect(axis!.to).toBeLessThan(150);
});

test('values of 0 and below have a linear axis', () => {
  const [axis] = makeAxes([[-5, 0, 10]]);
  expect(axis).toEqual({ kind: 'linear', from: -5, to: 10 });
});

test('the axis of ratios holds 1 and the margin', () => {
  for (const ratios of [[1.3, 1.4], [0.5], [1, 1.001], []]) {
    const { from, to } = makeRatioAxis(ratios, 0.02);
    expect(from).toBeLessThan(1 / 1.02);
    expect(to).toBeGreaterThan(1.02);
  }
});
