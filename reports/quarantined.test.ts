/** Trials that are kept and not counted: what a reader sees of their values. */
import { expect, test } from '@playwright/test';
import { renderComparison } from './comparison.ts';
import { comparisonText } from './comparison-text.ts';
import type { CaseRow, Findings } from '../harness/core/results/index.ts';
import { anExample } from './golden/example.ts';
import { parseData, visibleWords } from './golden/markup.ts';
import type { MeasuredCell } from './wording/difference.ts';

/** The first row alone, whose first target has these trials aside. */
function withAside(aside: Pick<MeasuredCell, 'quarantined' | 'fromQuarantined'>): Findings {
  const { rows, ...findings } = anExample();
  const [row] = rows;
  const cells = row!.cells.map((cell, i) =>
    cell.kind === 'measured' && i === 0 ? { ...cell, ...aside } : cell,
  );
  return { ...findings, rows: [{ ...row!, cells }] };
}

function stripsOf(page: string): readonly string[] {
  return [...page.matchAll(/<svg class="s .*?<\/svg>/gs)].map(([strip]) => strip);
}

/** The third path of a strip, after its band and its median. */
const dots = (strip: string | undefined): number =>
  [...([...(strip ?? '').matchAll(/<path d="([^"]*)"/g)][2]?.[1] ?? '').matchAll(/z/g)].length;
const rings = (strip: string | undefined): number =>
  [...(/class="q" d="([^"]*)"/.exec(strip ?? '')?.[1] ?? '').matchAll(/M/g)].length;

test('quarantined trials are hollow dots among the others, and the text explains them', async () => {
  const page = await renderComparison(withAside({ quarantined: [11, 12] }));
  const [first, second] = stripsOf(page);
  expect([rings(first), rings(second)]).toEqual([2, 0]);
  expect(dots(first)).toBeGreaterThan(0);
  const words = visibleWords(page);
  expect(words).toContain('Chromium 2 excluded');
  expect(words).toMatch(/hollow: excluded.{0,9}no verdict/);
  const none = visibleWords(await renderComparison(withAside({})));
  expect(none).not.toContain('hollow: excluded');
});

test('where no trial counts, all dots are hollow, and each value is there once', async () => {
  const cell = anExample().rows[0]!.cells[0]! as MeasuredCell;
  const findings = withAside({ quarantined: cell.values, fromQuarantined: true });
  const page = await renderComparison(findings);
  const [first] = stripsOf(page);
  expect([dots(first), rings(first)]).toEqual([0, 9]);
  expect(visibleWords(page)).toContain('Chromium all 9 excluded');
  expect(visibleWords(page)).toMatch(/18 values.{0,9} 9 .{0,9}excluded/);
  expect(comparisonText(findings)[0]!.rows[0]!.at(-1)).toBe('9, all excluded');
});

test('the title and first screen say when only CPU time counts', async () => {
  const cell = anExample().rows[0]!.cells[0]! as MeasuredCell;
  const { rows, verdicts, ...findings } = withAside({
    quarantined: cell.values,
    fromQuarantined: true,
  });
  const [pair] = verdicts.pairs;
  const besideOthers = {
    ...pair!,
    metric: 'CPU time',
    verdict: 'equivalent',
    ratio: 0.997,
    low: 0.912,
    high: 1.06,
    blocks: 8,
  } as const;
  const page = await renderComparison({
    ...findings,
    rows: [{ ...rows[0]!, cells: [rows[0]!.cells[0]!] }],
    verdicts: { ...verdicts, pairs: [] },
    besideOthers,
  });
  const words = visibleWords(page);
  expect(words).toContain('only CPU time counts');
  expect(words).toMatch(/equivalent by CPU time.{0,80}0\.997.{0,20}0\.91.{0,20}8 blocks/);
});

test('as many quarantined trials as clean ones are not all of them', async () => {
  const cell = anExample().rows[0]!.cells[0]! as MeasuredCell;
  const words = visibleWords(await renderComparison(withAside({ quarantined: cell.values })));
  expect(words).toContain('Chromium 9 excluded');
});

test('the embedded data have the values of quarantined trials, apart from the others', async () => {
  const findings = withAside({ quarantined: [11.123456789, 12] });
  const data = parseData(await renderComparison(findings)) as { readonly rows: readonly CaseRow[] };
  const [cell] = data.rows[0]!.cells as readonly MeasuredCell[];
  expect(cell!.quarantined).toEqual([expect.closeTo(11.123, 2), 12]);
  expect(cell!.values).toHaveLength(9);
});
