import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import type { TextBlock } from '../../../../reports/comparison-text.ts';
import { blocksText } from './text-blocks.ts';

const blocks: readonly TextBlock[] = [
  { kind: 'heading', lines: ['In short'] },
  { kind: 'paragraph', lines: ['Six cases were measured on two targets: Chromium, Firefox.'] },
  { kind: 'heading', lines: ['Largest differences'] },
  {
    kind: 'item',
    lines: ['Firefox took 1.8× as long as Chromium in fib n=20.', '1.6–2.0×, 12 blocks.'],
  },
];

const textOf = (columns?: number): string => stripVTControlCharacters(blocksText(blocks, columns));

test('prints each sentence as a line without a terminal', () => {
  expect(textOf().split('\n')).toEqual([
    'In short',
    'Six cases were measured on two targets: Chromium, Firefox.',
    '',
    'Largest differences',
    '- Firefox took 1.8× as long as Chromium in fib n=20.',
    '  1.6–2.0×, 12 blocks.',
  ]);
});

test('in a terminal no line is wider, and an entry stays below its mark', () => {
  const lines = textOf(30).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(30);
  expect(lines.slice(-3)).toEqual([
    '- Firefox took 1.8× as long as',
    '  Chromium in fib n=20.',
    '  1.6–2.0×, 12 blocks.',
  ]);
});

test('text of a page brings no escape into the terminal', () => {
  const hostile = [
    { kind: 'paragraph', lines: ['a\u001b]0;owned\u0007b\u001b[2Jc\u202ed'] },
  ] as const;
  expect(blocksText(hostile)).toBe('abc d');
});
