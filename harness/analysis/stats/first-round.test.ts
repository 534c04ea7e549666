import { expect, test } from '@playwright/test';
import { mirroredRound, roundEvidenceOf } from './first-round.ts';

test('exchanging the sides mirrors the evidence of a first round', () => {
  const [a, b] = [
    [3, 4],
    [1, 2],
  ];
  const there = roundEvidenceOf({ blocks: 2, values: { a, b } });
  expect(there).not.toBeNull();
  if (there !== null) {
    expect(mirroredRound(there)).toEqual(roundEvidenceOf({ blocks: 2, values: { a: b, b: a } }));
  }
});

test('sides that are not alike have no such evidence', () => {
  expect(roundEvidenceOf({ blocks: 5 })).toBeNull();
});

test('refuses too many values, or more of one side', () => {
  expect(() => roundEvidenceOf({ blocks: 1, values: { a: [1, 2], b: [1, 2] } })).toThrow(
    /first round/,
  );
  expect(() => roundEvidenceOf({ blocks: 3, values: { a: [1, 2], b: [1] } })).toThrow(
    /first round/,
  );
  expect(() => roundEvidenceOf({ blocks: 1, values: { a: [0], b: [1] } })).toThrow(/above 0/);
});
