import { expect, test } from '@playwright/test';
import { aStudiesExample } from '../../../../reports/golden/studies-example.ts';
import { mergedStudies, studiesMarkdown } from './markdown.ts';

test('each published row stands before ours, with the verdicts behind', () => {
  const page = studiesMarkdown(aStudiesExample(), new Map()) ?? '';
  const lines = page.split('\n');
  const published = lines.findIndex((line) => line.startsWith('| **Firefox** (s), published |'));
  expect(lines[published]).toContain('| 3.9 (Windows) | 18.7 (Linux), 33.1 (macOS) |');
  expect(lines[published + 1]).toMatch(
    /^\| firefox \| \*\*1\.21\ss\*\* \(3\strials\) \| — \| — \|$/,
  );
  expect(page).toContain('| A3 | On Linux asyncFib is much faster in Chromium than in Firefox. |');
  expect(page).toContain('**confirmed**: direction confirmed, size open');
  expect(page).toContain('`npx crossfarm claims studies docs/studies.md 12` wrote this page.');
});

test('a cell whose trials all failed says so, as the source may have', () => {
  const example = aStudiesExample();
  const [table] = example.rebuilt ?? [];
  const [group] = table!.groups;
  const rows = [{ targetId: 'node', cells: [{ failed: 'out of memory', trials: 3 } as const] }];
  const rebuilt = [{ ...table!, columns: ['1000'], groups: [{ ...group!, rows }] }];
  expect(studiesMarkdown({ ...example, rebuilt }, new Map())).toMatch(
    /\| out of memory \(3\strials\) \|/,
  );
});

test("escapes a device's text and writes no page without studies", () => {
  const example = aStudiesExample();
  const [table] = example.rebuilt ?? [];
  const hostile = { ...table!, title: 'a|b <script>' };
  expect(studiesMarkdown({ ...example, rebuilt: [hostile] }, new Map())).toContain(
    'a\\|b &lt;script>',
  );
  expect(studiesMarkdown({ ...example, rebuilt: [] }, new Map())).toBeNull();
});

test('escapes mentions, links and cell ends in devices, suites and commands', () => {
  const example = aStudiesExample();
  const [table] = example.rebuilt ?? [];
  const [group] = table!.groups;
  const targetId = 'no | https://a.example @octo \u001b[2J';
  const rows = [{ targetId, cells: [null] }];
  const rebuilt = [{ ...table!, columns: ['1000'], groups: [{ ...group!, rows }] }];
  const [run] = example.runs;
  const runs = [{ ...run!, suite: '@octo/all', command: 'npx crossfarm `@octo` \u001b]0;x\u0007' }];
  const page = studiesMarkdown({ ...example, runs, rebuilt }, new Map()) ?? '';
  expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  expect(page).toContain('`` npx crossfarm `@octo`');
  expect(page.replaceAll(/`` .*? ``/g, '')).not.toMatch(/@octo|:\/\/a\.example/);
  expect(page).toContain('| no \\| https:\u2060//a.example @\u2060octo');
});

test("shows a picture after the source's chart and names only drawn ones", () => {
  const chart = {
    id: 'a3-both',
    title: 'Two curves',
    original: 'One rises.',
    kind: 'cores',
    calls: [],
  } as const;
  const charts = { ...aStudiesExample(), rebuiltCharts: [chart, { ...chart, id: 'a4-none' }] };
  const page = studiesMarkdown(charts, new Map([['a3-both', 'studies/a3-both.svg']])) ?? '';
  expect(page).toContain('One rises.\n\n![Two curves](studies/a3-both.svg)');
  expect(page).not.toContain('a4-none');
});

test('a claim that was never asked is named, without a verdict', () => {
  const example = aStudiesExample();
  const [asked] = example.claims ?? [];
  const open = { ...asked!, id: 'A4', run: null, verdict: 'inconclusive' as const };
  const page = studiesMarkdown({ ...example, claims: [asked!, open] }, new Map()) ?? '';
  expect(page).toContain('| A3 |');
  expect(page).not.toContain('| A4 |');
  expect(page).toMatch(/Not asked on this farm yet .*: A4\./);
});

test('takes each table from the last run that has it, names all', () => {
  const example = aStudiesExample();
  const [table] = example.rebuilt ?? [];
  const [run] = example.runs;
  const later = {
    ...example,
    runs: [{ ...run!, id: 13 }],
    rebuilt: [{ ...table!, note: 'Later.' }],
  };
  const page = studiesMarkdown(mergedStudies([example, later]), new Map()) ?? '';
  expect(page).toContain('npx crossfarm claims studies docs/studies.md 12 13');
  expect(page).toMatch(/^- Run 12 of .*\n- Run 13 of /m);
  expect(page).toContain('Later.');
  expect(page).not.toContain(table!.note);
});
