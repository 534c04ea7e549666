import { expect, test } from '@playwright/test';
import { comparisonText } from './comparison-text.ts';
import { renderComparison } from './comparison.ts';
import { anExample } from './golden/example.ts';
import { poisoned } from './golden/hostile.ts';

test('a terminal is shown the same medians and intervals as the report', async () => {
  const findings = anExample();
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
  const findings = anExample();
  const words = comparisonText(findings).flatMap(({ rows }) => rows.map((row) => row[3]!));
  expect(words).toContain('baseline');
  expect(
    words.some((word) => /^(▲ faster|▼ slower|= equivalent|\? undecided) [\d.,]+×/.test(word)),
  ).toBe(true);
});

test('a cell without a trial says why, and is not zero', () => {
  const findings = anExample();
  const missing = findings.rows
    .flatMap(({ cells }) => cells)
    .find(({ kind }) => kind === 'missing')!;
  if (missing.kind !== 'missing') throw new Error('the example has such a cell');
  const texts = comparisonText(findings).flatMap(({ rows }) => rows.map((row) => row[1]!));
  expect(texts).toContain(`— ${missing.why}`);
});

test('names bring no escape into the terminal', () => {
  const text = JSON.stringify(comparisonText(poisoned(anExample())));
  expect(text).not.toMatch(/\\u001b|\\u0000|\u202e/);
});
