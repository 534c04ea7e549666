import { expect, test } from '@playwright/test';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completed, makeFacts, failed, makeJobs } from '../../core/store/fixtures/example.ts';
import { openStore } from '../../core/store/store.ts';
import type { FinishedCommand } from '../../testing/farm.ts';
import { aFolder, useOwnTemporaryFolder } from '../../testing/folder.ts';
import { farmInProcess as farm } from '../../testing/in-process-farm.ts';

useOwnTemporaryFolder();

/** A farm's database with this number of runs, made without measuring. */
async function aDatabase(path: string, runs: number): Promise<void> {
  const store = await openStore(path);
  for (let run = 0; run < runs; run += 1) {
    const jobs = makeJobs(4);
    const id = await store.createRun(makeFacts(jobs));
    await store.writeTrial(id, completed(jobs[0]!, [1 / 3, 2, 3]));
    await store.writeTrial(id, failed(jobs[1]!));
    await store.finishRun(id, 'finished', '2026-11-21T01:00:00.000Z');
  }
  await store.close();
}

interface MergeReport {
  readonly files: readonly { readonly runs: readonly { run: number; known: boolean }[] }[];
}

const merged = ({ stdout }: FinishedCommand): MergeReport => JSON.parse(stdout) as MergeReport;

/** Copies of foreign databases, which must be removed. */
const copies = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('crossfarm-import-'));

test('merges runs of several farms once each, and leaves their files unchanged', async () => {
  const folder = await aFolder();
  const [a, b, all] = ['a.db', 'b.db', 'all.db'].map((name) => join(folder, name));
  await aDatabase(a!, 2);
  await aDatabase(b!, 1);
  cpSync(b!, join(folder, 'copy-of-b.db'));
  const before = [a!, b!].map((path) => readFileSync(path));
  const document = join(folder, 'run.json');
  const exported = await farm(folder, 'export', '2', '--database', a!, '--out', document);
  expect(exported.code, exported.stderr).toBe(0);

  const files = ['a.db', 'b.db', 'copy-of-b.db', 'run.json'];
  const first = await farm(folder, 'merge', ...files, '--into', 'all.db', '--json');
  expect(first.code, first.stderr).toBe(0);
  expect(merged(first).files.map(({ runs }) => runs.map(({ run, known }) => [run, known]))).toEqual(
    [
      [
        [1, false],
        [2, false],
      ],
      [[3, false]],
      [[3, true]],
      [[2, true]],
    ],
  );
  const store = await openStore(all!);
  const own = await openStore(a!);
  const there = (await store.readRun(2))!;
  expect(there).toEqual(await own.readRun(2));
  expect(await store.listRuns()).toHaveLength(3);
  await store.close();
  await own.close();
  expect([a!, b!].map((path) => readFileSync(path))).toEqual(before);

  const again = await farm(folder, 'import', 'run.json', 'b.db', '--database', 'all.db');
  expect(again.stdout).toMatch(/run\.json.*\b0 runs.*\b1 run .*already/);
  const resumed = await farm(folder, 'resume', '1', '--database', 'all.db');
  expect(resumed.stderr).toContain('Nothing to resume');
  expect(copies()).toEqual([]);
});

test('an imported run is never started here', async () => {
  const folder = await aFolder();
  await aDatabase(join(folder, 'a.db'), 1);
  const exported = await farm(folder, 'export', '--database', 'a.db');
  const document = JSON.parse(exported.stdout) as {
    run: Record<string, unknown>;
    devices: Record<string, unknown>[];
  };
  document.run['status'] = 'interrupted';
  document.devices[0]!['executable'] = '/bin/false';
  writeFileSync(join(folder, 'evil.json'), JSON.stringify(document));
  expect((await farm(folder, 'import', 'evil.json')).code).toBe(0);
  expect((await farm(folder, 'resume')).stderr).toContain('(1) cannot be gone on with');
  const resumed = await farm(folder, 'resume', '1');
  expect(resumed.code).toBe(2);
  expect(resumed.stderr).toMatch(/Run 1 .*imported/);
});

test('merge is import into a file that must be named', async () => {
  const folder = await aFolder();
  const refused = await farm(folder, 'merge', 'a.db', 'b.db');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('npx crossfarm merge takes --into');
});
