import { test, expect } from '@playwright/test';
import type { GuestReader } from '../../pages/protocol.d.ts';
import type { Benchmark } from '../model/case.ts';
import { aBenchmark } from '../testing/builders.ts';
import { readingOf, reasonAgainstExternalPage } from './external-page.ts';

const at = { kind: 'url', url: 'https://example.org/' } as const;
const reader: GuestReader = { by: 'global', name: 'score' };
const elsewhere: Benchmark = { ...aBenchmark, guest: { place: at, reader } };

test('a driver that cannot look into a page says so for a page at a URL, and for no other', () => {
  const blind = [{ name: 'evaluate', supported: false, because: 'nobody can look into it' }];
  const reason = reasonAgainstExternalPage({ benchmark: elsewhere, parameters: {} }, blind);
  expect(reason).toMatch(/page at a URL.*nobody can look into it$/);
  const sighted = [{ name: 'evaluate', supported: true }];
  expect(reasonAgainstExternalPage({ benchmark: elsewhere, parameters: {} }, sighted)).toBeNull();
  expect(reasonAgainstExternalPage({ benchmark: aBenchmark, parameters: {} }, blind)).toBeNull();
});

/** Evaluates the expression where these names are known, as in a page. */
function evaluate(expression: string, names: Readonly<Record<string, unknown>>): unknown {
  return new Function(...Object.keys(names), `return (${expression});`)(...Object.values(names));
}

test('a number or a list of numbers is a result; all else is none yet', () => {
  const read = (score: unknown): unknown => evaluate(readingOf(reader), { score });
  expect(read(42)).toEqual([42]);
  expect(read([1, 2])).toEqual([1, 2]);
  for (const nothing of [null, undefined, false, NaN, Infinity, '42', [], [1, 'x'], {}]) {
    expect(read(nothing)).toBeNull();
  }
});

test('a missing object is no result yet', () => {
  const late: GuestReader = { by: 'expression', expression: 'client.score' };
  expect(evaluate(readingOf(late), { client: undefined })).toBeNull();
  expect(evaluate(readingOf(late), { client: { score: 3 } })).toEqual([3]);
});

test('measured entries are a result once there are enough', () => {
  const entries = [{ duration: 2 }, { duration: 3 }];
  const performance = { getEntriesByName: (name: string) => (name === 'it"s' ? entries : []) };
  const read = (times?: number): unknown =>
    evaluate(readingOf({ by: 'measure', name: 'it"s', ...(times !== undefined && { times }) }), {
      performance,
    });
  expect(read()).toEqual([2, 3]);
  expect(read(2)).toEqual([2, 3]);
  expect(read(3)).toBeNull();
});
