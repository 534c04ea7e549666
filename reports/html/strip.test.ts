import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { renderMarkup } from './escape.ts';
import { axisOver } from '../client/strip.js';
import { trialStrip } from './strip.ts';

function dotsOf(values: readonly number[]): { x: number; y: number }[] {
  const axis = axisOver(values)!;
  const markup = renderMarkup(
    trialStrip(
      { values, low: values[0]!, high: values[0]!, median: values[0]!, hollow: [] },
      { axis, colour: 0, words: '' },
    ),
  );
  const path = /d="([^"]*)"\/><\/svg>/.exec(markup)?.[1] ?? '';
  let at = { x: 0, y: 0 };
  return [...path.matchAll(/m(-?\d+) (-?\d+)z/g)].map(([, x, y]) => {
    at = { x: at.x + Number(x), y: at.y + Number(y) };
    return at;
  });
}

test('every trial is a dot inside the strip', () => {
  const values = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(values, (some) => {
      const dots = dotsOf(some);
      expect(dots.length).toBeGreaterThan(0);
      expect(dots.length).toBeLessThanOrEqual(some.length);
      for (const { x, y } of dots) {
        expect(x).toBeGreaterThanOrEqual(4);
        expect(x).toBeLessThanOrEqual(236);
        expect([4, 9, 14]).toContain(y);
      }
    }),
  );
});

test('values that do not count are rings, and no dots', () => {
  const some = { values: [10, 11], low: 10, high: 11, median: 10.5 };
  const draw = (hollow: readonly number[]): string =>
    renderMarkup(
      trialStrip(
        { ...some, hollow },
        { axis: { from: 10, to: 20, logarithmic: false }, colour: 0, words: '' },
      ),
    );
  expect(draw([])).not.toContain('class="q"');
  const [, rings = ''] = /class="q" d="([^"]*)"/.exec(draw([10, 20])) ?? [];
  expect(rings.match(/M\d+ \d+/g)).toEqual(['M2 4', 'M234 9']);
  // Band, median and dots are those of a strip without rings.
  expect(draw([10, 20])).toContain(draw([]).replace('</svg>', ''));
});

test('equal factors are equal distances on a strip', () => {
  const xs = [1, 10, 100].map((_, i, all) => dotsOf(all)[i]!.x);
  expect(xs[1]! - xs[0]!).toBe(xs[2]! - xs[1]!);
});

test('plain noise is not stretched over the whole strip', () => {
  const xs = dotsOf([100, 100.5, 101]).map(({ x }) => x);
  expect(Math.max(...xs) - Math.min(...xs)).toBeLessThan(40);
});

test('values that are not all positive get a linear axis, and no value none', () => {
  expect(axisOver([-1, 3])).toEqual({ from: -1, to: 3, logarithmic: false });
  expect(axisOver([0, 0])).toEqual({ from: 0, to: 1, logarithmic: false });
  expect(axisOver([Number.NaN])).toBeNull();
});
