import { expect, test } from '@playwright/test';
import { makePlan } from '../../plan/plan.ts';
import { firstCells, planTrials } from '../../run/rounds.ts';
import {
  aCase,
  aFoundDevice,
  aMeasurement,
  aQuarantinedTrial,
  aTrial,
} from '../../../testing/builders.ts';
import { untilMadeUp } from './run-suite.ts';

/** Eight blocks, and up to four more. */
const plan = {
  ...makePlan({
    seed: 1,
    isolation: 'page',
    blocks: 12,
    measurement: aMeasurement,
    presences: [aFoundDevice('one'), aFoundDevice('two')],
    arms: ['one', 'two'].flatMap((deviceId) => [10, 12].map((n) => ({ deviceId, case: aCase(n) }))),
  }),
  blocks: 8,
};

/** The blocks of a run on a machine that is busy in some of them. */
async function blocksMeasured(disturbed: (block: number, deviceId: string) => boolean) {
  async function* trials() {
    for (const job of plan.jobs) {
      const made = disturbed(job.block, job.deviceId) ? aQuarantinedTrial : aTrial;
      yield await Promise.resolve(made(job, [1]));
    }
  }
  const cells = firstCells(plan, false);
  const rounds = { cells, enough: untilMadeUp(plan).enough, sofar: [] };
  const seen = new Set(cells.map(({ block }) => block));
  let last = 0;
  for await (const { added, trial } of planTrials(plan, trials(), rounds)) {
    for (const { block } of added) seen.add(block);
    expect(trial.outcome.kind).toBe('completed');
    last = trial.job.block;
  }
  expect(seen.size).toBe(last + 1);
  return seen.size;
}

test('measures a spare block in place of each disturbed one', async () => {
  expect(await blocksMeasured(() => false)).toBe(8);
  expect(await blocksMeasured((block) => block === 5)).toBe(9);
  expect(await blocksMeasured((block, id) => block === (id === 'one' ? 2 : 7))).toBe(10);
  expect(await blocksMeasured((block, id) => id === 'two' && (block === 7 || block === 8))).toBe(
    10,
  );
});

test('a machine that stays busy gets no more than the spare blocks', async () => {
  expect(await blocksMeasured(() => true)).toBe(12);
});
