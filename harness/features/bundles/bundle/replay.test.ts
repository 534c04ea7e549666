import { test, expect } from '@playwright/test';
import type { Question } from '../../../core/model/question.ts';
import { question as example } from '../../../testing/bundle-example.ts';
import { firstDifference, type AssertionNumbers, type Interval, type Numbers } from './format.ts';
import { compareNumbers } from './replay.ts';

const [ratio] = example.assertions;
const question: Question = { ...example, assertions: [ratio!], counterfactuals: [] };

function numbers(...assertions: readonly Partial<AssertionNumbers>[]): Numbers {
  const usual = { measured: null, blocks: 8, outcome: 'holds', size: 'open' } as const;
  return {
    verdict: 'confirmed',
    blocks: 8,
    assertions: assertions.map((one) => ({ ...usual, ...one })),
    counterfactuals: [],
  };
}

const interval = (low: number, high: number): Interval => ({ value: (low + high) / 2, low, high });

test('a claim that held there and holds here is reproduced', () => {
  const replay = compareNumbers(
    question,
    numbers({ measured: interval(5, 6) }),
    numbers({ measured: interval(5.5, 7) }),
  );
  expect(replay).toMatchObject({
    verdict: 'reproduced',
    reason: 'same direction; the sizes agree',
    assertions: [{ direction: 'same', size: 'same' }],
  });
});

test('a claim that failed there and fails here is reproduced, too: it stays refuted', () => {
  const failing = numbers({ outcome: 'fails' });
  expect(compareNumbers(question, failing, failing).verdict).toBe('reproduced');
});

test('the opposite is not reproduced, and the sentence names it', () => {
  const replay = compareNumbers(question, numbers({}), numbers({ outcome: 'fails' }));
  expect(replay.verdict).toBe('not-reproduced');
  expect(replay.reason).toMatch(/opposite.*Firefox takes longer/);
});

test('open here is inconclusive; open there cannot be reproduced', () => {
  const open = numbers({ outcome: 'open' });
  expect(compareNumbers(question, numbers({}), open)).toMatchObject({
    verdict: 'inconclusive',
    reason: expect.stringMatching(/not decided here.*Firefox takes longer$/) as unknown,
  });
  expect(compareNumbers(question, open, numbers({}))).toMatchObject({
    verdict: 'inconclusive',
    reason: expect.stringMatching(/bundle decided nothing/) as unknown,
  });
});

test('an assertion that was open there does not hinder the others', () => {
  const two: Question = { ...question, assertions: [ratio!, ratio!] };
  const there = numbers({}, { outcome: 'open' });
  expect(compareNumbers(two, there, numbers({}, { outcome: 'fails' })).verdict).toBe('reproduced');
});

test('explanations do not decide', () => {
  const explanation: Question = {
    ...question,
    assertions: [ratio!, { ...ratio!, role: 'explanation' }],
  };
  const here = numbers({}, { outcome: 'fails' });
  expect(compareNumbers(explanation, numbers({}, {}), here).verdict).toBe('reproduced');
});

const sizes: readonly [string, Interval, Interval, string][] = [
  ['intervals that overlap', interval(2, 3), interval(2.9, 4), 'same'],
  ['a larger ratio', interval(2, 3), interval(4, 5), 'larger'],
  ['a smaller ratio', interval(2, 3), interval(1.1, 1.9), 'smaller'],
  ['a ratio further below 1', interval(0.7, 0.8), interval(0.2, 0.3), 'larger'],
  ['a ratio nearer to 1', interval(0.2, 0.3), interval(0.7, 0.8), 'smaller'],
  ['no bounds yet', interval(2, 3), { value: 9, low: null, high: null }, 'open'],
];

for (const [what, there, here, size] of sizes) {
  test(`${what}: the size is ${size}, and the verdict stays`, () => {
    const replay = compareNumbers(
      question,
      numbers({ measured: there }),
      numbers({ measured: here }),
    );
    expect(replay.assertions[0]!.size).toBe(size);
    expect(replay.verdict).toBe('reproduced');
  });
}

test('names the first number that differs by more than its last digits', () => {
  const one = numbers({ measured: interval(2, 3) });
  expect(firstDifference(one, one)).toBeNull();
  expect(firstDifference(one, numbers({ measured: interval(2 + 1e-12, 3) }))).toBeNull();
  expect(firstDifference(one, numbers({ measured: interval(2.1, 3) }))).toBe(
    'assertions[0].measured.value',
  );
  expect(firstDifference(one, numbers({ measured: null }))).toBe('assertions[0].measured');
  expect(firstDifference(one, { ...one, verdict: 'refuted' })).toBe('verdict');
  expect(firstDifference(one, numbers())).toBe('assertions[0]');
});
