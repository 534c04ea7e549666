import { renderComparison } from '../comparison.ts';
import { anUnsearchedExample } from '../golden/example.ts';
import { poisoned } from '../golden/hostile.ts';
import { aPairExample } from '../golden/pair-example.ts';
import { parsePage, type Part } from '../golden/parsed-page.ts';
import { aRunsExample } from '../golden/runs-example.ts';
import { comparisonText } from './comparison-text.ts';
import { expect, test } from '@playwright/test';

test('a terminal is shown the same medians and intervals as the report', async () => {
  const findings = anUnsearchedExample();
  const tables = comparisonText(findings);
  const report = (await renderComparison(findings)).replaceAll('\u00a0', ' ');
  expect(tables).toHaveLength(findings.rows.length);
  for (const { rows } of tables) {
    for (const [, median, interval] of rows) {
      if (interval === '') continue;
      expect(report).toContain(median!);
      expect(report).toContain(interval!.replace(/ \(.*/, ''));
    }
  }
});

test('one line says what it is the baseline of, and the others their verdict', () => {
  const findings = anUnsearchedExample();
  const words = comparisonText(findings).flatMap(({ rows }) => rows.map((row) => row[3]!));
  expect(words).toContain('baseline');
  expect(
    words.some((word) => /^(▲ faster|▼ slower|= equivalent|\? undecided) [\d.,]+×/.test(word)),
  ).toBe(true);
});

/** One line of the table as a reader sees it, what stands small in brackets. */
function lineOf(row: Part): readonly string[] {
  const [name, ...cells] = [...row.querySelectorAll('th, td')].map((cell) => {
    const small = cell.querySelector('small');
    if (small !== null) small.textContent = ` (${small.textContent})`;
    return cell.textContent.replace(/\s+/g, ' ').trim();
  });
  return [name ?? '', ...cells.slice(0, 2)];
}

for (const [what, findings] of [
  ['a run', anUnsearchedExample()],
  ['one pair', aPairExample()],
  ['two runs', aRunsExample()],
] as const) {
  test(`of ${what} a terminal is shown the verdicts, ratios and intervals of the same lines`, async () => {
    const page = parsePage(await renderComparison(findings));
    const tables = comparisonText(findings);
    const isDecided = tables.some(({ rows }) => rows.some((row) => /^[▲▼=] /.test(row[3]!)));
    expect(isDecided).toBe(true);
    tables.forEach(({ rows }, index) => {
      const lines = page.querySelectorAll(`#row-${String(index + 1)} tr:not(.g)`);
      const shown = [...lines].map(lineOf);
      expect(shown).toHaveLength(rows.length);
      rows.forEach(([, median, , relation], place) => {
        if (shown[place]!.length < 3) return;
        expect(shown[place]!.slice(1)).toEqual([median, relation]);
      });
    });
  });
}

test('a cell without a trial says why, and is not zero', () => {
  const findings = anUnsearchedExample();
  const missing = findings.rows
    .flatMap(({ cells }) => cells)
    .find(({ kind }) => kind === 'missing')!;
  if (missing.kind !== 'missing') throw new Error('the example has such a cell');
  const texts = comparisonText(findings).flatMap(({ rows }) => rows.map((row) => row[1]!));
  expect(texts).toContain(`— ${missing.why}`);
});

test('names bring no escape into the terminal', () => {
  const text = JSON.stringify(comparisonText(poisoned(anUnsearchedExample())));
  expect(text).not.toMatch(/\\u001b|\\u0000|\u202e/);
});
