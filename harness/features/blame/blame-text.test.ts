import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import { blameJson, blameMarkdown, describeBlame, describeInShort } from './blame-text.ts';
import type { BlameResult } from './measure-blame.ts';
import type { BlameRow } from './statistics/blame.ts';
import type { FunctionPlace } from './statistics/match-functions.ts';

function aResult(
  rows: readonly Partial<BlameRow>[],
  name = 'parseRow',
  place: Partial<FunctionPlace> = {},
): BlameResult {
  const row = { key: 'parseRow', beforeMs: 10, afterMs: 18.1 };
  const change = { changeMs: 8.1, low: 6.9, high: 9.4, isSettled: true, share: 0.74 };
  return {
    run: 7,
    command: 'npx crossfarm compare old.html new.html',
    profiledRuns: [8],
    alpha: 0.05,
    notProfiled: [],
    found: [
      {
        browser: 'chromium',
        page: null,
        before: 'old.html',
        after: 'new.html',
        blocks: 12,
        expectedMs: 11.2,
        shortFunctions: 3,
        total: { changeMs: 11, low: 10, high: 12, isDecided: true },
        rows: rows.map((one) => ({ ...row, ...change, ...one })),
        places: new Map([
          [
            'parseRow',
            { name, url: '/lib/table.js', line: 120, column: 9, category: 'script', ...place },
          ],
        ]),
      },
    ],
  };
}

const plainText = (result: BlameResult): string => stripVTControlCharacters(describeBlame(result));

test('names the function, its change with an interval, and its share of the difference', () => {
  expect(plainText(aResult([{}]))).toContain(
    'parseRow (table.js:120): +8.1 ms (6.9 … 9.4), 74 % of the difference\n  nothing else is settled',
  );
});

test('a share that rounds to nothing is said to be small', () => {
  expect(plainText(aResult([{ share: 0.002 }]))).toContain('below 1 % of the difference');
});

test('says that no function is settled, and does not name the first', () => {
  const nothing = aResult([{ isSettled: false, low: null, high: null, share: null }]);
  expect(plainText(nothing)).toContain('no function is settled');
  expect(plainText(nothing)).not.toContain('parseRow');
  expect(blameMarkdown(nothing)).toBe(
    'new.html in chromium: no function is settled after 12 blocks.',
  );
});

test('says where the profiled pages do not differ as those of the verdict did', () => {
  const [found] = aResult([{}]).found;
  const other = { ...aResult([]), found: [{ ...found!, expectedMs: -40 }] };
  expect(plainText(other)).toContain('the verdict was about −40 ms: has something changed since?');
  expect(plainText(aResult([{}]))).not.toContain('changed since');
});

test('says in short why no function is known', () => {
  const unknown = { isSettled: false, low: null, high: null, share: null };
  expect(describeInShort(aResult([unknown]))).toBe(
    'its function is not known: none is settled after 12 profiled blocks',
  );
  const why = ['firefox has trials without a profile: not tried'];
  expect(describeInShort({ ...aResult([]), found: [], notProfiled: why })).toBe(
    `its function is not known: ${why.join()}`,
  );
});

test('takes three lines of Markdown at most', () => {
  expect(blameMarkdown(aResult([{}, {}, {}, {}])).split('\n')).toHaveLength(3);
});

const hostile = '\u001b[2J`<b>|\u202e\n# @team';

for (const [what, result] of [
  ['name', aResult([{}], hostile)],
  ['source URL', aResult([{}], 'parseRow', { url: `https://a/${hostile}` })],
] as const) {
  test(`a ${what} of a page moves no cursor and makes no Markdown`, () => {
    const { inShort, lines } = blameJson(result) as Record<string, unknown>;
    for (const text of [describeBlame(result), String(inShort), ...(lines as readonly string[])]) {
      expect(text).not.toMatch(/\u001b\[2J|\u202e|^# /m);
    }
    const markdown = blameMarkdown(result);
    expect(markdown.split('\n')).toHaveLength(2);
    // In code, between more backticks than it has.
    expect(markdown).toMatch(/^- `` .*<b>.* ``: /m);
    expect(markdown).not.toContain('\u202e');
  });
}

test('a place on a long line of minified code has its column', () => {
  const minified = aResult([{}], 'n', { url: '/app.js', line: 1, column: 30_412 });
  expect(plainText(minified)).toContain('n (app.js:1:30412): +8.1 ms');
});

test('gives the rows as JSON', () => {
  expect(blameJson(aResult([{}]))).toMatchObject({
    run: 7,
    inShort: 'it is in parseRow (table.js:120), +8.1 ms (6.9 … 9.4)',
    functions: [{ name: 'parseRow', source: '/lib/table.js', line: 120, change: 8.1, share: 0.74 }],
    comparisons: [
      {
        version: 'new.html',
        functions: [{ name: 'parseRow (table.js:120)', changeMs: 8.1, settled: true }],
      },
    ],
  });
});
