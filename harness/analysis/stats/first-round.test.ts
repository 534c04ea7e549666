import { expect, test } from '@playwright/test';
import { mirroredSpan, spanOf } from './first-round.ts';

test('allows the shifts between the nearest and the farthest trials of both sides', () => {
  const span = spanOf({ blocks: 3, values: { a: [3, 4, 5], b: [1, 2, 1.5] } });
  expect(span?.low).toBeCloseTo(Math.log(3 / 2), 12);
  expect(span?.high).toBeCloseTo(Math.log(5), 12);
  expect(Math.exp(span?.logWays ?? NaN)).toBeCloseTo(20, 9);
});

test('5 blocks have 252 orders', () => {
  const values = [1, 2, 3, 4, 5];
  const span = spanOf({ blocks: 5, values: { a: values, b: values } });
  expect(Math.exp(span?.logWays ?? NaN)).toBeCloseTo(252, 9);
});

test('exchanging the sides mirrors the span', () => {
  const [a, b] = [
    [3, 4],
    [1, 2],
  ];
  const there = spanOf({ blocks: 2, values: { a, b } });
  expect(there).not.toBeNull();
  if (there !== null) {
    expect(mirroredSpan(there)).toEqual(spanOf({ blocks: 2, values: { a: b, b: a } }));
  }
});

test('sides that are not alike have no span', () => {
  expect(spanOf({ blocks: 5 })).toBeNull();
});

test('refuses too many values, or more of one side', () => {
  expect(() => spanOf({ blocks: 1, values: { a: [1, 2], b: [1, 2] } })).toThrow(/first round/);
  expect(() => spanOf({ blocks: 3, values: { a: [1, 2], b: [1] } })).toThrow(/first round/);
  expect(() => spanOf({ blocks: 1, values: { a: [0], b: [1] } })).toThrow(/above 0/);
});
