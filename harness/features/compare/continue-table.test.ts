import { expect, test } from '@playwright/test';
import { join } from 'node:path';
import { caseName } from '../../core/model/case.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { openStore } from '../../core/store/store.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';

/** Two devices that are the same: one case shows it soon, the other swings too much. */
async function aTable() {
  let trials = 0;
  const { folder, farm } = await aFakeFarm({
    durationOf: ({ parameters }) => {
      trials += 1;
      const swing = parameters['rounds'] === 1000 ? 0.001 : 0.012;
      return 2 * (1 + swing * Math.sin(trials * trials));
    },
  });
  const cases = ['--bench', 'control', '--param', 'rounds=1000,2000'];
  const first = await farm('run', ...cases, '--trials', '12', '--seed', '3');
  const countBlocks = async (): Promise<Readonly<Record<string, number>>> => {
    const store = await openStore(join(folder, '.farm', 'farm.db'));
    const record: RunRecord = (await store.readRun(1).finally(() => store.close()))!;
    const of = (rounds: number): number =>
      record.trials.filter(({ job }) => caseName(job.case).includes(`rounds=${String(rounds)}`))
        .length / 2;
    return { steady: of(1000), swinging: of(2000) };
  };
  return { farm, first, countBlocks };
}

test('a run names one command for what is undecided, and it measures only that', async () => {
  const { farm, first, countBlocks } = await aTable();
  expect(first.code, first.stderr).toBe(0);
  expect(first.stdout).toMatch(/1 of 2 comparisons is undecided\. To decide it.*:/);
  const [, command = ''] = /^ *npx crossfarm (continue 1)$/m.exec(first.stdout) ?? [];
  expect(await countBlocks()).toEqual({ steady: 12, swinging: 12 });
  const further = await farm(...command.split(' '), '--max-blocks', '3');
  expect(further.code, further.stderr).toBe(0);
  expect(further.stderr).toContain('measures 1 undecided comparison, and nothing else');
  expect(await countBlocks()).toEqual({ steady: 12, swinging: 15 });
  // It ends as the run did: with all of its table, and its report.
  expect(further.stdout).toMatch(/report of run 1: /);
});

test('what is decided stays, and is not measured again', async () => {
  const { farm } = await aFakeFarm();
  const cases = ['--bench', 'control', '--param', 'rounds=1000'];
  await farm('run', ...cases, '--trials', '12', '--seed', '3');
  const { code, stderr } = await farm('compare', '--continue', '1');
  expect([code, stderr]).toEqual([0, expect.stringContaining('run 1 is decided already')]);
  expect((await farm('continue', '1')).code).toBe(2);
});
