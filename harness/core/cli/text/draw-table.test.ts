import { expect, test } from '@playwright/test';
import { stripVTControlCharacters } from 'node:util';
import { drawTable } from './draw-table.ts';

const head = ['device', 'status', 'what to know'];
const rows = [
  [
    'chromium',
    '\u001b[32mfound\u001b[39m',
    'it was passed over twice, and then it was not any more',
  ],
  ['firefox', 'missing', `/opt/${'a'.repeat(90)}/firefox is no file`],
];

async function linesAt(columns?: number): Promise<readonly string[]> {
  return stripVTControlCharacters(await drawTable({ head, rows }, columns)).split('\n');
}

test("a table never exceeds the terminal's width and loses no word", async () => {
  for (const columns of [120, 80, 60, 45]) {
    const lines = await linesAt(columns);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    const words = lines.join('\n').replace(/[│┌┐└┘├┤─┬┴┼\s]/g, '');
    for (const word of ['chromium', 'missing', 'passed', 'more']) expect(words).toContain(word);
    expect(words).not.toContain('…');
    expect(words.match(/a/g)!.length).toBeGreaterThanOrEqual(90);
  }
});

test('without a terminal nothing is wrapped, and in very few columns rows are lists', async () => {
  expect((await linesAt()).filter((line) => line.includes('firefox is no file'))).toHaveLength(1);
  const list = await linesAt(30);
  expect(list[0]).toBe('chromium');
  expect(list[1]).toBe('  status: found');
  expect(list.slice(2, 5)).toEqual([
    '  what to know: it was',
    '    passed over twice, and',
    '    then it was not any more',
  ]);
  const numbered = await drawTable({ head: ['run', 'name'], rows: [['7', 'a'.repeat(40)]] }, 20);
  expect(stripVTControlCharacters(numbered)).toMatch(/^run 7\n {2}name:/);
});
