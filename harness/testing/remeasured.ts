/**
 * Builders of the question of a night about two builds, and of the run that measured them, for
 * tests.
 */
import type { Pair } from '../core/analysis/pairs.ts';
import type { RunRecord, RunSetting, SeriesTest } from '../core/model/run.ts';
import type { Trial } from '../core/model/trial.ts';
import type { AskedTest } from '../features/nights/same-test.ts';
import { makePlan } from '../core/plan/plan.ts';
import {
  aBenchmark,
  aCase,
  aFoundDevice,
  aMachine,
  aMeasurement,
  aRecord,
  aTrial,
} from './builders.ts';

export const after = aFoundDevice('chromium@after', { executable: '/opt/157/chrome' });
export const before = aFoundDevice('chromium@before', { executable: '/opt/156/chrome' });

const [metric] = aBenchmark.metrics;
if (metric === undefined) throw new Error('the benchmark of the tests has a metric');

export const buildPair: Pair = {
  a: { deviceId: after.device.id, case: aCase() },
  b: { deviceId: before.device.id, case: aCase() },
  metric,
};

export const askedTest: AskedTest = {
  question: {
    deviceId: 'chromium',
    caseName: 'fib function=asyncFib n=12',
    metric: 'duration',
    margin: 0.02,
  },
  pair: buildPair,
  presences: [after, before],
  measured: { measurement: aMeasurement, pages: '/pages', deadlineMs: 30_000, probes: true },
  machine: aMachine,
  farmVersion: '0.1.0',
};

/** The same question, as begun by a night with three suspects. */
export const begunTest: SeriesTest = { ...askedTest.question, alpha: 0.05 / 3 };

export const itsSetting: RunSetting = {
  ...askedTest.measured,
  repeatQuarantined: true,
  endsEarly: true,
  probe: [],
  test: begunTest,
};

/**
 * Makes a run of the given number of blocks, in which the new build takes `ratio` times as long as
 * the old one.
 */
export function aRemeasuring(ratio: (block: number) => number, blocks = 8): RunRecord {
  const presences = [after, before];
  const plan = makePlan({
    seed: 1,
    isolation: 'session',
    blocks,
    firstRound: 5,
    measurement: aMeasurement,
    presences,
    arms: [buildPair.a, buildPair.b],
  });
  const trials = plan.jobs.map((job): Trial => {
    const value = job.deviceId === after.device.id ? 10 * ratio(job.block) : 10;
    return aTrial(job, [value * (1 + 0.001 * (job.ordinal % 3))]);
  });
  return aRecord(presences, trials, plan.jobs);
}

/** A ratio that stays undecided. */
export function swinging(block: number): number {
  return block % 2 === 0 ? 1.08 : 0.94;
}
