import { expect, test } from '@playwright/test';
import { type Change, changeInShort, changeInWords } from './change.ts';

function words(change: Partial<Change>): string {
  return changeInWords({
    verdict: 'faster',
    ratio: 0.91,
    low: null,
    high: null,
    margin: 0.02,
    isTime: true,
    moreMinutes: null,
    ...change,
  });
}

for (const [says, change] of [
  ['9 % faster (6 … 12 %)', { low: 0.88, high: 0.94 }],
  ['9 % faster', {}],
  ['10 % slower (5 … 15 %)', { verdict: 'slower', ratio: 1.1, low: 1.05, high: 1.15 }],
  ['0.5 % slower (0.2 … 0.8 %)', { verdict: 'slower', ratio: 1.005, low: 1.002, high: 1.008 }],
  ['2.3× slower (2.0 … 2.6×)', { verdict: 'slower', ratio: 2.3, low: 2, high: 2.6 }],
  ['4.0× faster (3.3 … 5.0×)', { ratio: 0.25, low: 0.2, high: 0.3 }],
  ['30 % higher', { ratio: 1.3, isTime: false }],
  ['same within 2 %', { verdict: 'equivalent', ratio: 1.001 }],
  ['not decided', { verdict: 'undecided' }],
  ['not decided, ≈ 6 min more', { verdict: 'undecided', moreMinutes: 6.2 }],
  ['not decided, ≈ a minute more', { verdict: 'undecided', moreMinutes: 0.4 }],
  ['not decided, ≈ 3 h more', { verdict: 'undecided', moreMinutes: 180 }],
] as const satisfies readonly (readonly [string, Partial<Change>])[]) {
  test(`says “${says}”`, () => {
    expect(words(change)).toBe(says);
  });
}

test('a cell of a table has no interval', () => {
  expect(changeInShort({ verdict: 'slower', ratio: 6.9, isTime: true })).toBe('6.9× slower');
  expect(changeInShort({ verdict: 'equivalent', ratio: 1.001, isTime: true })).toBe('same');
  expect(changeInShort({ verdict: 'undecided', ratio: 3, isTime: true })).toBe('not decided');
});
