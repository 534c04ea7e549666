import { expect, test } from '@playwright/test';
import { decideTable } from '../../core/analysis/decide.ts';
import { countingDisturbed } from '../../core/analysis/series.ts';
import { seededGenerator } from '../../core/analysis/stats/random.ts';
import { waitLeftOut } from '../../core/analysis/busy-machine.ts';
import type { Job } from '../../core/model/plan.ts';
import { mainThreadWait, type Reading } from '../../core/model/reading.ts';
import type { Trial, TrialResult } from '../../core/model/trial.ts';
import { crossArms, makePlan } from '../../core/plan/plan.ts';
import { withoutOthers } from '../../core/run/main-thread-time.ts';
import {
  aBenchmark,
  aCase,
  aCompletion,
  aFoundDevice,
  aMeasurement,
  aResult,
  aTrial,
} from '../../testing/builders.ts';

const presences = [aFoundDevice('a'), aFoundDevice('b')];
const metric = aBenchmark.metrics[0]!;
const pair = {
  a: { deviceId: 'a', case: aCase() },
  b: { deviceId: 'b', case: aCase() },
  metric,
};
const plan = makePlan({
  seed: 1,
  isolation: 'session',
  blocks: 20,
  firstRound: 5,
  measurement: aMeasurement,
  presences,
  arms: crossArms(presences, [aCase()]),
});

const workMs = 400;
const began = 1_800_000_000_000;

/** A page's work, and its wait for a core that another program had, as its counters show. */
function besideNeighbour(waitMs: number): { result: TrialResult; readings: readonly Reading[] } {
  const ended = began + workMs + waitMs;
  const counter = (to: number, from = 0) => ({ title: 'x', unit: 'ms', value: [from, to] });
  const values = {
    at: counter(ended, began),
    waited: counter(waitMs),
    ran: counter(workMs),
    sharedAt: counter(ended, began),
    busy: counter(workMs + waitMs),
    browser: counter(workMs),
  };
  return {
    result: { ...aResult([workMs + waitMs]), endedAt: { duration: [ended] } },
    readings: [{ probe: mainThreadWait, values, costMs: 1 }],
  };
}

type SeenBlocks = ReturnType<typeof besideNeighbour>;

/** A whole comparison of equal versions; the other program takes up to two thirds of a trial. */
function trialsOfEqualVersions(see: (seen: SeenBlocks) => SeenBlocks): readonly Trial[] {
  const generator = seededGenerator(3);
  const quarantine = ['other programs used 90 % of the CPU'];
  return plan.jobs.map((job: Job) => {
    const seen = see(besideNeighbour(2 * workMs * generator.uniform()));
    return aTrial(job, aCompletion({ ...seen, quarantine }));
  });
}

function verdictOn(trials: readonly Trial[]): string {
  const rules = { margin: 0.2, alpha: 0.05, firstRound: 5 };
  const [entry] = decideTable(countingDisturbed(trials), [pair], rules);
  const { decision: made } = entry!;
  return made.kind === 'decided-on' ? made.decision.verdict : made.kind;
}

test('equal versions are the same on a machine that is always busy', () => {
  const freed = trialsOfEqualVersions(({ result, readings }) => withoutOthers(result, readings));
  expect(verdictOn(freed)).toBe('equivalent');
  expect(waitLeftOut(freed)).toBeGreaterThan(0.3);
  expect(waitLeftOut(freed)).toBeLessThan(0.9);
  // The time that the other program took would hide it.
  expect(verdictOn(trialsOfEqualVersions((seen) => seen))).toBe('undecided');
});
