import { withCentres } from '../harness/core/analysis/table.ts';
import { expect, test } from '@playwright/test';
import { renderComparison } from './comparison.ts';
import type { Findings } from '../harness/core/results/index.ts';
import { anExample, anUnsearchedExample } from './golden/example.ts';
import { poisoned } from './golden/hostile.ts';
import { aPairExample } from './golden/pair-example.ts';
import { parsePage, type Part } from './golden/markup.ts';
import { aRunsExample } from './golden/runs-example.ts';
import {
  comparisonText,
  leadText,
  overviewText,
  sidesText,
  strikingText,
  whyText,
} from './comparison-text.ts';

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

test('one line is marked as the baseline, and the others have their verdict', () => {
  const findings = anUnsearchedExample();
  const words = comparisonText(findings).flatMap(({ rows }) => rows.map((row) => row[3]!));
  expect(words).toContain('baseline');
  expect(
    words.some((word) => /^(▲ faster|▼ slower|= equivalent|\? undecided) [\d.,]+×/.test(word)),
  ).toBe(true);
});

test("shows each case's baseline level and the others relative to it", () => {
  const findings = anUnsearchedExample();
  const { columns, rows } = overviewText(findings)!;
  const tables = comparisonText(findings);
  expect(columns.slice(1)).toEqual(['Chromium', 'Firefox ESR', 'WebKitGTK']);
  expect(rows).toHaveLength(new Set(findings.rows.map(({ caseName }) => caseName)).size);
  rows.forEach(([, level, ...others], index) => {
    const baseline = tables[index]!.rows.find((row) => row[3] === 'baseline');
    expect(level).toBe(baseline?.[1] ?? '—');
    for (const other of others) {
      expect(other).toMatch(/^([▲▼] \S+(×| %) \w+|= same|\?\s≈ (\S+(×| %) \w+|the same)|—)$/);
    }
  });
});

test('names the surest large difference with the command that repeats it', () => {
  const striking = strikingText(anUnsearchedExample())!;
  expect(striking.sentence).toMatch(/^\S.*: .+ is .+ (faster|slower) \(.+\) than Chromium/);
  expect(striking.command).toMatch(
    /^npx crossfarm compare \S+ \S+ --bench \S+( --param \S+=\S+)*$/,
  );
});

test('the overview of one device has its values', () => {
  const findings = anUnsearchedExample();
  const [only] = findings.targets;
  const rows = findings.rows.map((row) => ({
    ...row,
    cells: row.cells.filter(({ targetId }) => targetId === only!.id),
  }));
  const verdicts = { ...findings.verdicts, baselineTargetId: only!.id, pairs: [] };
  const overview = overviewText({ ...findings, targets: [only!], rows, verdicts });
  expect(overview?.columns).toEqual(['', only!.name]);
  expect(overview?.rows[0]?.[1]).toMatch(/^[\d.]+\s(µs|ms|s)$/);
  expect(overviewText({ ...findings, targets: [only!], rows: [], verdicts })).toBeNull();
});

/** One line of the table as a reader sees it, small text in brackets. */
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
  test(`a terminal shows the verdicts, ratios and intervals of ${what}`, async () => {
    const page = parsePage(await renderComparison(findings));
    const tables = comparisonText(findings);
    const isDecided = tables.some(({ rows }) => rows.some((row) => /^[▲▼=] /.test(row[3]!)));
    expect(isDecided).toBe(true);
    tables.forEach(({ rows }, index) => {
      const lines = page.querySelectorAll(`#row-${String(index + 1)} > tr:not(.g, .unfold)`);
      const shown = [...lines].map(lineOf);
      expect(shown).toHaveLength(rows.length);
      rows.forEach(([, median, , relation], place) => {
        if (shown[place]!.length < 3) return;
        expect(shown[place]!.slice(1)).toEqual([median, relation]);
      });
    });
  });
}

/** Levels with units and the ratio of a sentence, as a reader would divide them. */
function dividedIn(text: string): { readonly divided: number; readonly ratio: number } {
  const units = { ns: 1e-6, µs: 1e-3, ms: 1, s: 1e3 };
  const levels = [...text.matchAll(/([\d.]+)\s(ns|µs|ms|s)\b/g)].map(
    ([, value, unit]) => Number(value) * units[unit as keyof typeof units],
  );
  const ratio = Number(/([\d.]+)×/.exec(text)?.[1]);
  return { divided: levels[0]! / levels[1]!, ratio };
}

/** The ratio of "is 3.1× slower", "is 49 % faster", "took 1.2× as long". */
function ratioIn(sentence: string): number {
  const took = /took ([\d.]+)×/.exec(sentence);
  if (took !== null) return Number(took[1]);
  const [, size, unit, word] = /is ([\d.]+)(×|\s%) (slower|faster)/.exec(sentence) ?? [];
  const isSlower = word === 'slower';
  if (unit === '×') return isSlower ? Number(size) : 1 / Number(size);
  return 1 + (isSlower ? 1 : -1) * (Number(size) / 100);
}

