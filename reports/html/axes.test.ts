import { expect, test } from '@playwright/test';
import { apart, linearTicks, logTicks, ratioTicks } from './axes.ts';

const rounded = (ticks: readonly number[]): number[] =>
  ticks.map((tick) => Number(tick.toPrecision(9)));

test('near 1 a ratio has even steps, 1 among them', () => {
  expect(rounded(ratioTicks(0.97, 1.07))).toEqual([0.98, 1, 1.02, 1.04, 1.06]);
  expect(rounded(ratioTicks(0.999, 1.003))).toEqual([0.999, 1, 1.001, 1.002, 1.003]);
  expect(rounded(ratioTicks(1.2, 1.5))).toEqual([1.2, 1.25, 1.3, 1.35, 1.4, 1.45, 1.5]);
});

test('wide ranges of ratios have ticks at round numbers of a logarithmic axis', () => {
  expect(rounded(ratioTicks(0.4, 12))).toEqual([0.5, 1, 2, 5, 10]);
  expect(rounded(logTicks(1e-3, 1e3))).toEqual([0.001, 0.01, 0.1, 1, 10, 100, 1000]);
});

test('a linear axis has a few even steps, zero among them', () => {
  expect(rounded(linearTicks(0, 1.62))).toEqual([0, 0.5, 1, 1.5]);
  expect(rounded(linearTicks(-0.13, 1.2))).toEqual([0, 0.5, 1]);
  expect(rounded(linearTicks(0, 12))).toEqual([0, 5, 10]);
  expect(linearTicks(3, 3)).toEqual([3]);
});

test('marks of adjacent versions do not touch', () => {
  expect(apart([103, 109, 113, 114, 115, 116, 117, 126, 153])).toEqual([103, 109, 115, 126, 153]);
  expect(apart([20, 22, 24, 26])).toEqual([20, 22, 24, 26]);
  expect(apart([7])).toEqual([7]);
});
