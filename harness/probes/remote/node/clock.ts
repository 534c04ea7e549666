import type { ClockAlignment } from '../../../model/trial.ts';
import { parseNumber } from './frame.ts';
import type { NodeLine } from './line.ts';

/** The quickest of so many round trips has met little in its way. */
const roundTrips = 9;

/**
 * `Date.now()` shows whole milliseconds, here and in an agent: each instant lies within half of one
 * around its middle.
 */
const stepMs = 1;

/**
 * How the clock of another machine differs from this one's, by Cristian's method (1989): the other
 * clock was read somewhere between question and answer, so its reading belongs to their middle, and
 * no further than half of the round trip from it. The quickest trip bounds the error best.
 * @throws NodeUnreadable
 */
export async function alignClock(line: NodeLine, now = Date.now): Promise<ClockAlignment> {
  let best: ClockAlignment | null = null;
  for (let trip = 0; trip < roundTrips; trip += 1) {
    const sentAt = now();
    const answer = await line.ask('clock');
    const halfMs = (answer.receivedMs - answer.sentMs) / 2;
    const there = parseNumber(answer, 'clock') / 1e6;
    const errorMs = halfMs + stepMs;
    if (best !== null && best.errorMs <= errorMs) continue;
    best = { offsetMs: there - (sentAt + stepMs / 2 + halfMs), errorMs, roundTrips };
  }
  if (best === null) throw new TypeError('a clock was read no time');
  return {
    ...best,
    offsetMs: toMicroseconds(best.offsetMs),
    errorMs: toMicroseconds(best.errorMs),
  };
}

function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
