import { expect, test } from '@playwright/test';
import { unbroken } from '../client/number.js';
import fc from 'fast-check';
import {
  formatConfidence,
  formatCount,
  formatEstimate,
  formatLevel,
  formatPlain,
  formatQuantity,
  formatRatioEstimate,
  formatRatioTick,
  formatShare,
  formatTick,
  isTime,
  plural,
  ratioStep,
} from './number.ts';

/** No-break spaces as plain ones, so that expectations can be read. */
function plain(text: string): string {
  return text.replaceAll('\u00a0', ' ');
}

const quantities: readonly (readonly [number, string, number, string])[] = [
  [12.3456, 'ms', 0.005, '12.3 ms'],
  [0.78, 's', 0.000_005, '780 ms'],
  [0.000_012_34, 's', 0, '12.3 µs'],
  [1.5, 'ns', 0, '1.50 ns'],
  [1, 'us', 0, '1.00 µs'],
  [61_234, 'ms', 1, '61.2 s'],
  [4_000, 's', 0, '4,000 s'],
  [123.4, 'ms', 16, '100 ms'],
  [3, 'ms', 16, '< 100 ms'],
  [7.4, 'ms', 1, '7 ms'],
  [0, 'ms', 1, '0 ms'],
  [-12.3456, 'ms', 0.005, '−12.3 ms'],
  [1_234_567, 'count', 1, '1,234,567 count'],
  [0.5, 'ops/s', 0.01, '0.50 ops/s'],
  [Number.NaN, 'ms', 1, '—'],
  [Infinity, 'ms', 1, '—'],
];

for (const [value, unit, resolution, shown] of quantities) {
  test(`${String(value)} ${unit} at a resolution of ${String(resolution)} is shown as ${shown}`, () => {
    expect(plain(formatQuantity(value, { unit, resolution }))).toBe(shown);
  });
}

test('no line ends between a number and its percent sign, or after "≈"', () => {
  expect(unbroken('not decided, ≈ 14 % slower so far')).toBe(
    'not decided, ≈\u00a014\u00a0% slower so far',
  );
});

test('a narrow interval gets the digits that it needs, if the clock has them', () => {
  const estimate = { median: 12.3456, low: 12.342, high: 12.349 };
  const fine = formatEstimate(estimate, { unit: 'ms', resolution: 0.000_05 });
  expect([fine.median, fine.interval].map(plain)).toEqual(['12.346 ms', '12.342–12.349 ms']);
  const coarse = formatEstimate(estimate, { unit: 'ms', resolution: 0.05 });
  expect([coarse.median, coarse.interval].map(plain)).toEqual(['12.3 ms', '12.3–12.3 ms']);
});

test('an interval has the unit of its median', () => {
  const { median, interval } = formatEstimate(
    { median: 990, low: 950, high: 1_040 },
    { unit: 'ms', resolution: 1 },
  );
  expect([median, interval].map(plain)).toEqual(['990 ms', '950–1,040 ms']);
});

const secondsIn: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 };

const measured = fc.record({
  value: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
  resolution: fc.double({ min: 1e-6, max: 1e3, noNaN: true }),
  unit: fc.constantFrom('s', 'ms', 'µs'),
});

/** Value of a formatted quantity, and the place of its last digit that is not padding, in seconds. */
function readBack(text: string): { seconds: number; place: number } {
  const [number = '', unit = ''] = plain(text).split(' ');
  const digits = number.replaceAll(',', '');
  const decimals = digits.split('.')[1]?.length ?? 0;
  const factor = secondsIn[unit] ?? Number.NaN;
  const padding = decimals === 0 ? (/0*$/.exec(digits)?.[0].length ?? 0) : -decimals;
  return { seconds: Number(digits) * factor, place: 10 ** padding * factor };
}

