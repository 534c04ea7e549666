import { expect, test } from '@playwright/test';
import type { Profile, ProfiledFunction } from '../profile/profile.ts';
import { matchFunctions } from './match-functions.ts';

type Given = Partial<ProfiledFunction> & { readonly name: string; readonly ms: number };

/** A profile of these functions, none of which calls another, in two operations. */
function aProfile(given: readonly Given[]): Profile {
  const functions = given.map(
    ({ name, url = '/page.html', line = 1, category = 'script', hash }): ProfiledFunction => ({
      name,
      url,
      line,
      column: 1,
      category,
      ...(hash !== undefined && { hash }),
    }),
  );
  return {
    format: 'crossfarm-profile-1',
    engine: 'chromium',
    startMs: 100,
    endMs: 300,
    intervalMs: 0.1,
    operations: 2,
    thinnedBy: 1,
    notes: [],
    functions,
    frames: functions.map((_, index) => ({ function: index, parent: null })),
    threads: [
      {
        name: 'main',
        role: 'main',
        stacks: given.map((_, index) => index),
        weightsMs: given.map(({ ms }) => ms),
      },
    ],
  };
}

test('a function that moved, in a page of another name, is the same', () => {
  const { times, places } = matchFunctions(
    [aProfile([{ name: 'parse', url: '/old.html', line: 3, ms: 20 }])],
    [aProfile([{ name: 'parse', url: '/new.html', line: 90, ms: 30 }])],
  );
  expect(times.map(([one]) => [...(one?.selfMs ?? [])])).toEqual([
    [['parse', 10]],
    [['parse', 15]],
  ]);
  expect(times[0][0]?.totalMs).toBe(100);
  expect(places.get('parse')).toMatchObject({ url: '/new.html', line: 90 });
});

test('a page without functions has its script on both sides', () => {
  const script = { name: '(anonymous)', ms: 20 };
  const { times, places } = matchFunctions(
    [aProfile([{ ...script, url: '/old.html', line: 3 }])],
    [aProfile([{ ...script, url: '/new.html', line: 4, ms: 30 }])],
  );
  expect(times.map(([one]) => one?.selfMs.get('(anonymous)'))).toEqual([10, 15]);
  expect(places.get('(anonymous)')).toMatchObject({ url: '/new.html', line: 4 });
});

test('functions of one name are told apart by their order, those that a profile missed among them', () => {
  const both = [
    { name: 'run', line: 5, ms: 4 },
    { name: 'run', line: 9, ms: 8 },
  ];
  const { times } = matchFunctions(
    [aProfile(both.slice(1)), aProfile(both)],
    [aProfile(both.map((one) => ({ ...one, line: one.line + 100 })))],
  );
  expect(times[0].map(({ selfMs }) => selfMs.get('run #2'))).toEqual([4, 4]);
  expect(times[1][0]?.selfMs.get('run #2')).toBe(4);
});

test('functions of one name are told apart by their text, in another order', () => {
  const one = { name: '', hash: 'aa', line: 5, ms: 4 };
  const other = { name: '', hash: 'bb', line: 9, ms: 8 };
  const { times } = matchFunctions(
    [aProfile([one, other])],
    [aProfile([{ ...other, line: 2 }, one])],
  );
  expect(times.map(([trial]) => trial?.selfMs.get(' #2'))).toEqual([4, 4]);
});

test('one more function of a name leaves the others what they were, and a changed one is itself', () => {
  const same = { name: '', hash: 'aa', line: 5, ms: 4 };
  const { times } = matchFunctions(
    [aProfile([same, { name: '', hash: 'bb', line: 9, ms: 8 }])],
    [
      aProfile([
        { name: '', hash: 'b2', line: 2, ms: 20 },
        { ...same, line: 8 },
        { name: '', hash: 'cc', line: 20, ms: 6 },
      ]),
    ],
  );
  expect(times.map(([trial]) => [...(trial?.selfMs ?? [])].sort())).toEqual([
    [
      [' #1', 2],
      [' #2', 4],
    ],
    [
      [' #1', 2],
      [' #2', 10],
      [' #3', 3],
    ],
  ]);
  const [[was], [is]] = matchFunctions(
    [aProfile([same])],
    [aProfile([same, { ...same, hash: 'x' }])],
  ).times;
  expect(was?.selfMs.get(' #1')).toBe(is?.selfMs.get(' #1'));
});

test('kinds of work are rows of their own, and idle time is none', () => {
  const { times } = matchFunctions(
    [
      aProfile([
        { name: 'collect', category: 'gc', ms: 2 },
        { name: 'wait', category: 'idle', ms: 50 },
      ]),
    ],
    [],
  );
  expect([...(times[0][0]?.selfMs ?? [])]).toEqual([['(gc)', 1]]);
});
