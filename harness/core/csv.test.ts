import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { renderCsv } from './csv.ts';

test('separates fields by commas and rows by line ends; missing is empty', () => {
  expect(
    renderCsv([
      ['a', 'b', 'c'],
      [1, null, 0.25],
      ['', 'x y', 3],
    ]),
  ).toBe('a,b,c\n1,,0.25\n,x y,3\n');
});

test('commas, quotes and line ends stay inside their field', () => {
  expect(renderCsv([['a,b', 'say "hi"', 'two\r\nlines']])).toBe(
    '"a,b","say ""hi""","two\r\nlines"\n',
  );
});

const formulas = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  '=HYPERLINK("http://x","y")',
  '＝1',
];

for (const formula of formulas) {
  test(`${JSON.stringify(formula)} no longer acts as a formula`, () => {
    expect(renderCsv([[formula]])).toMatch(/^"?'/);
  });
}

test('negative numbers stay numbers', () => {
  expect(renderCsv([[-1.5, 1e-9, -0]])).toBe('-1.5,1e-9,0\n');
});

/** An independent reader, character by character, by RFC 4180. */
function read(text: string): string[][] {
  const rows: string[][] = [[]];
  let field = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (quoted && char === '"' && text[at + 1] === '"') {
      field += '"';
      at += 1;
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === ',' || char === '\n')) {
      rows.at(-1)!.push(field);
      field = '';
      if (char === '\n') rows.push([]);
    } else field += char;
  }
  return rows.slice(0, -1);
}

test('any texts come back as they were, aside from the apostrophe', () => {
  // Control characters are replaced, which the test below holds.
  const texts = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[^\P{C}\t\n]/gu, ''));
  const table = fc.array(fc.array(texts, { minLength: 1 }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(table, (rows) => {
      const back = read(renderCsv(rows)).map((row) =>
        row.map((field) => field.replace(/^'(?=[=+\-@\t\r＝＋－＠])/, '')),
      );
      // A text that began with an apostrophe and then a sign cannot be distinguished: no matter.
      const plain = rows.map((row) =>
        row.map((field) => field.replace(/^'(?=[=+\-@\t\r＝＋－＠])/, '')),
      );
      expect(back).toEqual(plain);
    }),
  );
});

test('control characters of a page reach no terminal @attack', () => {
  const text = renderCsv([['a\u001b[2Jb\u009b1mc\rd\u0007\u202e', 'two\r\nlines\t']]);
  expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]|\r(?!\n)/);
  expect(text).toContain('two\r\nlines\t');
});