// Conditions are returned, not expected: Playwright records every `expect` as a step, which takes
// longer than what is tried.
test('a quantity shows no digit below the resolution, rounded by 0.5 %', () => {
  fc.assert(
    fc.property(measured, ({ value, resolution, unit }) => {
      const text = formatQuantity(value, { unit, resolution });
      if (text.startsWith('<')) return value < 10 * resolution;
      const scale = secondsIn[unit]!;
      const { seconds, place } = readBack(text);
      // A whole number without padding shows its ones, which may not be finer than the clock
      // either.
      const isNoFiner = place >= resolution * scale * (1 - 1e-6);
      const coarsest = Math.max(value * scale * 0.005, 5 * resolution * scale);
      return isNoFiner && Math.abs(seconds - value * scale) <= coarsest * (1 + 1e-6);
    }),
    { numRuns: 2_000 },
  );
});

test('an interval shows no digit below the resolution', () => {
  fc.assert(
    fc.property(measured, fc.double({ min: 0, max: 0.5, noNaN: true }), (facts, width) => {
      const { value, resolution, unit } = facts;
      const text = formatEstimate(
        { median: value, low: value * (1 - width), high: value * (1 + width) },
        { unit, resolution },
      ).interval;
      const [low = '', high = ''] = text.split('–');
      const shownUnit = high.split('\u00a0').at(-1) ?? '';
      return [`${low}\u00a0${shownUnit}`, high].every(
        (end) =>
          end.startsWith('<') ||
          /^0\b(?!\.)/.test(end) ||
          readBack(end).place >= resolution * secondsIn[unit]! * (1 - 1e-6),
      );
    }),
    { numRuns: 2_000 },
  );
});

test("a ratio's digits follow its interval's width and the clock", () => {
  const shown = (ratio: number, low: number, high: number, step = 0): string[] =>
    Object.values(formatRatioEstimate({ ratio, low, high }, step));
  expect(shown(3.14159, 3, 3.3)).toEqual(['3.14×', '3.00–3.30×']);
  expect(shown(1.0101, 1.004, 1.0152)).toEqual(['1.010×', '1.004–1.015×']);
  expect(shown(0.31416, 0.3, 0.33)).toEqual(['0.314×', '0.300–0.330×']);
  expect(shown(31.4159, 20, 40)).toEqual(['31.4×', '20.0–40.0×']);
  expect(shown(3.14159, 3, 3.3, 0.2)).toEqual(['3×', '3–3×']);
  expect(shown(3, 2, 4, Infinity)).toEqual(['—', '—']);
  expect(shown(Infinity, NaN, Infinity)).toEqual(['—', '—']);
  const step = ratioStep({ centre: 30, resolution: 3 }, { centre: 10, resolution: 0 });
  expect(step).toBeCloseTo(0.3);
});

test('a ratio on an axis, and a margin, have no trailing zeros', () => {
  expect([1, 1.05, 0.30000000000000004].map(formatRatioTick)).toEqual(['1×', '1.05×', '0.3×']);
  expect([0.02, 0.005, 0.07].map(formatLevel).map(plain)).toEqual(['2 %', '0.5 %', '7 %']);
});

test('shares are percentages, and a small share is never shown as nothing', () => {
  expect([0, 0.0004, 0.034, 0.14, 1].map(formatShare).map(plain)).toEqual([
    '0 %',
    '< 0.1 %',
    '3.4 %',
    '14 %',
    '100 %',
  ]);
});

test('a confidence is rounded down', () => {
  expect([0.95, 0.9375, 0.999, 0.29].map(formatConfidence).map(plain)).toEqual([
    '95 %',
    '93 %',
    '99 %',
    '29 %',
  ]);
});

test('axis ticks have no empty decimals', () => {
  const ticks = [0.1, 0.5, 1, 20, 1_000].map((y) => formatTick(y, { unit: 'ms', resolution: 0 }));
  expect(ticks.map(plain)).toEqual(['100 µs', '500 µs', '1 ms', '20 ms', '1 s']);
});

test('only units of time are times', () => {
  expect(['s', 'ms', 'us', 'ops/s', 'toString', ''].map(isTime)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('counts and nouns agree', () => {
  expect([plural(1, 'trial'), plural(2, 'trial'), plural(0, 'case')]).toEqual([
    '1 trial',
    '2 trials',
    '0 cases',
  ]);
  expect([formatCount(12_345), formatPlain(1.618), formatPlain(Number.NaN)]).toEqual([
    '12,345',
    '1.62',
    '—',
  ]);
});
