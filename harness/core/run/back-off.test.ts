import { expect, test } from '@playwright/test';
import { BackOff } from './back-off.ts';

/** A clock that only rests move. */
function aClock() {
  const state = { now: 1_000, rests: [] as number[] };
  const pause = {
    now: () => state.now,
    rest: (ms: number) => {
      state.rests.push(ms);
      state.now += ms;
      return Promise.resolve();
    },
  };
  const { signal } = new AbortController();
  const backOff = new BackOff({ restMs: 100, longestRestMs: 500 }, pause);
  return { state, backOff, signal };
}

test('the rest doubles with each failure in a row, up to the longest', async () => {
  const { state, backOff, signal } = aClock();
  for (let failure = 1; failure <= 5; failure += 1) {
    backOff.note('one', true);
    await backOff.wait('one', signal);
  }
  expect(state.rests).toEqual([100, 200, 400, 500, 500]);
});

test('a working target does not rest, and restarts with the shortest rest', async () => {
  const { state, backOff, signal } = aClock();
  backOff.note('one', true);
  backOff.note('one', true);
  backOff.note('one', false);
  await backOff.wait('one', signal);
  expect(state.rests).toEqual([]);
  backOff.note('one', true);
  await backOff.wait('one', signal);
  expect(state.rests).toEqual([100]);
});

test('time of other targets counts as rest, and they do not rest themselves', async () => {
  const { state, backOff, signal } = aClock();
  backOff.note('one', true);
  await backOff.wait('two', signal);
  state.now += 60;
  await backOff.wait('one', signal);
  expect(state.rests).toEqual([40]);
  backOff.note('one', true);
  state.now += 10_000;
  await backOff.wait('one', signal);
  expect(state.rests).toEqual([40]);
});

test('an abort ends a rest', async () => {
  const controller = new AbortController();
  const backOff = new BackOff({ restMs: 3_600_000, longestRestMs: 3_600_000 });
  backOff.note('one', true);
  const waiting = backOff.wait('one', controller.signal);
  controller.abort(new Error('Ctrl-C'));
  await waiting;
});
