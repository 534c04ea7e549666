import { expect, test } from '@playwright/test';
import type { Assignment } from '../../../../pages/protocol.d.ts';
import type { Pair } from '../../analysis/pairs.ts';
import { seededGenerator } from '../../analysis/stats/random.ts';
import type { MeasurementRules } from '../../model/case.ts';
import type { Job, Plan } from '../../model/plan.ts';
import type { Trial } from '../../model/trial.ts';
import { crossArms, makePlan } from '../../plan/plan.ts';
import { planFurther, planRest } from '../../plan/rest.ts';
import { measurementByRound } from '../../run/rounds.ts';
import { runPlan } from '../../run/runner.ts';
import {
  aBenchmark,
  aCase,
  aFoundDevice,
  aRecord,
  aSearchedTrial,
} from '../../../testing/builders.ts';
import { aScene, NoClock } from '../../../testing/runner-scene.ts';
import { watchBlocks } from './block-watch.ts';

const presences = [aFoundDevice('a'), aFoundDevice('b')];
const arms = crossArms(presences, [aCase()]);
const pair: Pair = {
  a: { deviceId: 'a', case: aCase() },
  b: { deviceId: 'b', case: aCase() },
  metric: aBenchmark.metrics[0]!,
};
const measurement = {
  minGranules: 100,
  settled: { ms: 250, calls: 120 },
  maxMs: 5_000,
  window: { ms: 300, iterations: 5 },
};
const plan = makePlan({
  seed: 7,
  isolation: 'session',
  blocks: 8,
  firstRound: 5,
  measurement,
  presences,
  arms,
});

interface Ran {
  readonly windows: readonly (number | undefined)[];
  readonly told: readonly number[];
  readonly trials: readonly Trial[];
}

/** Runs a plan as a command does, in a browser whose speed wanders; `before` are stored trials. */
async function run(of: Plan, before: readonly Trial[] = [], until = Infinity): Promise<Ran> {
  const generator = seededGenerator(before.length);
  const [windows, told]: [(number | undefined)[], number[]] = [[], []];
  const listener = { onWindowChosen: ({ thenMs }: { thenMs: number }) => told.push(thenMs) };
  const { equipment } = aScene(['completes']);
  const jobs: Job[] = [];
  const server = {
    ...equipment.server,
    issue: (path: string, assignment: Assignment, heard: never) => {
      windows.push(windowOf(assignment.measurement));
      const pageTrial = equipment.server.issue(path, assignment, heard);
      const spread = { sessions: 0.002, stretches: 0.1, generator };
      const { outcome } = aSearchedTrial(jobs.at(-1)!, spread);
      if (outcome.kind !== 'completed') throw new TypeError('it completes');
      const { result } = outcome;
      return {
        ...pageTrial,
        outcome: pageTrial.outcome.then(() => ({ kind: 'result', result }) as const),
      };
    },
  };
  const trials = [...before];
  const { window } = watchBlocks(of, [pair], { margin: 0.02, alpha: 0.05 });
  const tools = {
    ...equipment,
    server,
    ownClock: () => new NoClock(),
    measurementOf: measurementByRound(of, trials, { window, listener }),
    listener: { onTrialStarted: ({ job }: { job: Job }) => jobs.push(job) },
  };
  for await (const trial of runPlan(of, tools)) {
    // A session has its price: without one the formula would have no need of a window.
    trials.push({ ...trial, wallMs: 3_000 });
    if (trials.length === until) break;
  }
  return { windows, told, trials };
}

function windowOf(rules: MeasurementRules): number | undefined {
  return 'window' in rules ? rules.window.ms : undefined;
}

function goingOn(trials: readonly Trial[], jobs = plan.jobs): Plan {
  const setting = { measurement, repeatQuarantined: false, endsEarly: true, pages: '/pages' };
  const record = aRecord(presences, trials, jobs);
  return planRest(
    { ...record, run: { ...record.run, seed: 7 } },
    {
      setting: { ...setting, deadlineMs: 5_000, probes: false, probe: [] },
      presences,
      benchmarks: [aBenchmark],
    },
  );
}

test("gives the first round the plan's window, later trials an announced one", async () => {
  const { windows, told } = await run(plan);
  expect(windows.slice(0, 10)).toEqual(Array(10).fill(300));
  expect(told).toHaveLength(1);
  expect(told[0]).toBeGreaterThan(600);
  expect(windows.slice(10)).toEqual(Array(6).fill(told[0]));
});

test('a continued run has the window that it would have had without the interruption', async () => {
  const { trials, told } = await run(plan);
  const after = await run(goingOn(trials.slice(0, 12)), trials.slice(0, 12));
  expect(after.windows).toEqual(Array(4).fill(told[0]));

  const early = await run(goingOn(trials.slice(0, 7)), trials.slice(0, 7));
  expect(early.windows.slice(0, 3)).toEqual([300, 300, 300]);
  expect(new Set(early.windows.slice(3))).toEqual(new Set(early.told));

  const further = planFurther(goingOn(trials), { arms, blocks: 2 });
  expect((await run(further, trials)).windows).toEqual(Array(4).fill(told[0]));
});

test('keeps the window without a choice or after the first round', async () => {
  expect((await run(plan, [], 10)).told).toEqual([]);
  const kept = measurementByRound(plan, [], { listener: {} });
  expect(plan.jobs.map(kept)).toEqual(plan.jobs.map(() => measurement));
});
