import { expect, test } from '@playwright/test';
import type { FlameNode } from '../../../core/results/index.ts';
import { ProfileBuilder } from './builder.ts';
import { compareProfiles, formatChange } from './difference.ts';
import type { Category, Profile } from './profile.ts';

interface Given {
  readonly name?: string;
  readonly url?: string;
  readonly line?: number;
  readonly hash?: string;
  readonly category?: Category;
  readonly ms: number;
}

/** A profile of two operations, in which `main` calls each of the functions. */
function aProfile(given: readonly Given[], role: 'main' | 'worker' = 'main'): Profile {
  const builder = new ProfileBuilder();
  const caller = builder.addFunction({ ...placed({ name: 'main' }), category: 'script' });
  const parent = builder.addFrame({ function: caller, parent: null });
  const add = builder.addThread({ name: 'thread', role });
  for (const { ms, category = 'script', hash, ...one } of given) {
    const what = builder.addFunction({
      ...placed(one),
      category,
      ...(hash !== undefined && { hash }),
    });
    add(builder.addFrame({ function: what, parent }), 2 * ms);
  }
  const facts = { engine: 'chromium', startMs: 0, endMs: 9, intervalMs: 1 } as const;
  return builder.finish({ ...facts, operations: 2, notes: [] });
}

function placed({ name = '', url = '/page.html', line = 1 }: Partial<Given>): {
  readonly name: string;
  readonly url: string;
  readonly line: number;
  readonly column: number;
} {
  return { name, url, line, column: 1 };
}

/** Name, times before and after. */
function timesOf(before: readonly Given[], after: readonly Given[]): readonly unknown[] {
  const { functions } = compareProfiles([[aProfile(before)], [aProfile(after)]]);
  return functions
    .filter(({ name }) => name !== 'main')
    .map((one) => [one.name, one.before?.selfMs ?? null, one.after?.selfMs ?? null]);
}

test('a function that moved, or whose page has another name, is the same', () => {
  expect(
    timesOf(
      [{ name: 'parse', url: '/old.html', line: 3, ms: 4 }],
      [{ name: 'parse', url: '/new.html', line: 90, ms: 9 }],
    ),
  ).toEqual([['parse', 4, 9]]);
});

test('functions of one name are told apart by their text, wherever they went', () => {
  const [one, other] = [
    { name: 'run', hash: 'a', line: 1, ms: 1 },
    { name: 'run', hash: 'b', line: 2, ms: 7 },
  ] as const;
  expect(
    timesOf(
      [one, other],
      [
        { ...other, line: 9, url: '/x.js' },
        { ...one, line: 10 },
      ],
    ),
  ).toEqual([
    ['run', 1, 1],
    ['run', 7, 7],
  ]);
});

test('a function without a name is known by its text, and a changed one by its place in their order', () => {
  const before = [
    { hash: 'a', line: 1, ms: 1 },
    { hash: 'b', line: 5, ms: 2 },
  ];
  const after = [
    { hash: 'c', line: 2, ms: 4 },
    { hash: 'b', line: 3, ms: 2 },
  ];
  expect(timesOf(before, after)).toEqual([
    ['(anonymous)', 1, 4],
    ['(anonymous)', 2, 2],
  ]);
});

test('a function that was renamed and stays the same is the same; others are gone and new', () => {
  expect(timesOf([{ name: 'a', hash: 'x', ms: 1 }], [{ name: 'b', hash: 'x', ms: 3 }])).toEqual([
    ['b', 1, 3],
  ]);
  expect(timesOf([{ name: 'a', hash: 'x', ms: 1 }], [{ name: 'b', hash: 'y', ms: 3 }])).toEqual([
    ['b', null, 3],
    ['a', 1, null],
  ]);
});

test('work of the browser is the same by its kind', () => {
  expect(
    timesOf(
      [{ name: 'MinorGC', category: 'gc', ms: 1 }],
      [{ name: '(gc)', category: 'gc', url: '', ms: 3 }],
    ),
  ).toEqual([['(gc)', 1, 3]]);
});

test('gives self and total time, each the mean of a side', () => {
  const before = [4, 6].map((ms) => aProfile([{ name: 'parse', ms }]));
  const { functions } = compareProfiles([before, [aProfile([{ name: 'parse', ms: 8 }])]]);
  const times = new Map(functions.map((one) => [one.name, one]));
  expect(times.get('parse')?.changeMs).toBe(3);
  expect(times.get('main')).toMatchObject({
    before: { selfMs: 0, totalMs: 5 },
    after: { selfMs: 0, totalMs: 8 },
  });
});

test('the graph is as wide as the mean of both sides, and knows what is on one alone', () => {
  const sides = [
    [
      aProfile([
        { name: 'gone', ms: 6 },
        { name: 'same', ms: 2 },
      ]),
    ],
    [
      aProfile(
        [
          { name: 'same', ms: 2 },
          { name: 'new', ms: 10 },
        ],
        'main',
      ),
    ],
  ] as const;
  const { flames } = compareProfiles(sides);
  expect(flames.map(({ role }) => role)).toEqual(['main']);
  const [main] = flames[0]?.flame.c ?? [];
  const shown = ({ n, v, d }: FlameNode): unknown => [n, v, d];
  expect(main && shown(main)).toEqual(['main', 10, 4]);
  expect(main?.c.map(shown)).toEqual([
    ['new', 5, 10],
    ['gone', 3, -6],
    ['same', 2, 0],
  ]);
});

test('threads of a kind are held against those of the same kind', () => {
  const worker = aProfile([{ name: 'work', ms: 4 }], 'worker');
  const { flames } = compareProfiles([[worker], [aProfile([{ name: 'work', ms: 4 }])]]);
  expect(flames.map(({ role, flame }) => [role, flame.d])).toEqual([
    ['main', 4],
    ['worker', -4],
  ]);
});

test('says which way a time changed', () => {
  expect(formatChange(8.1)).toMatch(/^\+8\.1\d*\sms$/);
  expect(formatChange(-8.1)).toMatch(/^−8\.1\d*\sms$/);
});
