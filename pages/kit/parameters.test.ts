import { test, expect } from '@playwright/test';
import { chooseParameters } from './parameters.js';

const declared = [
  { kind: 'choice', name: 'place', values: ['worker', 'main'], default: 'worker' },
  { kind: 'choice', name: 'fast', values: [true, false], default: false },
  { kind: 'integer', name: 'n', minimum: 1, maximum: 30, default: 20 },
] as const;

const choose = (query: string) => chooseParameters(declared, new URLSearchParams(query));

test('a page opened without a query has its defaults', () => {
  expect(choose('')).toEqual({ place: 'worker', fast: false, n: 20 });
});

test('a query changes what it names, in the declared type', () => {
  expect(choose('n=27&fast=true')).toEqual({ place: 'worker', fast: true, n: 27 });
});

for (const [query, sentence] of [
  ['n=31', 'n cannot be "31": it is an integer from 1 to 30.'],
  ['n=1e1', 'n cannot be "1e1"'],
  ['n=', 'n cannot be ""'],
  ['place=moon', 'place cannot be "moon": it is one of worker, main.'],
  ['m=1', 'There is no parameter "m". Known: place, fast, n.'],
] as const) {
  test(`refuses ?${query} with a sentence`, () => {
    expect(() => choose(query)).toThrow(sentence);
  });
}
