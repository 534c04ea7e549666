import { expect, test } from '@playwright/test';
import { caseLabels } from './case-label.ts';

type Parameters = Readonly<Record<string, string | number | boolean>>;

function labelsOf(cases: readonly (readonly [string, Parameters])[]): readonly string[] {
  const rows = cases.map(([benchmark, parameters]) => ({
    caseName: `${benchmark} ${JSON.stringify(parameters)}`,
    benchmark,
    parameters,
  }));
  const labels = caseLabels(rows);
  return rows.map(({ caseName }) => labels.get(caseName) ?? '');
}

test('a case is called by what differs between the cases of its benchmark', () => {
  const fib = (name: string, n: number): [string, Parameters] => [
    'fib',
    { function: name, n, place: 'worker' },
  ];
  const cases = [
    ['control', { rounds: 300_000, place: 'worker' }],
    fib('syncFib', 20),
    fib('asyncFib', 14),
  ] as const;
  expect(labelsOf(cases)).toEqual(['control', 'syncFib(20)', 'asyncFib(14)']);
  expect(labelsOf([fib('syncFib', 20), fib('syncFib', 22)])).toEqual(['fib(20)', 'fib(22)']);
});

test('cases that would have one name keep their whole one', () => {
  const cases = [
    ['one', { name: 'x', n: 1 }],
    ['one', { name: 'y', n: 1 }],
    ['two', { name: 'x', n: 1 }],
    ['two', { name: 'z', n: 1 }],
  ] as const;
  expect(labelsOf(cases)).toEqual(['one {"name":"x","n":1}', 'y', 'two {"name":"x","n":1}', 'z']);
});
