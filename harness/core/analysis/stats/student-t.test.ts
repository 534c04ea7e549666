import { expect, test } from '@playwright/test';
import golden from './golden/scipy.json' with { type: 'json' };
import { StatisticsRefusal } from './refusal.ts';
import { studentTwoSidedP, studentTwoSidedQuantile } from './student-t.ts';
import { addValue, noValues, welchP } from '../../../lab/stats-scales.ts';

const relative = (seen: number, wanted: number) => Math.abs(seen - wanted) / Math.abs(wanted);

test('p-values of t agree with SciPy to ten digits', () => {
  for (const { t, degrees, p } of golden.student) {
    expect(relative(studentTwoSidedP(t, degrees), p), `t=${t} ν=${degrees}`).toBeLessThan(1e-10);
    expect(studentTwoSidedP(-t, degrees)).toBe(studentTwoSidedP(t, degrees));
  }
});

test('quantiles of t agree with SciPy to eight digits', () => {
  for (const { coverage, degrees, t } of golden.studentQuantiles) {
    const seen = studentTwoSidedQuantile(coverage, degrees);
    expect(relative(seen, t), `coverage=${coverage} ν=${degrees}`).toBeLessThan(1e-8);
  }
});

test("p-values of Welch's test agree with SciPy", () => {
  for (const { a, b, p } of golden.welch) {
    const seen = welchP(a.reduce(addValue, noValues), b.reduce(addValue, noValues));
    expect(relative(seen, p)).toBeLessThan(1e-7);
  }
});

test('degenerate groups have a p-value, and too small ones are refused', () => {
  const one = [1, 1, 1].reduce(addValue, noValues);
  const two = [2, 2, 2].reduce(addValue, noValues);
  expect(welchP(one, one)).toBe(1);
  expect(welchP(one, two)).toBe(0);
  expect(() => welchP(one, addValue(noValues, 1))).toThrow(StatisticsRefusal);
  expect(() => studentTwoSidedP(1, 0)).toThrow(StatisticsRefusal);
  expect(() => studentTwoSidedQuantile(1, 5)).toThrow(StatisticsRefusal);
});
