import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Presence } from '../../core/model/device.ts';
import type { RunRecord, RunSetting, RunStatus } from '../../core/model/run.ts';
import { farmMark } from '../../core/session/farm-mark.ts';
import { openStore } from '../../core/store/store.ts';
import { aBenchmark, aCase, aMachine, aMeasurement, aRecord } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import {
  after,
  aRemeasuring,
  askedTest,
  askedTest as asked,
  before,
  begunTest,
  begunTest as begun,
  buildPair as pair,
  itsSetting,
  itsSetting as setting,
  swinging,
} from '../../testing/remeasured.ts';
import {
  type AskedTest,
  describeCarried,
  findStoredTest,
  hasTheSameSides,
  sameTest,
  undecidedEvidence,
} from './same-test.ts';

const undecided = aRemeasuring(swinging);

test('a run with the same question and sides is the same test, at any level', () => {
  expect(sameTest(setting, asked)).toEqual(begun);
  expect(hasTheSameSides(undecided, asked)).toBe(true);
});

const otherQuestions: Readonly<Record<string, Partial<RunSetting>>> = {
  'another device': { test: { ...begun, deviceId: 'firefox' } },
  'another case': { test: { ...begun, caseName: 'fib function=syncFib n=12' } },
  'another metric': { test: { ...begun, metric: 'firstCall' } },
  'another margin': { test: { ...begun, margin: 0.05 } },
  'other rules of measurement': { measurement: { ...aMeasurement, maxMs: 900 } },
  'other pages': { pages: '/elsewhere' },
  'another deadline': { deadlineMs: 60_000 },
  'no probes': { probes: false },
};

for (const [what, difference] of Object.entries(otherQuestions)) {
  test(`a run of ${what} is another test`, () => {
    expect(sameTest({ ...setting, ...difference }, asked)).toBeNull();
  });
}

test('a comparison that no night began is not continued', () => {
  const bisected: RunSetting = {
    ...asked.measured,
    repeatQuarantined: true,
    endsEarly: true,
    probe: [],
  };
  expect(sameTest(bisected, asked)).toBeNull();
});

function ofVersion(presence: typeof after, version: string): Presence {
  const browser = { ...presence.target.browser, version };
  return { ...presence, target: { ...presence.target, browser } };
}

const otherSides: Readonly<Record<string, Partial<AskedTest>>> = {
  'a newer build': { presences: [ofVersion(after, '9.9'), before] },
  'an older build': { presences: [after, ofVersion(before, '0.1')] },
  'the copy of a build': {
    presences: [{ ...after, target: { ...after.target, executable: '/copies/chrome' } }, before],
  },
  'other flags': {
    presences: [
      {
        ...after,
        target: { ...after.target, device: { ...after.target.device, flags: ['--single'] } },
      },
      before,
    ],
  },
  'another machine': { machine: { ...aMachine, cpuModel: 'Another CPU' } },
  'another version of the farm': { farmVersion: '0.2.0' },
  'another version of the benchmark': {
    pair: { ...pair, a: { ...pair.a, case: aCase(12, 'asyncFib', { ...aBenchmark, version: 2 }) } },
  },
};

for (const [what, difference] of Object.entries(otherSides)) {
  test(`blocks of ${what} do not belong to this test`, () => {
    expect(hasTheSameSides(undecided, { ...asked, ...difference })).toBe(false);
  });
}

test('an undecided run gives its blocks, and the level at which it began', () => {
  expect(undecidedEvidence(undecided, begun, pair)).toEqual({
    run: 1,
    startedAt: '2026-01-01T00:00:00.000Z',
    blocks: 8,
    alpha: 0.05 / 3,
  });
});

const evidenceOf = (ratio: (block: number) => number, blocks?: number, alpha = begun.alpha) =>
  undecidedEvidence(aRemeasuring(ratio, blocks), { ...begun, alpha }, pair);

test('a run that is decided at its own level stays as it is', () => {
  expect(evidenceOf(() => 1.5, 12)).toBeNull();
  expect(evidenceOf(() => 1, 40)).toBeNull();
  expect(evidenceOf(() => 1.5, 5, 0.05)).toBeNull();
  expect(evidenceOf(() => 1.5, 5)).toMatchObject({ blocks: 5 });
});

test('a test that more blocks cannot decide is not continued', () => {
  expect(undecidedEvidence(aRecord([after, before], []), begun, pair)).toBeNull();
  expect(evidenceOf(() => 0)).toBeNull();
  expect(evidenceOf((block) => (block < 20 ? 2 : 0.5), 100)).toBeNull();
});

test('describes earlier evidence in a plain sentence', () => {
  const carried = { run: 43, startedAt: '2026-01-22T02:30:00.000Z', blocks: 1, alpha: 0.05 };
  expect(describeCarried(carried)).toMatch(/^; .* 1 block .* run 43, .* 2026-01-22$/);
  expect(describeCarried(undefined)).toBe('');
});

interface StoredScene {
  readonly record: RunRecord;
  readonly status?: RunStatus;
  readonly farm?: string;
  readonly setting?: RunSetting;
  readonly suite?: string;
}

/** Stores these runs, and looks for the one to continue. */
async function find(...runs: readonly StoredScene[]) {
  const database = join(await aFolder(), 'farm.db');
  const store = await openStore(database);
  for (const {
    record: { run, presences, jobs, trials },
    status = 'finished',
    farm = farmMark(),
    setting = itsSetting,
    suite = 'compare',
  } of runs) {
    const facts = { ...run, suite, presences, jobs, setting: { farm, document: setting } };
    const id = await store.createRun(facts);
    for (const trial of trials) await store.writeTrial(id, trial);
    if (status !== 'running') await store.finishRun(id, status, run.startedAt);
  }
  await store.close();
  return findStoredTest(askedTest, database);
}

test('the newest run of the same test is found, behind those of other questions', async () => {
  const newer = { ...after, target: { ...after.target, executable: '/opt/158/chrome' } };
  const ofOtherBuilds = { ...undecided, presences: [newer, ...undecided.presences.slice(1)] };
  const ofOtherMetric = { ...itsSetting, test: { ...begunTest, metric: 'firstCall' } };
  const found = await find(
    { record: aRemeasuring(swinging, 6) },
    { record: undecided },
    { record: ofOtherBuilds },
    { record: undecided, setting: ofOtherMetric },
    { record: undecided, suite: 'nightly' },
  );
  expect(found).toMatchObject({
    carried: { run: 2, blocks: 8, alpha: begunTest.alpha },
    record: { run: { id: 2 } },
    stored: { farm: farmMark() },
  });
});

test('continues no older test if the newest is decided', async () => {
  expect(await find({ record: undecided }, { record: aRemeasuring(() => 1.5, 12) })).toBeNull();
  expect(await find()).toBeNull();
});

test('an interrupted one is continued, and one in progress is not', async () => {
  const deadFarm = farmMark().replace(/^(\d+):[^:]*/, '$1:1');
  const dead = await find({ record: undecided, status: 'running', farm: deadFarm });
  expect(dead?.carried).toMatchObject({ run: 1, blocks: 8 });
  const stopped = await find({ record: undecided, status: 'interrupted' });
  expect(stopped?.carried).toMatchObject({ run: 1, blocks: 8 });
  expect(await find({ record: undecided, status: 'running' })).toBeNull();
});
