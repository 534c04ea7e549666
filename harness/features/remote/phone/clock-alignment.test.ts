import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { aged, alignClocks, type Ping } from './sample-stream.ts';

const granuleMs = 10;

/** The answer of a clock that is so much ahead. */
function pingOf(offset: number, askedMs: number, way: number, back: number): Ping {
  const toldMs = Math.floor((askedMs + way + offset) / granuleMs) * granuleMs;
  return { askedMs, heardMs: askedMs + way + back, toldMs };
}

test('the true offset lies within the error bound for all travel times', () => {
  const ways = fc.double({ min: 0, max: 50, noNaN: true });
  const asked = fc.double({ min: 0, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e7, noNaN: true }),
      fc.array(fc.tuple(asked, ways, ways), { minLength: 1, maxLength: 20 }),
      (offset, all) => {
        const pings = all.map(([at, way, back]) => pingOf(offset, at, way, back));
        const found = alignClocks(pings, granuleMs);
        expect(found).not.toBeNull();
        expect(Math.abs(found!.offsetMs - offset)).toBeLessThanOrEqual(found!.errorMs + 1e-6);
      },
    ),
  );
});

test('more questions make it no worse, and a quick answer makes it good', () => {
  const slow = pingOf(1000, 0, 20, 20);
  const quick = pingOf(1000, 107, 1, 1);
  expect(alignClocks([slow], granuleMs)?.errorMs).toBe(25);
  expect(alignClocks([slow, quick], granuleMs)?.errorMs).toBeLessThanOrEqual(6);
});

test('gives no offset for a clock set meanwhile or without questions', () => {
  expect(alignClocks([pingOf(0, 0, 1, 1), pingOf(5000, 100, 1, 1)], granuleMs)).toBeNull();
  expect(alignClocks([], granuleMs)).toBeNull();
});

test('the error of an offset grows with its age', () => {
  expect(aged({ offsetMs: 7, errorMs: 2 }, 3_600_000)).toEqual({ offsetMs: 7, errorMs: 362 });
});
