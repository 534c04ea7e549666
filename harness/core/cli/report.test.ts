import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { openStore, type Store } from '../store/store.ts';
import { aFoundDevice, aMachine, aRecord } from '../../testing/builders.ts';
import type { FinishedCommand } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess as farm } from '../../testing/in-process-farm.ts';
import { aStoredHistory, hostile, nightJobs, storeNight } from '../../testing/stored-history.ts';

/** Two nights: the second takes twice as long as the first, and Firefox twice as long as Chromium. */
let database: string;
let folder: string;

test.beforeEach(async () => {
  database = await aStoredHistory();
  folder = await aFolder();
});

const report = (...args: readonly string[]): Promise<FinishedCommand> =>
  farm(folder, 'report', ...args, '--database', database);

async function change<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(database);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

interface ReportJson {
  readonly runs: readonly number[];
  readonly baseline: object;
  readonly inShort: readonly { readonly kind: string; readonly lines: readonly string[] }[];
  readonly cases: readonly { readonly targets: readonly { readonly target: string }[] }[];
  readonly comparisons: readonly {
    readonly a: { readonly targetId: string };
    readonly b: { readonly targetId: string };
    readonly ratio: number;
    readonly verdict: string;
    readonly trials?: readonly number[];
  }[];
}

test('compares two runs in one file, in which hostile names are text', async () => {
  const out = join(folder, 'both.html');
  const { code, stdout, stderr } = await report('1', '2', '--json', '--out', out);
  expect(code, stderr).toBe(0);
  const page = readFileSync(out, 'utf8');
  expect(JSON.parse(stdout)).toEqual({ path: out, bytes: Buffer.byteLength(page), runs: [1, 2] });
  expect(page).toContain('Runs 1 and 2: quick');
  expect(page).toContain('chromium, run 1');
  expect(page).not.toContain(hostile);
  expect(page).not.toContain('<script>window');
});

test('prints the same numbers in the terminal report and in JSON', async () => {
  const printed = await report('1', '2', '--device', 'chromium', '--terminal');
  expect(printed.code, printed.stderr).toBe(0);
  expect(printed.stdout).toMatch(/chromium, run 1\s+│ 11\.0 ms .*baseline/);
  expect(printed.stdout).toMatch(/chromium, run 2\s+│ 21\.0 ms .*3 against 3 trials: too few/);
  const told = JSON.parse((await report('1', '2', '--terminal', '--json')).stdout) as ReportJson;
  expect(told).toMatchObject({ runs: [1, 2], baseline: { run: 1 } });
  expect(told.cases).toHaveLength(6);
  const first = told.comparisons.find(({ a }) => a.targetId === 'chromium@2')!;
  expect(first).toMatchObject({
    b: { targetId: 'chromium@1' },
    verdict: 'undecided',
    trials: [3, 3],
  });
  expect(first.ratio).toBeGreaterThan(1.5);
});

test('prints observations with a difference before the tables, for a script, too', async () => {
  const { stdout } = await report('2', '--terminal');
  const lead = stdout.slice(0, stdout.indexOf('│'));
  expect(lead).toMatch(/^In short\n6 cases of 1 benchmark .* 2 browsers/);
  expect(lead).toMatch(
    /\n- Difference seen: .* took \d.*× as long as .*\.\n {2}\d trials (or more )?each, and no trial of the one/,
  );
  const { inShort } = JSON.parse((await report('2', '--terminal', '--json')).stdout) as ReportJson;
  expect(inShort.map(({ kind }) => kind)).toContain('item');
  // Markup and what cannot be seen of a device's name were hostile: the first is text, the other gone.
  const printed = lead.split('\n').map((line) => line.replace(/^(- | {2})/, ''));
  const told = inShort.flatMap(({ lines }) => lines);
  expect(printed.filter((line) => line !== '').slice(0, told.length)).toEqual(told);
  expect(JSON.stringify(inShort)).not.toContain('\u202e');
});

