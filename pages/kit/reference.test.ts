import { test, expect } from '@playwright/test';
import { openReference, slowestCalm } from './reference.js';

const now = () => performance.now();

test('a reading lasts many clock steps so that one does not matter', () => {
  const granuleMs = 0.02;
  const coarse = () => Math.floor(now() / granuleMs) * granuleMs;
  const reference = openReference({ now: coarse, granuleMs });
  const readings = Array.from({ length: 50 }, () => reference?.read() ?? 0).sort((a, b) => a - b);
  expect(readings[25]).toBeGreaterThan(10 * granuleMs);
});

test('gives no reading where the clock is too coarse', () => {
  expect(openReference({ now, granuleMs: 0.1 })).toBeNull();
});

test('opening it ends, also with a clock that makes large steps', () => {
  let time = 0;
  const reference = openReference({ now: () => (time += 20), granuleMs: 0.005 });
  expect(reference?.read()).toBe(20);
});

test('a reading is slow from 15 % above the fastest ones on', () => {
  const readings = [
    ...Array.from({ length: 40 }, () => 0.1),
    ...Array.from({ length: 60 }, () => 0.16),
  ];
  expect(slowestCalm(readings)).toBeCloseTo(0.115, 9);
  expect(slowestCalm([0, 0, 0.2])).toBeCloseTo(0.23, 9);
  expect(slowestCalm([0])).toBe(Infinity);
});
