import { expect, test } from '@playwright/test';
import type { Job } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import { aFoundDevice, aJob, aPlan, aTrial } from '../../testing/builders.ts';
import { firstCells, planTrials, type PlannedTrial } from './rounds.ts';

const jobs = [0, 1, 2].flatMap((block) =>
  ['a', 'b'].map((deviceId, index) => aJob({ deviceId, block, ordinal: 2 * block + index })),
);
const plan = aPlan(jobs, [aFoundDevice('a'), aFoundDevice('b')]);

async function* trialsOf(of: readonly Job[]): AsyncGenerator<Trial> {
  for (const job of of) yield await Promise.resolve(aTrial(job, [1]));
}

interface Ending {
  readonly endsAfter?: number;
  readonly sofar?: Trial[];
}

/** Returns what each step stores: the cells that it adds, and its own outcome. */
async function steps(of: readonly Job[], { endsAfter, sofar = [] }: Ending = {}) {
  const enough =
    endsAfter === undefined
      ? undefined
      : (trials: readonly Trial[]): boolean => trials.length >= endsAfter;
  const cells = firstCells(plan, enough !== undefined);
  const all: PlannedTrial[] = [];
  for await (const step of planTrials(plan, trialsOf(of), { cells, enough, sofar })) all.push(step);
  return all.map(({ added, trial }) => [
    added.map(({ ordinal }) => ordinal),
    trial.job.ordinal,
    trial.outcome.kind,
  ]);
}

test('a run with an early end plans round by round, leaving none', async () => {
  expect(firstCells(plan, true).map(({ ordinal }) => ordinal)).toEqual([0, 1]);
  expect(await steps(jobs, { endsAfter: 3 })).toEqual([
    [[], 0, 'completed'],
    [[], 1, 'completed'],
    [[2, 3], 2, 'completed'],
    [[], 3, 'skipped'],
  ]);
});

test('any other run has all cells from the start, except repeats', async () => {
  expect(firstCells(plan, false)).toEqual(jobs);
  const [first] = jobs;
  const repeat = aJob({ deviceId: 'a', block: 0, ordinal: 6, repeats: 0 });
  expect(await steps([first!, repeat])).toEqual([
    [[], 0, 'completed'],
    [[6], 6, 'completed'],
  ]);
});

test('trials of before count when it is asked whether there is enough', async () => {
  const sofar = [aTrial(jobs[0]!, [1]), aTrial(jobs[1]!, [1])];
  expect(await steps(jobs.slice(2), { endsAfter: 4, sofar })).toHaveLength(2);
  expect(sofar).toHaveLength(4);
});
