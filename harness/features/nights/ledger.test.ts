import { expect, test } from '@playwright/test';
import {
  aFoundDevice,
  aJob,
  aMissingDevice,
  aQuarantinedTrial,
  aRecord,
  aTrial,
} from '../../testing/builders.ts';
import type { Outcome } from '../../core/model/trial.ts';
import { twinOf } from './aa-lane.ts';
import { describeDevices, describeMissing, keepLedger } from './judgement.ts';

const jobs = [0, 1, 2, 3].map((ordinal) => aJob({ ordinal, block: ordinal }));
const failed: Outcome = { kind: 'failed', failure: { code: 'browser-died', message: 'gone' } };
const skipped: Outcome = { kind: 'skipped', reason: 'quarantined after 3 trials', remedy: '' };
const late: Outcome = { kind: 'timed-out', failure: { code: 'timed-out', message: 'late' } };

test('every cell with an outcome, whichever: the ledger is even', () => {
  const outcomes = [[1], failed, late, skipped] as const;
  const trials = jobs.map((job, index) => aTrial(job, outcomes[index]!));
  expect(keepLedger(aRecord([], trials, jobs), 4)).toEqual({
    planned: 4,
    completed: 1,
    failed: 1,
    timedOut: 1,
    skipped: 1,
    quarantined: 0,
    withoutOutcome: 0,
    missing: [],
  });
});

test('cells without outcome are counted, named and reported', () => {
  const ledger = keepLedger(aRecord([], [aTrial(jobs[1]!, [1])], jobs), 4);
  expect(ledger.withoutOutcome).toBe(3);
  expect(ledger.missing.map(({ ordinal }) => ordinal)).toEqual([0, 2, 3]);
  expect(describeMissing(ledger)).toMatch(
    /3 of 4 cells.*no outcome.* fib function=asyncFib n=12 on one in block 1$/,
  );
});

test('cells that the store never got are missing, too, and repeats beyond the plan are no fault', () => {
  const lost = keepLedger(aRecord([], [], []), 4);
  expect(lost).toMatchObject({ planned: 4, withoutOutcome: 4, missing: [] });
  expect(describeMissing(lost)).toMatch(/4 of 4 cells.*no outcome.*never stored/);
  const repeated = jobs.map((job) => aTrial(job, [1]));
  expect(keepLedger(aRecord([], repeated), 3)).toMatchObject({ planned: 4, withoutOutcome: 0 });
});

test('thousands of missing cells are counted, and a hundred of them named', () => {
  const many = Array.from({ length: 3000 }, (_, ordinal) => aJob({ ordinal }));
  const ledger = keepLedger(aRecord([], [], many), 3000);
  expect(ledger.withoutOutcome).toBe(3000);
  expect(ledger.missing).toHaveLength(100);
});

test('a device is found, missing or quarantined; a twin is left out', () => {
  const found = aFoundDevice('one');
  const dying = aFoundDevice('two');
  const trials = [aTrial(jobs[0]!, [1]), aTrial(aJob({ ordinal: 9, deviceId: 'two' }), skipped)];
  const presences = [found, dying, aMissingDevice('three'), twinOf(found)];
  expect(describeDevices(aRecord(presences, trials))).toEqual([
    {
      id: 'one',
      state: 'found',
      browser: 'chromium',
      version: '1.2.3',
      because: null,
      tried: 1,
      counting: 1,
    },
    {
      id: 'two',
      state: 'quarantined',
      browser: 'chromium',
      version: '1.2.3',
      because: 'quarantined after 3 trials',
      tried: 0,
      counting: 0,
    },
    {
      id: 'three',
      state: 'missing',
      browser: null,
      version: null,
      because: 'three is not installed',
      tried: 0,
      counting: 0,
    },
  ]);
});

test('a device that skips pages it cannot read counts as found', () => {
  const blind: Outcome = { kind: 'skipped', reason: 'open cannot look into a page', remedy: '' };
  const trials = [aTrial(jobs[0]!, [1]), aTrial(jobs[1]!, blind)];
  expect(describeDevices(aRecord([aFoundDevice('one')], trials))).toMatchObject([
    { state: 'found', because: null, tried: 1, counting: 1 },
  ]);
});

test('quarantined trials are counted, and do not count; a clean repeat stands for one', () => {
  const trials = [
    aQuarantinedTrial(jobs[0]!, [1]),
    aTrial(aJob({ ordinal: 4, repeats: 0 }), [1]),
    aQuarantinedTrial(jobs[1]!, [1]),
    aQuarantinedTrial(aJob({ ordinal: 5, repeats: 1 }), [1]),
  ];
  const record = aRecord([aFoundDevice('one')], trials);
  expect(keepLedger(record, 2)).toMatchObject({ planned: 4, completed: 4, quarantined: 3 });
  expect(describeDevices(record)).toMatchObject([{ tried: 2, counting: 1 }]);
});
