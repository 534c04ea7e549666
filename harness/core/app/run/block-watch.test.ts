import { expect, test } from '@playwright/test';
import type { Assignment } from '../../../../pages/protocol.d.ts';
import { decidePair } from '../../analysis/decide.ts';
import { type Pair, runCircumstances } from '../../analysis/pairs.ts';
import { seededGenerator } from '../../analysis/stats/random.ts';
import type { Plan } from '../../model/plan.ts';
import type { Trial } from '../../model/trial.ts';
import { crossArms, makePlan } from '../../plan/plan.ts';
import { planTrials } from '../../run/rounds.ts';
import { runPlan } from '../../run/runner.ts';
import {
  aBenchmark,
  aBusyTrial,
  aCase,
  aFoundDevice,
  aMeasurement,
  aResult,
  aSearchedTrial,
  aSteadyState,
  aTrial,
} from '../../../testing/builders.ts';
import { aScene, NoClock } from '../../../testing/runner-scene.ts';
import { watchBlocks, type Watching, type Ending } from './block-watch.ts';

const presences = [aFoundDevice('a'), aFoundDevice('b')];
const metric = aBenchmark.metrics[0]!;
const pair: Pair = {
  a: { deviceId: 'a', case: aCase() },
  b: { deviceId: 'b', case: aCase() },
  metric,
};

const planOf = (seed: number, blocks: number): Plan =>
  makePlan({
    seed,
    isolation: 'session',
    blocks,
    firstRound: 5,
    measurement: aMeasurement,
    presences,
    arms: crossArms(presences, [aCase()]),
  });

const plan = planOf(1, 40);

/** Trials after which the watch ended a run whose every trial takes a second, and its reason. */
function endOf(
  { budget, of = plan, ratio = 1 }: Pick<Watching, 'budget'> & { of?: Plan; ratio?: number },
  sofar: readonly Trial[] = [],
): { readonly after: number | null; readonly ending: Ending } {
  let seconds = 0;
  const watch = watchBlocks(of, [pair], {
    margin: 0.001,
    alpha: 0.05,
    budget,
    now: () => seconds * 1000,
  });
  const trials = [...sofar];
  for (const job of of.jobs.filter(({ ordinal }) => of.done?.has(ordinal) !== true)) {
    const value = (job.deviceId === 'a' ? ratio : 1) + 0.01 * (job.ordinal % 3);
    trials.push(aTrial(job, [value]));
    seconds += 1;
    if (!watch.enough(trials)) continue;
    return { after: trials.length - sofar.length, ending: watch.ending(trials) };
  }
  return { after: null, ending: watch.ending(trials) };
}

const endsAfter = (...how: Parameters<typeof endOf>): number | null => endOf(...how).after;

test('a run ends with a round: the first, or any later block', () => {
  expect(endsAfter({ budget: 3_000 })).toBe(10);
  expect(endsAfter({ budget: 12_500 })).toBe(12);
  expect(endsAfter({ budget: 20_000 })).toBe(20);
  expect(endsAfter({})).toBe(null);
});

test('a decided run ends before its budget', () => {
  expect(endsAfter({ ratio: 3, budget: 80_000 })).toBeLessThan(30);
});

test('tells whether a verdict, the budget or the most blocks ended a run', () => {
  expect(endOf({ ratio: 3, budget: 80_000 }).ending).toBe('decided');
  expect(endOf({ budget: 12_500 }).ending).toBe('budget');
  expect(endOf({ of: planOf(1, 6) }).ending).toBe('most-blocks');
  const none = watchBlocks(plan, [pair], { margin: 0.02, alpha: 0.05 });
  expect(none.ending(plan.jobs.slice(0, 3).map((job) => aTrial(job, [1])))).toBe('interrupted');
});

test('counts only the blocks done now for the budget of a continued run', () => {
  const before = plan.jobs.slice(0, 20).map((job) => aTrial(job, [1 + 0.01 * (job.ordinal % 3)]));
  const done = new Set(before.map(({ job }) => job.ordinal));
  expect(endsAfter({ budget: 6_500, of: { ...plan, done } }, before)).toBe(6);
});

test('a budget reckons with the time that longer windows take', () => {
  const rules = { ...plan, measurement: { ...aMeasurement, window: { ms: 300, iterations: 5 } } };
  const of = { ...rules, measurement: { ...rules.measurement, maxMs: 5_000 } };
  const generator = seededGenerator(4);
  const round = of.jobs
    .slice(0, 10)
    .map((job) => aSearchedTrial(job, { stretches: 0.2, generator }));
  const endsWith = (budget: number): boolean => {
    let elapsed = 0;
    const watch = watchBlocks(of, [pair], {
      margin: 0.001,
      alpha: 0.05,
      budget,
      now: () => elapsed,
    });
    elapsed = 10_000;
    return watch.enough(round);
  };
  // Another block takes the 2 s of the others, and 2.1 s more for each of its two trials.
  expect(endsWith(16_300)).toBe(false);
  expect(endsWith(16_100)).toBe(true);
});