test('the two levels next to a ratio always divide to it', async () => {
  const findings = aPairExample();
  const { verdicts } = findings;
  const [pair] = verdicts.pairs;
  // The ratio says slower, the medians faster.
  const rows = findings.rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell) =>
      cell.kind === 'missing'
        ? cell
        : { ...cell, centre: cell.targetId === pair!.a.targetId ? 300 : 308 },
    ),
  }));
  const pairs = [{ ...pair!, ratio: 1.25 }];
  const contrary = {
    ...findings,
    rows: withCentres(rows, pairs),
    verdicts: { ...verdicts, pairs },
  };
  const sides = sidesText(contrary, pair!, pair!.metric);
  const printed = dividedIn(`${sides.a}, ${sides.b}, 1.25×`);
  expect(printed.divided).toBeCloseTo(1.25, 2);
  const page = parsePage(await renderComparison(contrary));
  const facts = [...page.querySelectorAll('.lead dl.facts dd')]
    .map((one) => one.textContent)
    .join();
  expect(dividedIn(`${facts} 1.25×`).divided).toBeCloseTo(1.25, 2);

  const many = anUnsearchedExample();
  const list = parsePage(await renderComparison(many)).querySelectorAll(
    '.lead figure tr, .lead li',
  );
  const sentences = [...list].map((one) => one.textContent).filter((one) => / against /.test(one));
  expect(sentences.length).toBeGreaterThan(0);
  for (const sentence of sentences) {
    const { divided } = dividedIn(sentence);
    expect(divided / ratioIn(sentence), sentence).toBeCloseTo(1, 1);
  }
});

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

/** The terminal text states differences and causes in the words of the report's first screen. */

/** The first screen without white space, of which markup has more than a sentence. */
async function firstScreen(findings: Findings): Promise<string> {
  const lead = parsePage(await renderComparison(findings)).querySelector('.lead');
  return (lead?.textContent ?? '').replace(/\s+/g, '');
}

for (const [what, findings, difference] of [
  ['a run', anExample(), /^▼ Firefox .*is \d.*× slower \(.* … .*\) in asyncFib/],
  ['one pair', aPairExample(), /^▼ slower .*took \d.*× as long as .* at every look, /],
  ['two runs', aRunsExample(), /^▼ .*, run 14 is \d.* % slower \(.*\) in /],
] as const) {
  test(`every sentence of ${what} is on the page, with its observations`, async () => {
    const blocks = await leadText(findings);
    const lines = blocks.flatMap((block) => block.lines);
    const page = await firstScreen(findings);
    // Facts have their name and text in columns there.
    for (const line of lines) expect(page).toContain(line.replace(/^([ab]):|\s+/g, '$1'));
    expect(blocks[0]).toEqual({ kind: 'heading', lines: ['In short'] });
    expect(lines.join('\n')).toMatch(/measured in/);
    expect(
      lines.some((line) => difference.test(line)),
      lines.join('\n'),
    ).toBe(true);
    expect(lines.some((line) => /Seen with it: |Nothing recorded says why/.test(line))).toBe(true);
    // Without a picture captions are left out.
    expect(lines.join('\n')).not.toMatch(/dashed|Hollow|stripe/);
  });
}

test('a listed difference has its numbers and observations below it', async () => {
  const items = (await leadText(anExample())).filter(({ kind }) => kind === 'item');
  const [claim, numbers] = items[0]!.lines;
  expect(claim).toContain('slower');
  expect(numbers).toMatch(/^\d.* against .*, \d+ blocks\. Seen with it: /);
});

test('a claim that fits comes with its command', async () => {
  const lines = (await leadText(anExample())).flatMap((block) => block.lines);
  expect(lines).toContainEqual(
    expect.stringMatching(/asyncFib .*Chromium .*Firefox.* npx crossfarm claims reproduce A3$/),
  );
});

test("shows observations with a single pair's difference, none for equivalent sides", async () => {
  const lines = (await whyText(aPairExample())).flatMap((block) => block.lines);
  expect(lines[0]).toMatch(/^Nothing recorded.*\(alike: /);
  const { verdicts, ...findings } = aPairExample();
  const pairs = verdicts.pairs.map((pair) => ({ ...pair, verdict: 'equivalent' as const }));
  expect(await whyText({ ...findings, verdicts: { ...verdicts, pairs } })).toEqual([]);
});

test('names bring neither an escape nor markup into the terminal', async () => {
  const lines = (await leadText(poisoned(anExample()))).flatMap((block) => block.lines);
  expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  expect(lines.length).toBeGreaterThan(3);
});

test('a run for a question has verdicts on its direction and its size', async () => {
  const asked = {
    title: 'Claim E2',
    sentence: 'two to three times as long',
    verdict: 'refuted' as const,
    headline: 'direction confirmed, size refuted (larger by a factor of 3.5): 10.5× (9.8 … 11.2)',
    unsettled: null,
  };
  const linesOf = async (findings: Findings) =>
    (await leadText(findings)).flatMap(({ lines }) => lines);
  const line = (await linesOf({ ...anExample(), asked })).find((one) => one.includes('E2'));
  expect(line).toMatch(/“two to three times as long”.* ✗ refuted/);
  expect(line).toContain(asked.headline);
  expect((await linesOf(anExample())).join(' ')).not.toContain('refuted');
});
