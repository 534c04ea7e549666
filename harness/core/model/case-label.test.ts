import { expect, test } from '@playwright/test';
import { caseLabels, type LabelParts } from './case-label.ts';

function aPart(
  benchmark: string,
  parameters: LabelParts['parameters'],
  growth?: LabelParts['growth'],
): LabelParts {
  return { name: `${benchmark} ${JSON.stringify(parameters)}`, benchmark, parameters, growth };
}

const aFib = (name: string, n: number): LabelParts =>
  aPart('fib', { function: name, n, place: 'worker' }, { by: 'function', over: 'n' });

const labelsOf = (cases: readonly LabelParts[]): readonly string[] => [
  ...caseLabels(cases).values(),
];

test('a case is called by what differs between the cases of its benchmark', () => {
  const control = aPart('control', { rounds: 300_000, place: 'worker' });
  const hashes = [1, 2].map((threads) => aPart('hash', { calls: 9, threads }));
  expect(labelsOf([control, ...hashes])).toEqual(['control', 'hash(1)', 'hash(2)']);
});

test("names a curve's case by curve and place, also when alone", () => {
  expect(labelsOf([aFib('syncFib', 20)])).toEqual(['syncFib(20)']);
  expect(labelsOf([aFib('syncFib', 20), aFib('syncFib', 22)])).toEqual([
    'syncFib(20)',
    'syncFib(22)',
  ]);
  expect(labelsOf([aFib('syncFib', 20), aFib('asyncFib', 20)])).toEqual([
    'syncFib(20)',
    'asyncFib(20)',
  ]);
});

test('cases that would have one name keep their whole one', () => {
  const cases = [
    aPart('one', { name: 'x', n: 1 }),
    aPart('one', { name: 'y', n: 1 }),
    aPart('two', { name: 'x', n: 1 }),
    aPart('two', { name: 'z', n: 1 }),
  ];
  expect(labelsOf(cases)).toEqual(['one {"name":"x","n":1}', 'y', 'two {"name":"x","n":1}', 'z']);
});
