import { expect, test } from '@playwright/test';
import { crossArms, makePlan } from '../plan/plan.ts';
import {
  aBusyTrial,
  aCase,
  aCompletion,
  aFoundDevice,
  aMeasurement,
  aRecord,
  aTrial,
} from '../../testing/builders.ts';
import { mainThreadWait } from '../model/reading.ts';
import { runBesideOthers, waitLeftOut, waitLeftOutText } from './busy-machine.ts';
import { comparisonSuite } from './run-pairs.ts';

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
  return { ...record, run: { ...run, suite, command: 'npx crossfarm compare a b --margin 0.05' } };
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

test('reports the mean share of waiting that was left out of durations', () => {
  const beside = (...shares: readonly (number | null)[]): ReturnType<typeof aTrial>[] =>
    shares.map((value, index) => {
      const share = { title: 'share', unit: null, value };
      const reading = { probe: mainThreadWait, values: { share }, costMs: 1 };
      return aTrial(jobs[index]!, aCompletion({ readings: [reading] }));
    });
  expect(waitLeftOut(beside(0.1, 0.2, null))).toBeCloseTo(0.15, 10);
  expect(waitLeftOutText(beside(0.1, 0.2))).toMatch(/waited for a core .*: 15 % of them/);
  expect(waitLeftOutText(beside(0, 0.001))).toBeNull();
  expect(waitLeftOut(beside(null))).toBeNull();
});
