import { expect, test } from '@playwright/test';
import type { Assertion } from '../../../core/model/question.ts';
import { aCase } from '../../../testing/builders.ts';
import { combineVerdicts, decideOutcome, type Outcome } from './outcome.ts';

interface Said {
  readonly expected: Assertion['expected'];
  /** Null where words alone were published. */
  readonly published?: readonly [low: number, high: number];
  readonly kind?: 'ratio' | 'level';
  readonly role?: Assertion['role'];
}

/** The outcome of an interval that is the same at both levels. */
function judged(said: Said, [low, high]: readonly [number, number]): Outcome {
  const arm = { deviceId: 'one', case: aCase() };
  const facts = {
    role: said.role ?? 'verdict',
    sentence: 'so it is',
    quantity: 'duration',
    expected: said.expected,
    published: {
      text: 'a number',
      low: said.published?.[0] ?? null,
      high: said.published?.[1] ?? null,
    },
  };
  const assertion: Assertion =
    said.kind === 'level'
      ? { ...facts, kind: 'level', of: arm }
      : { ...facts, kind: 'ratio', a: arm, b: arm };
  const measured = { value: Math.sqrt(low * high), low, high };
  return decideOutcome(assertion, { usual: measured, cautious: measured });
}

const slower: Said = { expected: { above: 1 }, published: [2, 3] };

test('refutes a direction only by an interval that lies wholly on the other side', () => {
  expect(judged(slower, [0.7, 0.98])).toMatchObject({ outcome: 'fails', direction: 'refuted' });
  expect(judged(slower, [0.71, 1.019])).toMatchObject({ outcome: 'open', direction: 'open' });
  expect(judged(slower, [1.01, 1.2])).toMatchObject({ outcome: 'holds', direction: 'confirmed' });
});

test('two sides within 2 % are equal: their direction stays open', () => {
  const equal = { outcome: 'open', direction: 'open', equal: true };
  expect(judged(slower, [0.985, 1.015])).toMatchObject(equal);
  expect(judged({ expected: { below: 1 } }, [0.985, 1.015])).toMatchObject(equal);
  expect(judged(slower, [0.97, 1.015]).equal).toBe(false);
  expect(judged(slower, [1.005, 1.015])).toMatchObject({ direction: 'confirmed', equal: false });
  expect(judged({ expected: { above: 2 } }, [0.99, 1.01])).toMatchObject({
    direction: 'refuted',
    equal: false,
  });
  expect(judged({ expected: { below: 1 }, kind: 'level' }, [0.99, 1.01]).equal).toBe(false);
});

test('a size is as published within a quarter, else smaller, larger or open', () => {
  expect(judged(slower, [9.8, 11.2])).toMatchObject({ direction: 'confirmed', size: 'larger' });
  expect(judged(slower, [1.7, 3.7]).size).toBe('as published');
  expect(judged(slower, [1.04, 1.51]).size).toBe('smaller');
  expect(judged(slower, [1.5, 3]).size).toBe('open');
  expect(judged({ expected: { above: 1 } }, [2, 3]).size).toBe('not published');
});

test('a sentence that states a size has its own size and a direction', () => {
  const twice: Said = { expected: { above: 1.5, below: 2.7 }, published: [1.96, 1.96] };
  expect(judged(twice, [1.55, 2.6])).toMatchObject({
    outcome: 'holds',
    direction: 'confirmed',
    size: 'as published',
  });
  expect(judged(twice, [1.1, 1.4])).toMatchObject({
    outcome: 'fails',
    direction: 'confirmed',
    size: 'smaller',
  });
  expect(judged(twice, [1.4, 2])).toMatchObject({ outcome: 'open', direction: 'confirmed' });
});

test('equality and a level between two bounds have a size and no direction', () => {
  const equal: Said = { expected: { above: 0.95, below: 1.05 } };
  expect(judged(equal, [0.96, 1.04])).toMatchObject({
    outcome: 'holds',
    direction: 'not published',
    size: 'as published',
    equal: false,
  });
  expect(judged({ ...equal, kind: 'level' }, [1.1, 1.2])).toMatchObject({
    outcome: 'fails',
    direction: 'not published',
    size: 'larger',
  });
  // An explanation has no size but a published one.
  expect(judged({ ...equal, role: 'explanation' }, [0.96, 1.04]).size).toBe('not published');
});

test('a level with one bound has a direction, and the published size', () => {
  const allCores: Said = { expected: { above: 1.8 }, published: [2, 2], kind: 'level' };
  expect(judged(allCores, [1.47, 1.52])).toMatchObject({
    outcome: 'fails',
    direction: 'refuted',
    size: 'smaller',
  });
  const underOne: Said = { expected: { below: 1 }, published: [0.95, 0.95], kind: 'level' };
  expect(judged(underOne, [0.05, 0.09])).toMatchObject({
    outcome: 'holds',
    direction: 'confirmed',
    size: 'smaller',
  });
});

test('one part refutes, and all together confirm', () => {
  expect(combineVerdicts(['confirmed', 'refuted', 'open'])).toBe('refuted');
  expect(combineVerdicts(['confirmed', 'not published'])).toBe('confirmed');
  expect(combineVerdicts(['confirmed', 'open'])).toBe('open');
  expect(combineVerdicts(['not published'])).toBe('not published');
});
