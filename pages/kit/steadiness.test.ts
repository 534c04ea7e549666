import { test, expect } from '@playwright/test';
import fc from 'fast-check';
import { judgeSteadiness } from './steadiness.js';

for (const [label, durations] of [
  ['steady', [10, 10, 10, 10, 10, 10]],
  ['steady', [10.1, 9.9, 10, 10.2, 9.8, 10]],
  ['steady', [10, 10, 90, 10, 10, 10]],
  ['steady', [80, 40, 20, 10, 10.1, 10, 10.1, 10, 9.9]],
  ['slowing', [10, 11, 12, 13, 14, 15]],
  ['slowing', [10, 10.1, 10.2, 10.3, 10.4, 10.5]],
  ['slowing', [10, 10, 10, 12, 12, 12]],
  ['no steady state', [15, 14, 13, 12, 11, 10]],
  ['no steady state', [10.5, 10.4, 10.3, 10.2, 10.1, 10]],
  ['no steady state', [10, 20, 10, 20, 10, 20]],
  ['no steady state', [10, 10, 10, 10, 10]],
  ['no steady state', []],
] as const) {
  test(`calls ${JSON.stringify(durations)} ${label}`, () => {
    expect(judgeSteadiness(durations)).toBe(label);
  });
}

test('the label does not depend on the unit', () => {
  const durations = fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 12 });
  fc.assert(
    fc.property(durations, (values) => {
      expect(judgeSteadiness(values.map((value) => value * 1024))).toBe(judgeSteadiness(values));
    }),
  );
});

test('only the last six count', () => {
  const durations = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1000 })), durations, (before, last) => {
      expect(judgeSteadiness([...before, ...last])).toBe(judgeSteadiness(last));
    }),
  );
});
