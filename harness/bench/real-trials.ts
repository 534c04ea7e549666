import { defaultMeasurement } from '../plan/catalog/selection.ts';
import type { RunRecord } from '../model/run.ts';
import type { Trial } from '../model/trial.ts';
import { crossLanes, makePlan } from '../plan/plan.ts';
import { farmVersion } from '../project.ts';
import { runPlan } from '../run/runner.ts';
import { describeMachine } from '../setup/machine.ts';
import { controlCase, foundDevices, withLaboratory } from './laboratory.ts';

const blocks = 4;

/** A few trials of `control` with the default probes, on every browser that is here. */
export async function measuredTrials(): Promise<RunRecord> {
  const presences = await foundDevices();
  const startedAt = new Date().toISOString();
  const plan = makePlan({
    seed: 1,
    isolation: 'session',
    blocks,
    measurement: defaultMeasurement,
    presences,
    lanes: crossLanes(presences, [await controlCase({})]),
    repeatQuarantined: false,
  });
  const trials = await withLaboratory(async (equipment) => {
    const seen: Trial[] = [];
    for await (const trial of runPlan(plan, { ...equipment, listener: {} })) seen.push(trial);
    return seen;
  });
  const run = {
    ...({ id: 1, suite: 'bench', seed: 1, isolation: 'session', status: 'finished' } as const),
    ...{
      command: 'npm run bench -- insert',
      farmVersion: farmVersion(),
      machine: describeMachine(),
    },
    ...{ startedAt, finishedAt: new Date().toISOString() },
  };
  const completed = trials.filter(({ outcome }) => outcome.kind === 'completed');
  return { run, presences, jobs: completed.map(({ job }) => job), trials: completed };
}

/** The same trials so many times, each time in later blocks. */
export function manyTimes(record: RunRecord, times: number): RunRecord {
  const perTime = Math.max(0, ...record.jobs.map(({ ordinal }) => ordinal)) + 1;
  const trials = Array.from({ length: times }, (_, time) =>
    record.trials.map((trial): Trial => {
      const { job } = trial;
      const [block, ordinal] = [job.block + time * blocks, job.ordinal + time * perTime];
      return { ...trial, job: { ...job, block, ordinal } };
    }),
  ).flat();
  return { ...record, trials, jobs: trials.map(({ job }) => job) };
}
