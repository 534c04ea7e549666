import { expect, test } from '@playwright/test';
import { ProfileBuilder, type ProfileFacts } from './builder.ts';
import { functionTimes, type Profile, profileSchema, selfTimes } from './profile.ts';

const facts: ProfileFacts = {
  engine: 'chromium',
  startMs: 0,
  endMs: 10,
  intervalMs: 1,
  operations: 2,
  notes: [],
};

function script(name: string): { name: string; url: string; line: number; column: number } {
  return { name, url: '/table.js', line: 1, column: 1 };
}

/** `a` calls `b`, which calls `a` again; and once there was nothing to do. */
function recursive(): Profile {
  const builder = new ProfileBuilder();
  const a = builder.addFunction({ ...script('a'), category: 'script' });
  const b = builder.addFunction({ ...script('b'), category: 'script' });
  const idle = builder.addFunction({ ...script('(idle)'), category: 'idle' });
  const outer = builder.addFrame({ function: a, parent: null });
  const middle = builder.addFrame({ function: b, parent: outer });
  const inner = builder.addFrame({ function: a, parent: middle });
  const nothing = builder.addFrame({ function: idle, parent: null });
  const add = builder.addThread({ name: 'main', role: 'main' });
  for (const stack of [outer, middle, inner, inner, nothing]) add(stack, 2);
  return builder.finish(facts);
}

test('gives self times of one operation, without idle time', () => {
  expect([...selfTimes(recursive())]).toEqual([
    ['a@/table.js:1:1', 3],
    ['b@/table.js:1:1', 1],
  ]);
});

test('counts the total of a recursive function once', () => {
  const times = functionTimes(recursive());
  expect(times.get('a@/table.js:1:1')?.totalMs).toBe(4);
  expect(times.get('b@/table.js:1:1')?.totalMs).toBe(3);
});

test('cuts a stack of 10,000 frames, and says so', () => {
  const builder = new ProfileBuilder();
  const what = builder.addFunction({ ...script('deep'), category: 'script' });
  let at = builder.addFrame({ function: what, parent: null });
  for (let i = 0; i < 10_000; i += 1) at = builder.addFrame({ function: what, parent: at });
  builder.addThread({ name: 'main', role: 'main' })(at, 1);
  const profile = builder.finish(facts);
  expect(profile.frames.length).toBe(1024);
  expect(profile.notes).toEqual(['Stacks are cut at 1024 frames.']);
  expect(selfTimes(profile).get('deep@/table.js:1:1')).toBe(0.5);
});

test('keeps the time of all samples when it thins them', () => {
  const builder = new ProfileBuilder();
  const add = builder.addThread({ name: 'main', role: 'main' });
  for (let i = 0; i < 1000; i += 1) {
    const what = builder.addFunction({ ...script(`f${String(i % 7)}`), category: 'script' });
    add(builder.addFrame({ function: what, parent: null }), 1);
  }
  const profile = builder.finish(facts, 10);
  expect(profile.thinnedBy).toBe(10);
  const times = [...selfTimes(profile).values()];
  expect(times.reduce((sum, ms) => sum + ms, 0)).toBe(500);
  expect(profileSchema.safeParse(profile).success).toBe(true);
});
