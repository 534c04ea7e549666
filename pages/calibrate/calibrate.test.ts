import { test, expect } from '@playwright/test';
import { jump } from '../kit/spin.js';
import { measureRate, prepare } from './benchmark.js';
import { prepare as prepareProgram } from './program.js';

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

test('ignores stretches without the CPU, even if they are the majority', () => {
  const { clock, run } = aMachine({ roundsPerMs: 1_000_000, slow: (nth) => nth % 3 > 0 });
  expect(measureRate(clock, run)).toBeCloseTo(1e6);
});

test('a wait ten times as long has ten times the rounds', async () => {
  const [short, long] = [await prepare({ waitUs: 100 }), await prepare({ waitUs: 1000 })];
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

test('a loop that left rounds out is a wrong value', async () => {
  const operation = await prepare({ waitUs: 10 });
  expect(() => {
    operation.check(0.5);
  }).toThrow('rounds gave 0.5 instead of');
});

test('refuses a wait without a valid length', () => {
  expect(() => prepare({ waitUs: 0 })).toThrow('waitUs cannot be 0');
  expect(() => prepare({})).toThrow('waitUs cannot be undefined');
});

test('a native program and wasmtime do and record the waits themselves', async () => {
  const asked: unknown[] = [];
  const program = {
    product: 'native',
    flags: [],
    run: (words: readonly string[]) => {
      asked.push(words);
      return Promise.resolve(
        'thread-start 1\nwaited 100000\nrecorded 99000\nrecorded 103000\nend 2\n',
      );
    },
    end: () => Promise.resolve(),
  };
  const operation = prepareProgram({ waitUs: 100, by: 'own' }, program);
  expect(operation.durationOf?.(await operation.once())).toBeCloseTo(0.101, 9);
  expect(asked).toEqual([['wait', '100']]);
  const silent = {
    ...program,
    run: () => Promise.resolve('thread-start 1\nwaited 100000\nend 0\n'),
  };
  await expect(prepareProgram({ waitUs: 100 }, silent).once()).rejects.toThrow('no reading');
  expect(() => prepareProgram({ waitUs: 100, by: 'emscripten' }, program)).toThrow('for pages');
});
