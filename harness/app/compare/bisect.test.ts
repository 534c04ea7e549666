import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { fakeDriver } from '../../../drivers/fake/fake.ts';
import { seededGenerator } from '../../analysis/stats/random.ts';
import { decide, defaultAlpha } from '../../analysis/stats/verdict.ts';
import { aFolder } from '../../testing/folder.ts';
import { closeRegistries, useRegistry } from '../../testing/npm-registry.ts';
import { anInventory, storedBuilds } from '../../testing/stored-builds.ts';
import { compareDefaults } from '../defaults.ts';
import { bisectBuilds } from './bisect.ts';
import { bisect, type BuildVerdict, stepsOf } from './bisection.ts';

closeRegistries();

/** Normal noise of one trial. */
const spread = 0.015;

/** Measures in blocks until it is decided, as a step does it. */
function measured(ratio: number, generator: ReturnType<typeof seededGenerator>) {
  const differences: number[] = [];
  const alpha = defaultAlpha / stepsOf(30);
  for (;;) {
    const noise = spread * (generator.normal() - generator.normal());
    differences.push(Math.log(ratio) + noise);
    const { verdict } = decide({ differences }, { better: 'lower', alpha });
    if (verdict !== 'undecided' || differences.length === 60) return { verdict, differences };
  }
}

test('of 30 builds with a step of 10 %, the right two are found in 19 of 20 seeded cases', async () => {
  let right = 0;
  for (let seed = 1; seed <= 20; seed += 1) {
    const generator = seededGenerator(seed);
    const since = 1 + Math.floor(generator.uniform() * 29);
    let steps = 0;
    const ask = (build: number): Promise<BuildVerdict> => {
      steps += 1;
      const { verdict } = measured(build >= since ? 1.1 : 1, generator);
      const answers = { slower: 'as-the-newest', equivalent: 'as-the-oldest' } as const;
      return Promise.resolve(
        verdict === 'slower' || verdict === 'equivalent' ? answers[verdict] : 'undecided',
      );
    };
    const found = await bisect({ builds: 30, ask, signal: new AbortController().signal });
    expect(steps).toBeLessThanOrEqual(6);
    if (found.kind === 'narrowed' && found.first === since) right += 1;
  }
  expect(right).toBeGreaterThanOrEqual(19);
});

test('a bisection over builds names the two, what each step cost, and how to see it again', async () => {
  const folder = await aFolder();
  const database = join(folder, 'farm.db');
  await storedBuilds(database, 'chromium', ['1.0', '2.0', '3.0', '4.0', '5.0']);
  useRegistry('http://127.0.0.1:9', folder);
  const driver = fakeDriver({
    trial: () => {
      const version = /chromium\/(\d+)/.exec(driver.launches.at(-1)?.executable ?? '')?.[1];
      const timed = [Number(version) >= 4 ? 12 : 10];
      return { does: 'completes', metrics: [{ metric: 'duration', unit: 'ms', timed }] };
    },
  });
  const inventory = await anInventory(folder);
  const options = { ...compareDefaults, inventory, database, bench: 'control' };
  const result = await bisectBuilds(
    ['chromium@1', 'chromium@5'],
    { ...options, probes: false, maxBlocks: 60 },
    {
      signal: new AbortController().signal,
      say: () => undefined,
      loadDriver: () => Promise.resolve(driver),
    },
  );
  expect(result.found).toEqual({ kind: 'narrowed', last: 2, first: 3 });
  expect(result.builds[result.found.first]).toBe('chromium@4.0');
  expect(result.steps.map(({ build, verdict }) => [build, verdict])).toEqual([
    ['chromium@5.0', 'as-the-newest'],
    ['chromium@3.0', 'as-the-oldest'],
    ['chromium@4.0', 'as-the-newest'],
  ]);
  expect(result.steps[0]?.command).toMatch(/^npx farm compare chromium@5\.0 chromium@1\.0 --bench/);
});