test('a baseline is a run, a device, or a device@run', async () => {
  const told = async (...args: readonly string[]) =>
    JSON.parse((await report(...args, '--terminal', '--json')).stdout) as ReportJson;
  expect(await told('1', '2', '--baseline', '2')).toMatchObject({ baseline: { run: 2 } });
  expect(await told('1', '2', '--baseline', 'firefox@1')).toMatchObject({
    baseline: { target: 'firefox@1' },
  });
  const one = await told('2', '--baseline', 'firefox');
  expect(one).toMatchObject({ runs: [2], baseline: { target: 'firefox' } });
  expect(one.comparisons.every(({ b }) => b.targetId === 'firefox')).toBe(true);
});

test('one run is narrowed to a device, and says so', async () => {
  const { stdout } = await report('--device', 'chromium', '--bench', 'fib', '--terminal');
  expect(stdout).not.toContain('firefox');
  expect(stdout).toMatch(/part is shown.*--device chromium --bench fib/);
});

for (const [what, args, says] of [
  [
    'a run that is named twice',
    ['1', '1'],
    /Run 1 is named twice\.[\s\S]*npx crossfarm report 3 5/,
  ],
  ['a run that is named by two names', ['2', 'latest'], /Run 2 is named twice\./],
  ['a run that there is not', ['1', '7'], /There is no run 7 in [\s\S]*Stored runs: (1, 2|2, 1)/],
  ['a run that is no number', ['1', 'today'], /"today" is not a run/],
  [
    'a device that there is not',
    ['1', '2', '--device', 'firefx'],
    /no device "firefx"[\s\S]*"firefox"/,
  ],
  ['a benchmark that there is not', ['--bench', 'fibb'], /no benchmark "fibb"[\s\S]*"fib"/],
  [
    'a filter that leaves nothing of a run',
    ['1', '2', '--device', 'chromium@1'],
    /Run 2 has nothing of what --device and --bench name/,
  ],
  [
    'a baseline that there is not',
    ['1', '2', '--baseline', 'opera'],
    /no baseline "opera"[\s\S]*chromium@1/,
  ],
  [
    'a baseline that two runs have',
    ['1', '2', '--baseline', 'firefox'],
    /"firefox" is in several[\s\S]*firefox@1, firefox@2/,
  ],
  ['a warm-up of two runs', ['1', '2', '--warm-up'], /--warm-up looks at one trial, and 2 runs/],
] as const) {
  test(`${what} is reported in a sentence`, async () => {
    const { code, stderr, stdout } = await report(...args);
    expect(stderr).toMatch(says);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
}

test('reports a run without results as such, alone or with another', async () => {
  const presences = [aFoundDevice('chromium'), aFoundDevice('firefox', { browser: 'firefox' })];
  const { run } = aRecord(presences, []);
  const planned = { ...run, machine: aMachine, presences, jobs: nightJobs(1) };
  const empty = await change(async (store) => {
    const id = await store.createRun(planned);
    await store.finishRun(id, 'interrupted', '2026-11-22T00:00:00.000Z');
    return String(id);
  });
  for (const args of [[empty], ['1', empty]]) {
    const out = join(folder, `${args.join('-')}.html`);
    const { code, stderr } = await report(...args, '--out', out);
    expect(code, stderr).toBe(0);
    expect(readFileSync(out, 'utf8')).toMatch(
      /Stopped after \d+ of \d+ trials: .*12 without an outcome/,
    );
  }
  expect((await report(empty, '--terminal')).stdout).toContain('not run yet');
});

test('a run that is being carried out says how far it is', async () => {
  const run = await change((store) =>
    storeNight(store, { startedAt: '2026-11-22T00:00:00.000Z', measured: 20, finished: false }),
  );
  const { code, stdout } = await report(String(run), '--terminal');
  expect(code).toBe(0);
  expect(stdout).toMatch(/running.* 20 of 36 cells/);
});
