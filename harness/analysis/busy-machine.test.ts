import { expect, test } from '@playwright/test';
import { crossArms, makePlan } from '../plan/plan.ts';
import {
  aBusyTrial,
  aCase,
  aFoundDevice,
  aMeasurement,
  aRecord,
  aTrial,
} from '../testing/builders.ts';
import { runBesideOthers } from './busy-machine.ts';
import { comparisonSuite } from './verdicts.ts';

const presences = [aFoundDevice('a'), aFoundDevice('b')];
const { jobs } = makePlan({
  seed: 1,
  isolation: 'session',
  blocks: 20,
  firstRound: 5,
  measurement: aMeasurement,
  presences,
  arms: crossArms(presences, [aCase()]),
});

/** A run in which every trial is quarantined, and the first device needs so much more CPU time. */
function busy(ratio: number, suite = comparisonSuite) {
  const trials = jobs.map((job) => {
    const noise = 1 + 0.02 * Math.sin(job.ordinal ** 2 + 1);
    return aBusyTrial(job, 100 * noise * (job.deviceId === 'a' ? ratio : 1), 'others were busy');
  });
  const { run, ...record } = aRecord(presences, trials);
  return { ...record, run: { ...run, suite, command: 'npx farm compare a b --margin 0.05' } };
}

test('a comparison of which no block counts has its verdict by CPU time', () => {
  expect(runBesideOthers(busy(2))).toMatchObject({
    verdict: 'slower',
    metric: 'CPU time',
    ratio: expect.closeTo(2, 1),
  });
  expect(runBesideOthers(busy(1))).toMatchObject({ verdict: 'equivalent' });
});

test('where blocks count, and in other runs, durations alone are judged', () => {
  const quiet = aRecord(
    presences,
    jobs.map((job) => aTrial(job, [1])),
  );
  const compared = { ...quiet, run: { ...quiet.run, suite: comparisonSuite } };
  expect(runBesideOthers(compared)).toBeNull();
  expect(runBesideOthers(busy(2, 'quick'))).toBeNull();
});
