/** Results that Vitest and Speedometer wrote, as stored runs. */
import { expect, test } from '@playwright/test';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeSeries } from '../../core/analysis/series.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { openStore } from '../../core/store/store.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';
import { importFiles } from './import.ts';

const fromVitest = join(import.meta.dirname, 'fixtures', 'vitest-4.json');

/** What Speedometer 3's page offers as full JSON, of two iterations. */
function fromSpeedometer(): Record<string, { name: string; unit: string; values: number[] }> {
  const metric = (name: string, unit: string, values: number[]) => [name, { name, unit, values }];
  return Object.fromEntries([
    metric('Iteration-0-Total', 'ms', [50, 70]),
    metric('Geomean', 'ms', [60, 58]),
    metric('Score', 'score', [16.6, 17.2]),
    metric('TodoMVC-React', 'ms', [50, 48]),
    metric('TodoMVC-React/Adding100Items', 'ms', [30, 29]),
  ]) as ReturnType<typeof fromSpeedometer>;
}

async function importedFrom(file: string): Promise<RunRecord> {
  const into = join(await aFolder(), 'all.db');
  await importFiles([file], into);
  const store = await openStore(into);
  const record = await store.readRun(1);
  await store.close();
  return record!;
}

/** The values of each case and metric. */
function valuesIn(record: RunRecord): Readonly<Record<string, readonly number[]>> {
  return Object.fromEntries(
    makeSeries(record).map(({ case: one, metric, values }) => [
      `${one.benchmark.title}: ${String(one.parameters['name'] ?? metric.title)}`,
      values.map(({ value }) => value),
    ]),
  );
}

async function aFileWith(value: unknown): Promise<string> {
  const file = join(await aFolder(), 'results.json');
  await writeFile(file, JSON.stringify(value));
  return file;
}

test('a file of Vitest bench is a run, with what failed', async () => {
  const record = await importedFrom(fromVitest);
  expect(record.run).toMatchObject({ suite: 'vitest', status: 'finished' });
  const { files } = JSON.parse(await readFile(fromVitest, 'utf8')) as {
    files: { groups: { benchmarks: { median?: number }[] }[] }[];
  };
  const medians = files.flatMap(({ groups }) => groups.flatMap(({ benchmarks }) => benchmarks));
  expect(valuesIn(record)).toEqual({
    'a.bench.js > sort: normal': [medians[0]?.median],
    'a.bench.js > sort: reverse': [medians[1]?.median],
    'b.bench.js > bad: throws': [],
    'b.bench.js > bad: fine': [medians[3]?.median],
  });
  expect(record.trials[2]?.outcome).toMatchObject({ kind: 'failed' });
});

test('samples are kept where Vitest wrote them', async () => {
  const benchmarks = [{ name: 'one', samples: [3, 1, 2], mean: 2, totalTime: 6 }];
  const groups = [{ fullName: 'f > g', benchmarks }];
  const record = await importedFrom(await aFileWith({ files: [{ filepath: 'f', groups }] }));
  expect(record.trials[0]?.outcome).toMatchObject({
    result: { samples: [{ metric: 'duration', timed: [3, 1, 2] }] },
  });
});

test("Speedometer's full and classic JSON give the score and the suites", async () => {
  const full = await importedFrom(await aFileWith(fromSpeedometer()));
  expect(valuesIn(full)).toEqual({
    'Speedometer: Score': [expect.closeTo(16.9, 9)],
    'Speedometer: Geomean': [59],
    'Speedometer: TodoMVC-React': [49],
  });
  const [score] = makeSeries(full).filter(({ metric }) => metric.id === 'Score');
  expect(score?.metric).toMatchObject({ unit: 'points', direction: 'higher' });
  const classic = [
    { tests: { 'TodoMVC-React': { tests: {}, total: 50 } }, total: 50, geomean: 60, score: 16.6 },
    { tests: { 'TodoMVC-React': { tests: {}, total: 48 } }, total: 48, geomean: 58, score: 17.2 },
  ];
  expect(valuesIn(await importedFrom(await aFileWith(classic)))).toEqual(valuesIn(full));
});

test('the same results are stored once, and have a report and exports', async () => {
  const folder = await aFolder();
  const files = ['vitest.json', 'speedometer.json'];
  await cp(fromVitest, join(folder, 'vitest.json'));
  await writeFile(join(folder, 'speedometer.json'), JSON.stringify(fromSpeedometer()));
  const farm = (...args: readonly string[]): ReturnType<typeof farmInProcess> =>
    farmInProcess(folder, ...args, '--database', join(folder, 'all.db'));
  expect((await farm('import', ...files)).code).toBe(0);
  const again = JSON.parse((await farm('import', ...files, '--json')).stdout) as object;
  expect(again).toMatchObject({ files: [1, 2].map((run) => ({ runs: [{ run, known: true }] })) });
  for (const run of ['1', '2']) {
    const report = await farm('report', run, '--json');
    expect(report.code, report.stderr).toBe(0);
    expect((await farm('export', run, '--format', 'bencher')).stdout).toContain('lower_value');
  }
});

test('hostile results are refused or made plain @attack', async () => {
  const bench = { name: '\u001b[2Jx\n<b>', mean: 1 };
  const named = (benchmarks: readonly object[], fullName = '__proto__'): object => ({
    files: [{ filepath: 'f', groups: [{ fullName, benchmarks }] }],
  });
  const record = await importedFrom(await aFileWith(named([bench, bench])));
  expect(record.jobs.map((job) => job.case.parameters['name'])).toEqual([
    ' [2Jx <b>',
    ' [2Jx <b> (2)',
  ]);
  const refused = [
    named([{ name: 'x', mean: -1 }]),
    named([{ name: 'x', mean: 1e300 }]),
    named(Array.from({ length: 101 }, (_, n) => ({ name: String(n), mean: 1 }))),
    named([]),
    Array.from({ length: 200_000 }, () => 0),
    { files: Array.from({ length: 200_000 }, () => 0) },
    { ...fromSpeedometer(), Score: { unit: 'score', values: [] } },
    { ...fromSpeedometer(), Slow: { unit: 'ms', values: [-5] } },
    { files: [] },
  ];
  for (const value of refused) {
    const file = await aFileWith(value);
    await expect(importedFrom(file), JSON.stringify(value).slice(0, 80)).rejects.toMatchObject({
      code: 'bad-import',
    });
  }
});
