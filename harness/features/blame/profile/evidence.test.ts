import { expect, test } from '@playwright/test';
import { ProfileBuilder } from './builder.ts';
import { describeCode } from './evidence.ts';
import type { Frame, Profile } from './profile.ts';

interface Session {
  readonly tier?: Frame['tier'];
  readonly deopts?: readonly string[];
}

/** A session in which `parse` ran in this tier, and a short function elsewhere. */
function aSession({ tier, deopts }: Session): Profile {
  const builder = new ProfileBuilder();
  const add = builder.addThread({ name: 'main', role: 'main' });
  const place = { url: '/table.js', line: 5, column: 1, category: 'script' } as const;
  const parse = builder.addFunction({
    ...place,
    name: 'parse',
    ...(deopts !== undefined && { deopts: [...deopts] }),
  });
  const short = builder.addFunction({ ...place, name: 'short', line: 9 });
  const shape = tier === undefined ? {} : { tier };
  add(builder.addFrame({ function: parse, parent: null, ...shape }), 10);
  add(builder.addFrame({ function: short, parent: null, tier: 'interpreter' }), 0.1);
  const facts = { engine: 'firefox', startMs: 0, endMs: 10, intervalMs: 1, operations: 1 } as const;
  return builder.finish({ ...facts, notes: [] });
}

test('tells in how many sessions a function ran in another tier', () => {
  const tiers = ['optimised', 'baseline', 'optimised', 'baseline', 'optimised'] as const;
  expect(describeCode(tiers.map((tier) => aSession({ tier })))).toEqual([
    'parse (table.js:5) runs in the baseline tier in 2 of 5 sessions, else in optimised code.',
  ]);
});

test('says nothing where all sessions are alike, or the engine tells nothing', () => {
  expect(describeCode([aSession({ tier: 'optimised' }), aSession({ tier: 'optimised' })])).toEqual(
    [],
  );
  expect(describeCode([aSession({})])).toEqual([]);
});

test('tells why optimised code was thrown away', () => {
  const sessions = [aSession({ deopts: ['wrong map'] }), aSession({})];
  expect(describeCode(sessions)).toEqual([
    'parse (table.js:5) lost its optimised code in 1 of 2 sessions: wrong map.',
  ]);
});
