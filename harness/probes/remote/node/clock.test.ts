import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { alignClock } from './nodes.ts';
import type { NodeLine } from './frame.ts';

interface Trip {
  /** From the question to the reading of the other clock, and from there to the answer. */
  readonly thereMs: number;
  readonly backMs: number;
}

/** A machine whose clock is ahead by so much, over a line with these delays. */
function aMachine(aheadMs: number, trips: readonly Trip[]): { line: NodeLine; now: () => number } {
  let atMs = 1_000_000;
  let trip = 0;
  const ask = () => {
    const { thereMs, backMs } = trips[trip % trips.length] ?? { thereMs: 1, backMs: 1 };
    trip += 1;
    const sentMs = atMs;
    const read = atMs + thereMs + aheadMs;
    atMs += thereMs + backMs;
    const text = `/clock:${String(BigInt(Math.round(read * 1e6)))}\n`;
    return Promise.resolve({ text, sentMs, receivedMs: atMs });
  };
  const line = { ask, ended: false, close: () => Promise.resolve() };
  // The farm's clock shows whole milliseconds.
  return { line, now: () => Math.floor(atMs) };
}

test('the offset lies within its error bound, however lopsided the round trips are', async () => {
  const delay = fc.double({ min: 0, max: 50, noNaN: true });
  const trips = fc.array(fc.record({ thereMs: delay, backMs: delay }), {
    minLength: 9,
    maxLength: 9,
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: -100_000, max: 100_000 }), trips, async (ahead, all) => {
      const { line, now } = aMachine(ahead, all);
      const { offsetMs, errorMs } = await alignClock(line, now);
      expect(Math.abs(offsetMs - ahead)).toBeLessThanOrEqual(errorMs + 0.002);
    }),
  );
});

test('the quickest round trip decides', async () => {
  const slow = { thereMs: 40, backMs: 0 };
  const { line, now } = aMachine(250, [slow, slow, { thereMs: 0.25, backMs: 0.25 }, slow]);
  const { offsetMs, errorMs, roundTrips } = await alignClock(line, now);
  expect(roundTrips).toBe(9);
  expect(errorMs).toBe(1.25);
  expect(Math.abs(offsetMs - 250)).toBeLessThanOrEqual(1.25);
});
