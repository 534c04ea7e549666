import { expect, test } from '@playwright/test';
import { aNight } from '../../testing/nights.ts';
import { canContinue, describeDeaths, nextLife, type Start } from './continue-night.ts';
import { nightDeclaration, type NightDocument } from './night-document.ts';

const startedAt = '2026-11-21T02:30:00.000Z';
const preflight = { step: 'preflight', outcome: 'done', startedAt, ms: 1, because: null } as const;

/** It died while it measured. */
const broken = aNight({
  status: 'running',
  exitCode: null,
  finishedAt: null,
  farm: 'dead',
  asked: '{"suite":"a"}',
  ledger: null,
  analysis: null,
  steps: [preflight],
});

const start: Start = {
  asked: '{"suite":"a"}',
  now: new Date('2026-11-21T04:00:00Z'),
  spanMs: 7 * 3_600_000,
  isDead: (mark) => mark === 'dead',
};

const death = { at: '2026-11-21T02:40:00.000Z', farm: 'dead', during: 'run' } as const;

test('a night whose farm died is continued by one with the same options', () => {
  expect(canContinue(broken, start)).toBe(true);
});

test('so is one that died between its verdict and its notifications', () => {
  expect(canContinue({ ...broken, status: 'fine' }, start)).toBe(true);
});

const others: readonly [string, Partial<NightDocument>, Partial<Start>][] = [
  ['that ended', { status: 'red', finishedAt: '2026-11-21T03:00:00.000Z' }, {}],
  ['that was closed', { status: 'broken-off' }, {}],
  ['whose farm lives', { farm: 'alive' }, {}],
  ['that was asked for something else', {}, { asked: '{"suite":"b"}' }],
  ['of an older farm, which did not say what it was asked for', { asked: null }, {}],
  ['whose time is over', {}, { now: new Date('2026-11-21T09:30:00Z') }],
  ['that died once more while it was only to be ended', { goneOn: Array(4).fill(death) }, {}],
];

for (const [which, night, now] of others) {
  test(`a night ${which} is not continued`, () => {
    expect(canContinue({ ...broken, ...night }, { ...start, ...now })).toBe(false);
  });
}

test('a clock that was set back makes no night older than it is', () => {
  expect(canContinue(broken, { ...start, now: new Date('2026-11-20T23:00:00Z') })).toBe(true);
});

test('the continued night keeps its findings, does all steps again, and names the one in which the farm died', () => {
  const now = new Date('2026-11-21T02:42:00Z');
  const next = nextLife(broken, { farm: 'mine', now, brokenOff: ['2026-11-20T02-30-00Z'] });
  expect(next).toMatchObject({
    id: broken.id,
    startedAt: broken.startedAt,
    run: 7,
    farm: 'mine',
    status: 'running',
    steps: [],
    brokenOff: ['2026-11-20T02-30-00Z'],
    goneOn: [{ at: '2026-11-21T02:42:00.000Z', farm: 'dead', during: 'run' }],
  });
  expect(nightDeclaration.safeParse(next).error).toBeUndefined();
});

test('deaths are reported with their number and the step of the last', () => {
  expect(describeDeaths([death])).toMatch(/once.* in the step run$/);
  expect(describeDeaths([death, { ...death, during: null }])).toMatch(
    /2 times.* after its last step$/,
  );
});
