import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { fakeDriver } from '../../../drivers/fake/fake.ts';
import { seededGenerator } from '../../core/analysis/stats/random.ts';
import {
  decide,
  type Decision,
  defaultAlpha,
  defaultMargin,
} from '../../core/analysis/stats/verdict.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { closeRegistries, useRegistry } from '../../testing/npm-registry.ts';
import { playTrace } from '../../testing/played-trace.ts';
import { anInventory, storedBuilds } from '../../testing/stored-builds.ts';
import { compareDefaults } from '../../core/app/defaults.ts';
import { bisectBuilds } from './bisect-builds.ts';
import { bisect, type BuildVerdict, findHalf, standing, countSteps } from './bisection.ts';

closeRegistries();

/** Bisects thirty builds, given their ratios to the oldest, in simulated noise. */
async function simulated(seed: number, ratioOf: (build: number) => number, spread: number) {
  const generator = seededGenerator(seed);
  const alpha = defaultAlpha / countSteps(30);
  let sought: Decision | null = null;
  let steps = 0;
  const ask = (build: number): Promise<BuildVerdict> => {
    steps += 1;
    const differences: number[] = [];
    const margin = sought === null ? defaultMargin : findHalf(sought);
    for (;;) {
      const noise = spread * (generator.normal() - generator.normal());
      differences.push(Math.log(ratioOf(build)) + noise);
      const decision = decide({ differences }, { better: 'lower', margin, alpha });
      const verdict = standing(decision, sought);
      if (verdict === 'undecided' && differences.length < 60) continue;
      sought ??= decision;
      return Promise.resolve(verdict);
    }
  };
  const found = await bisect({ builds: 30, ask, signal: new AbortController().signal });
  return { found, steps };
}

// Normal noise of one trial.
for (const spread of [0.015, 0.025])
  test(`finds the right two of 30 builds in 19 of 20 cases, in noise of ${String(100 * spread)} %`, async () => {
    let right = 0;
    for (let seed = 1; seed <= 20; seed += 1) {
      const since = 1 + Math.floor(seededGenerator(seed).uniform() * 29);
      const ratioOf = (build: number): number => (build >= since ? 1.1 : 1);
      const { found, steps } = await simulated(seed, ratioOf, spread);
      expect(steps).toBeLessThanOrEqual(6);
      if (found.kind === 'narrowed' && found.first === since) right += 1;
    }
    expect(right).toBeGreaterThanOrEqual(19);
  });

test('finds the largest step of a difference in several steps', async () => {
  let right = 0;
  for (let seed = 1; seed <= 20; seed += 1) {
    const ratioOf = (build: number): number => (build >= 20 ? 1.1 : build >= 5 ? 1.02 : 1);
    const { found } = await simulated(seed, ratioOf, 0.015);
    if (found.kind === 'narrowed' && found.first === 20) right += 1;
  }
  expect(right).toBeGreaterThanOrEqual(19);
});

test("names the two builds, each step's cost, and the command to repeat", async () => {
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
    { ...options, probes: false, measurement: 'fast', maxBlocks: 60 },
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
  expect(result.steps[0]?.command).toMatch(
    /^npx crossfarm compare chromium@5\.0 chromium@1\.0 --bench/,
  );
});

test('names the function that made the first build with the difference slower', async () => {
  const versionNow = (): number =>
    Number(/chromium\/(\d+)/.exec(scene.driver.launches.at(-1)?.executable ?? '')?.[1]);
  const isSlow = (): boolean => versionNow() >= 3;
  const scene = await aFakeFarm({
    devices: ['chromium'],
    durationOf: () => (isSlow() ? 12 : 10),
    trace: () => playTrace({ parse: 6, layoutRows: isSlow() ? 6 : 4 }),
  });
  await storedBuilds(join(scene.folder, '.farm', 'farm.db'), 'chromium', ['1.0', '2.0', '3.0']);
  useRegistry('http://127.0.0.1:9', scene.folder);
  const asked = ['chromium@1', 'chromium@3', '--bench', 'control', '--blame'];
  const { code, stdout, stderr } = await scene.farm('bisect', ...asked, '--json');
  expect(code, stderr).toBe(0);
  const { between, blame, report } = JSON.parse(stdout) as Record<string, unknown>;
  expect(between).toEqual(['chromium@2.0', 'chromium@3.0']);
  expect(blame).toMatchObject([{ name: 'layoutRows', change: 2 }]);
  expect(await readFile(String(report), 'utf8')).toContain('layoutRows (page.js:2)');
});

test('says why no function is blamed where builds do not differ', async () => {
  const scene = await aFakeFarm({ devices: ['chromium'], durationOf: () => 10 });
  await storedBuilds(join(scene.folder, '.farm', 'farm.db'), 'chromium', ['1.0', '2.0']);
  useRegistry('http://127.0.0.1:9', scene.folder);
  const asked = ['bisect', 'chromium@1', 'chromium@2', '--bench', 'control', '--blame'];
  const { stderr } = await scene.farm(...asked);
  expect(stderr).toContain('no function is blamed: there is no difference');
});
