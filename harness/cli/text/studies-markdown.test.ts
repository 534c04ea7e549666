import { expect, test } from '@playwright/test';
import { aStudiesExample } from '../../../reports/golden/studies-example.ts';
import { studiesMarkdown } from './studies-markdown.ts';

test('each published row stands before ours, with the verdicts behind', () => {
  const page = studiesMarkdown(aStudiesExample()) ?? '';
  const lines = page.split('\n');
  const published = lines.findIndex((line) => line.startsWith('| **Firefox** (s), published |'));
  expect(lines[published]).toContain('| 3.9 (Windows) | 18.7 (Linux), 33.1 (macOS) |');
  expect(lines[published + 1]).toMatch(
    /^\| firefox \| \*\*1\.21\ss\*\* \(3\strials\) \| — \| — \|$/,
  );
  expect(page).toContain('| A3 | On Linux asyncFib is much faster in Chromium than in Firefox. |');
  expect(page).toContain('**confirmed**: direction confirmed, size open');
  expect(page).toContain('`npx farm report 12 --studies docs/studies.md`');
});

test('a cell whose trials all failed says so, as the source may have', () => {
  const example = aStudiesExample();
  const [table] = example.rebuilt ?? [];
  const [group] = table!.groups;
  const rows = [{ targetId: 'node', cells: [{ failed: 'out of memory', trials: 3 } as const] }];
  const rebuilt = [{ ...table!, columns: ['1000'], groups: [{ ...group!, rows }] }];
  expect(studiesMarkdown({ ...example, rebuilt })).toMatch(/\| out of memory \(3\strials\) \|/);
});

test('a text of a device is no markup, and a run without the studies has no page', () => {
  const example = aStudiesExample();
  const [table] = example.rebuilt ?? [];
  const hostile = { ...table!, title: 'a|b <script>' };
  expect(studiesMarkdown({ ...example, rebuilt: [hostile] })).toContain('a\\|b \\<script\\>');
  expect(studiesMarkdown({ ...example, rebuilt: [] })).toBeNull();
});
