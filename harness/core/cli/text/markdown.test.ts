import { expect, test } from '@playwright/test';
import { codeCell, codeSpan, escapedMarkdown } from './markdown.ts';

const hostile: Readonly<Record<string, RegExp>> = {
  '@octo/all and a@b.example': /@(?!\u2060)/,
  'see &commat;octo and &#64;octo': /(?<!\\)&/,
  'closes #1 of o/r#2': /#\d/,
  'https://a.example www.a.example': /:\/\/|www\./,
  '[a](b) ![a](b) [a]: b <b> <!-- a': /(?<!\\)[[\]]|</,
  'a | b \\| c\n| d': /(?<!\\)(?:\\\\)*\||\n/,
  '*a* _a_ ~a~ `a`': /(?<!\\)[*_~`]/,
  '\u001b[2Ja\u001b]0;b\u0007 \u009b2J \u202ec\r': /[\u0000-\u001f\u007f-\u009f\u202e]/,
};

test('a foreign text is text and nothing else', () => {
  for (const [text, live] of Object.entries(hostile)) {
    expect(escapedMarkdown(text), text).not.toMatch(live);
  }
  expect(escapedMarkdown('chromium 156, n = 25 (–3 %)')).toBe('chromium 156, n = 25 (–3 %)');
});

test('code is fenced by more backticks than it has, without control characters', () => {
  expect(codeSpan('npx crossfarm compare a b')).toBe('`npx crossfarm compare a b`');
  expect(codeSpan('a ``b`` \u001b[2J@octo\n')).toBe('``` a ``b`` @octo  ```');
});

test('no pipe of a command ends its cell', () => {
  expect(codeCell('a | b')).toBe('`a \\| b`');
  expect(codeCell('a \\| b')).toBe('a \\\\\\| b');
});
