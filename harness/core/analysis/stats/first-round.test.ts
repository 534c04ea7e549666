import { expect, test } from '@playwright/test';
import { mirroredRound, computeRoundEvidence } from './first-round.ts';

test('exchanging the sides mirrors the evidence of a first round', () => {
  const [a, b] = [
    [3, 4],
    [1, 2],
  ];
  const there = computeRoundEvidence({ blocks: 2, values: { a, b } });
  expect(there).not.toBeNull();
  if (there !== null) {
    expect(mirroredRound(there)).toEqual(
      computeRoundEvidence({ blocks: 2, values: { a: b, b: a } }),
    );
  }
});

test('sides that are not alike have no such evidence', () => {
  expect(computeRoundEvidence({ blocks: 5 })).toBeNull();
});

test('refuses too many values, or more of one side', () => {
  expect(() => computeRoundEvidence({ blocks: 1, values: { a: [1, 2], b: [1, 2] } })).toThrow(
    /first round/,
  );
  expect(() => computeRoundEvidence({ blocks: 3, values: { a: [1, 2], b: [1] } })).toThrow(
    /first round/,
  );
  expect(() => computeRoundEvidence({ blocks: 1, values: { a: [0], b: [1] } })).toThrow(/above 0/);
});
