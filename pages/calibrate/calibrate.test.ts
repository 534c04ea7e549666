import { test, expect } from '@playwright/test';
import { jump } from '../kit/spin.js';
import { measureRate, prepare } from './benchmark.js';

/** A clock that only the loop moves: `roundsPerMs` of it make a millisecond, in some runs fewer. */
function aMachine({ roundsPerMs, slow }: { roundsPerMs: number; slow: (run: number) => boolean }) {
  let time = 0;
  let runs = 0;
  return {
    clock: { now: () => time, granuleMs: 0.02 },
    run(rounds: number) {
      runs += 1;
      time += (rounds / roundsPerMs) * (slow(runs) ? 7 : 1);
    },
  };
}

test('the loop’s rate is found against the clock', () => {
  const { clock, run } = aMachine({ roundsPerMs: 1_000_000, slow: () => false });
  expect(measureRate(clock, run)).toBeCloseTo(1e6);
});

test('stretches in which the thread was set aside do not change the rate, even if they are most', () => {
  const { clock, run } = aMachine({ roundsPerMs: 1_000_000, slow: (nth) => nth % 3 > 0 });
  expect(measureRate(clock, run)).toBeCloseTo(1e6);
});

test('a wait ten times as long is ten times as many rounds, which are done and counted', async () => {
  const [short, long] = [prepare({ waitUs: 100 }), prepare({ waitUs: 1000 })];
  for (const operation of [short, long]) {
    const { rounds, roundsPerMs } = (await operation.counters?.())!;
    expect(operation.once()).toBe(jump(rounds!));
    const value = operation.once();
    expect(value).toBe(jump(2 * rounds!));
    operation.check(value);
    expect(operation.asynchronous).toBe(false);
    expect(roundsPerMs).toBeGreaterThan(0);
  }
  const counters = (await long.counters?.())!;
  expect(counters['rounds']! / counters['roundsPerMs']!).toBeCloseTo(1, 2);
});

test('a loop that left rounds out is a wrong value', () => {
  const operation = prepare({ waitUs: 10 });
  expect(() => {
    operation.check(0.5);
  }).toThrow('rounds gave 0.5 instead of');
});

test('refuses a wait that is no length', () => {
  expect(() => prepare({ waitUs: 0 })).toThrow('waitUs cannot be 0');
  expect(() => prepare({})).toThrow('waitUs cannot be undefined');
});
