import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { farm, type Finished } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';

/** On Node.js, which is always there and starts in a tenth of a second. */
const short = [
  ...['run', '--device', 'node', '--bench', 'promise', '--param', 'operation=chain'],
  ...['--trials', '2', '--no-repeat', '--json'],
];

test('a run is exported in every format', async () => {
  const here = await aFolder();
  const there = await aFolder();
  expect((await farm(here, ...short)).code).toBe(0);
  const written = (...args: readonly string[]): Promise<Finished> => farm(here, 'export', ...args);

  const csv = await written('--format', 'csv');
  expect(csv.stdout.split('\n')).toHaveLength(3);
  expect(csv.stdout).toMatch(/^run,suite,[\s\S]*\n1,promise,session,/);
  expect((await written('1', '--format', 'junit')).stdout).toMatch(
    /<testsuite name="node" tests="1"/,
  );
  const perfherder = JSON.parse((await written('--format', 'perfherder')).stdout) as {
    suites: { subtests: { value: number; replicates: number[]; lowerIsBetter: boolean }[] }[];
  };
  for (const { value, lowerIsBetter } of perfherder.suites.flatMap(({ subtests }) => subtests)) {
    expect(value).toBeGreaterThan(0);
    expect(typeof lowerIsBetter).toBe('boolean');
  }
  const out = join(there, 'run.json');
  const told = JSON.parse((await written('--out', out, '--json')).stdout) as { bytes: number };
  expect(told).toEqual({ path: out, bytes: readFileSync(out).length, format: 'json' });
  expect((await written('--format', 'xls')).code).toBe(2);
});
