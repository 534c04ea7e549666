import { expect, test } from '@playwright/test';
import { nameOfRun, type NamedByPlan } from './run-name.ts';

const plan: NamedByPlan = {
  suite: 'quick',
  question: null,
  versions: [],
  devices: ['Chromium'],
  cases: ['syncFib(12)', 'syncFib(13)'],
};

test('a run of a suite has its name, and those of few devices', () => {
  expect(nameOfRun(plan)).toBe('quick, Chromium');
  expect(nameOfRun({ ...plan, devices: ['a', 'b', 'c'] })).toBe('quick, a, b, c');
  expect(nameOfRun({ ...plan, devices: ['a', 'b', 'c', 'd'] })).toBe('quick, 4 devices');
  expect(nameOfRun({ ...plan, devices: [] })).toBe('quick');
});

test('a comparison is named after its sides', () => {
  const versions = { ...plan, suite: 'versions', versions: ['old', 'new'] };
  expect(nameOfRun(versions)).toBe('old vs new, Chromium');
  const devices = { ...plan, suite: 'compare', devices: ['Chromium', 'Firefox'] };
  expect(nameOfRun({ ...devices, cases: ['syncFib(12)'] })).toBe(
    'Chromium vs Firefox, syncFib(12)',
  );
  const cases = { ...plan, suite: 'compare', devices: ['Chromium', 'Chromium'] };
  expect(nameOfRun(cases)).toBe('syncFib(12) vs syncFib(13), Chromium');
});

test('a run that answers a question is named after it', () => {
  expect(nameOfRun({ ...plan, question: 'A3: async is slower' })).toBe('A3: async is slower');
});