const byLoops = 'other programs used 90 % of the CPU (limit 15 %): node × 2 (90 %)';

/** Trials after which a run ends whose every trial is quarantined, and what it says meanwhile. */
function endsBeside(ratio: number, watching: Partial<Watching> = {}) {
  const said: string[] = [];
  const trials: Trial[] = [];
  const say = (sentence: string) => said.push(sentence);
  const watch = watchBlocks({ ...plan, repeatQuarantined: false }, [pair], {
    margin: 0.02,
    alpha: 0.05,
    now: () => 1_000 * trials.length,
    say,
    ...watching,
  });
  for (const job of plan.jobs) {
    const noise = 1 + 0.05 * Math.sin(job.ordinal ** 2 + 1);
    trials.push(aBusyTrial(job, 100 * noise * (job.deviceId === 'a' ? ratio : 1), byLoops));
    if (watch.enough(trials)) break;
  }
  return { said, count: trials.length, standing: watch.standing() };
}

test('on a busy machine a run ends once its CPU time is decided', () => {
  const { count, standing } = endsBeside(2);
  expect(count).toBeLessThan(2 * 10);
  expect(standing).toMatchObject({ kind: 'vanished', reason: expect.stringContaining(byLoops) });
});

test('on a busy machine an undecided run uses its budget, or ten blocks', () => {
  expect(endsBeside(1, { margin: 0.001 }).count).toBe(20);
  expect(endsBeside(1, { margin: 0.001, budget: 60_500 }).count).toBe(60);
});

test('says at once that no trial counts, why, and short budgets', () => {
  const { said } = endsBeside(1, { margin: 0.001, budget: 30_500 });
  expect(said).toEqual([
    expect.stringMatching(/^no trial counts so far.*\(2\).*node × 2 \(90 %\).*CPU time/),
    expect.stringMatching(
      /^the budget will hardly decide this: more blocks of some .* are needed, and 21 s is left$/,
    ),
  ]);
  expect(endsBeside(2, { budget: 300_000 }).said).toHaveLength(1);
});

/**
 * True if a comparison of two sides with themselves ever sees a difference, on a machine with slow
 * spells.
 */
async function isAlarm(seed: number, alpha: number): Promise<boolean> {
  const generator = seededGenerator(seed);
  const { equipment } = aScene(['completes']);
  let isSlow = false;
  const server = {
    ...equipment.server,
    issue: (path: string, assignment: Assignment, heard: never) => {
      if (generator.uniform() < 0.5) isSlow = !isSlow;
      const about = (value: number): number => value * Math.exp(0.01 * generator.normal());
      const timed = Array<number>(9).fill(about(isSlow ? 1.5 : 1));
      const reference = { windowMs: 1, rounds: 1, roundNs: about(isSlow ? 1.4 : 1) };
      const result = aResult(timed, { steadyState: aSteadyState({ reference }) });
      const pageTrial = equipment.server.issue(path, assignment, heard);
      return {
        ...pageTrial,
        outcome: pageTrial.outcome.then(() => ({ kind: 'result', result }) as const),
      };
    },
  };
  const of = planOf(seed, 20);
  const levels = { margin: 0.001, alpha };
  const { enough } = watchBlocks(of, [pair], levels);
  const measured = runPlan(of, { ...equipment, server, ownClock: () => new NoClock() });
  const sofar: Trial[] = [];
  const steps = planTrials(of, measured, { cells: of.jobs, enough, sofar });
  while ((await steps.next()).done !== true);
  const made = decidePair(sofar, pair, { ...levels, ...runCircumstances(of) });
  return made.kind === 'decided-on' && made.decision.significant;
}

// With one false alarm in four, 60 runs pass once in 47 times; with one in seven, 200 once in 35.
for (const [lane, runs] of [
  ['', 60],
  [' @campaign', 200],
] as const) {
  test(`calls equal sides under slow spells different in their share only${lane}`, async () => {
    const alpha = 0.05;
    let alarms = 0;
    for (let seed = 0; seed < runs; seed++) alarms += Number(await isAlarm(seed, alpha));
    // 3 standard errors of what α allows.
    expect(alarms / runs).toBeLessThanOrEqual(alpha + 3 * Math.sqrt((alpha * (1 - alpha)) / runs));
  });
}
