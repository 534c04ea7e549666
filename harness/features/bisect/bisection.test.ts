import { expect, test } from '@playwright/test';
import { bisect, countSteps, type BuildVerdict } from './bisection.ts';

const signal = new AbortController().signal;

/** Builds of which those from `first` on differ from the oldest. */
function buildsThatChange(first: number, undecided: readonly number[] = []) {
  const asked: number[] = [];
  const ask = (build: number): Promise<BuildVerdict> => {
    asked.push(build);
    if (undecided.includes(build)) return Promise.resolve('undecided');
    return Promise.resolve(build >= first ? 'as-the-newest' : 'as-the-oldest');
  };
  return { asked, ask };
}

for (const builds of [2, 3, 7, 8, 33]) {
  test(`finds the first different one of ${String(builds)} builds in the announced steps`, async () => {
    for (let first = 1; first < builds; first += 1) {
      const { ask, asked } = buildsThatChange(first);
      expect(await bisect({ builds, ask, signal })).toEqual({
        kind: 'narrowed',
        last: first - 1,
        first,
      });
      expect(asked.length).toBeLessThanOrEqual(countSteps(builds));
      expect(new Set(asked).size).toBe(asked.length);
      expect(asked).not.toContain(0);
    }
  });
}

test('measures nothing more if the oldest and the newest are alike', async () => {
  const { ask, asked } = buildsThatChange(99);
  expect(await bisect({ builds: 9, ask, signal })).toEqual({
    kind: 'no-difference',
    last: 0,
    first: 8,
  });
  expect(asked).toEqual([8]);
});

test('ends at an undecided step, and returns the range narrowed so far', async () => {
  const { ask } = buildsThatChange(7, [6]);
  expect(await bisect({ builds: 9, ask, signal })).toEqual({
    kind: 'undecided',
    last: 4,
    first: 8,
  });
  const ends = buildsThatChange(7, [8]);
  expect(await bisect({ builds: 9, ask: ends.ask, signal })).toEqual({
    kind: 'undecided',
    last: 0,
    first: 8,
  });
});

test('an interruption ends it between two steps', async () => {
  const { ask, asked } = buildsThatChange(7);
  const stopped = await bisect({ builds: 9, ask, signal: AbortSignal.abort() });
  expect(stopped).toEqual({ kind: 'undecided', last: 0, first: 8 });
  expect(asked).toEqual([8]);
});
