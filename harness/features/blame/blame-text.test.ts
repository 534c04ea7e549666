import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import { blameJson, blameMarkdown, describeBlame, describeInShort } from './blame-text.ts';
import type { BlameResult } from './measure-blame.ts';
import type { BlameRow } from './statistics/blame.ts';

function aResult(rows: readonly Partial<BlameRow>[], name = 'parseRow'): BlameResult {
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
          ['parseRow', { name, url: '/lib/table.js', line: 120, category: 'script' as const }],
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

test('a name of a page moves no cursor and makes no Markdown', () => {
  const hostile = aResult([{}], '\u001b[2J`<b>|\u202e');
  expect(describeBlame(hostile)).not.toContain('\u001b[2J');
  expect(blameMarkdown(hostile)).not.toContain('\u202e');
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
