import { expect, test } from '@playwright/test';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completed, makeFacts, makeJobs } from '../../core/store/fixtures/example.ts';
import { openStore } from '../../core/store/store.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess as farm } from '../../testing/in-process-farm.ts';

async function aDatabase(folder: string, years: readonly number[]): Promise<string> {
  const path = join(folder, '.farm', 'farm.db');
  const store = await openStore(path);
  for (const year of years) {
    const [job] = makeJobs(1);
    const startedAt = `${String(year)}-01-01T00:00:00.000Z`;
    const run = await store.createRun({ ...makeFacts([job!]), startedAt });
    await store.writeTrial(run, completed(job!, Array<number>(2_000).fill(1 / 3)));
    await store.finishRun(run, 'finished', startedAt);
  }
  await store.close();
  return path;
}

test('prunes old runs with their traces; an earlier copy keeps them all', async () => {
  const folder = await aFolder();
  const path = await aDatabase(folder, [2020, 2021, 2022, 2023]);
  const traces = [1, 4].map((run) => join(folder, '.farm', 'traces', `run-${String(run)}`));
  for (const one of traces) {
    mkdirSync(one, { recursive: true });
    writeFileSync(join(one, 'trace.json'), '{}');
  }
  const backup = await farm(folder, 'backup', 'copy.db', '--json');
  const told = JSON.parse(backup.stdout) as { path: string; bytes: number };
  expect(told).toEqual({
    path: join(folder, 'copy.db'),
    bytes: statSync(join(folder, 'copy.db')).size,
  });
  expect((await farm(folder, 'backup', 'copy.db')).code).toBe(3);

  const dry = await farm(folder, 'prune', '--keep-days', '30', '--dry-run');
  expect(dry.stdout).toMatch(/^would free \d+ kB.* 3 of 4 runs/);
  const before = statSync(path).size;
  const pruned = await farm(folder, 'prune', '--keep-days', '30', '--json');
  expect(pruned.code, pruned.stderr).toBe(0);
  const answer = JSON.parse(pruned.stdout) as Record<string, unknown>;
  expect(answer).toMatchObject({
    removed: [1, 2, 3],
    kept: 1,
    dryRun: false,
    protected: [{ run: 4, because: 'the last good run of its suite' }],
  });
  expect(statSync(path).size).toBe(answer['bytesAfter']);
  expect(statSync(path).size).toBeLessThan(before);
  expect(traces.map((one) => existsSync(one))).toEqual([false, true]);
  expect((await farm(folder, 'report', '4', '--out', 'report.html')).code).toBe(0);

  const nothing = await farm(folder, 'prune', '--max-size', '1kB');
  expect(nothing.stdout).toMatch(/nothing[\s\S]*run 4 stays[\s\S]*\b1 kB/);
  const merged = await farm(folder, 'import', 'copy.db');
  expect(merged.stdout).toMatch(/copy\.db.*\b3 runs.* 5 to 7.*\b1 run .*already/);
});

const refusals: readonly (readonly [readonly string[], RegExp])[] = [
  [['prune'], /A limit is missing/],
  [['prune', '--keep-days', '0'], /whole number from 1/],
  [['prune', '--max-size', 'much'], /must be a size such as 500MB/],
  [['prune', '--keep-days', '9'], /nothing to prune/],
];

for (const [args, sentence] of refusals) {
  test(`${args.join(' ')} is refused with a sentence`, async () => {
    const refused = await farm(await aFolder(), ...args);
    expect(refused.stderr).toMatch(sentence);
    expect(refused.code).toBe(2);
  });
}
