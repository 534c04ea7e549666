/** `crossfarm continue` of pages of one's own: found where they lay, and refused when they changed. */
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { openStore } from '../../core/store/store.ts';
import { aFakeFarm, type FakeFarm } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';
import { runInProcess } from '../../testing/in-process-farm.ts';

interface Answer {
  readonly run: number;
  readonly comparisons: readonly { readonly blockRatios: readonly number[] }[];
}

interface Scene extends FakeFarm {
  /** Blocks of the first run. */
  readonly countBlocks: () => Promise<number>;
}

/** Files, and browsers in which the second version swings too much for a verdict. */
async function aFarmWith(
  files: readonly string[],
  {
    devices = ['one'],
    onLoad = () => undefined,
  }: { readonly devices?: readonly string[]; readonly onLoad?: (loads: number) => void } = {},
): Promise<Scene> {
  let trials = 0;
  const scene = await aFakeFarm({
    devices,
    trial: pagesWith(() => {
      trials += 1;
      onLoad(trials);
      return { 'measure:job': 2 * (1 + 0.03 * Math.sin(trials * trials)) };
    }),
  });
  for (const file of files) await writeFile(join(scene.folder, file), `<!doctype html>${file}`);
  const countBlocks = async (): Promise<number> => {
    const store = await openStore(join(scene.folder, '.farm', 'farm.db'));
    const record = await store.readRun(1).finally(() => store.close());
    return new Set(record?.trials.map(({ job }) => job.block)).size;
  };
  return { ...scene, countBlocks };
}

const pages = ['old.html', 'new.html'];
const both = ['compare', ...pages, '--seed', '1', '--max-blocks', '8'];
const further = ['--max-blocks', '3'];

test('an undecided comparison of versions gets further blocks, and one verdict on all', async () => {
  const { farm, countBlocks } = await aFarmWith(pages);
  const first = await farm(...both);
  expect(first.stdout, first.stderr).toContain('go on: npx crossfarm continue 1');
  expect(await countBlocks()).toBe(8);
  const run = await farm('continue', ...further, '--no-wait', '--json');
  expect(run.stderr).toContain('continuing run 1, an undecided comparison');
  expect(run.stderr).toContain('measures 1 undecided comparison, and');
  expect(run.code, run.stderr).toBe(0);
  const { comparisons } = JSON.parse(run.stdout) as Answer;
  expect(comparisons).toMatchObject([{ version: 'new.html' }]);
  expect(comparisons[0]?.blockRatios).toHaveLength(11);
  expect(await countBlocks()).toBe(11);
});

test('the limit and error rate that a comparison began with stay its own', async () => {
  const { farm } = await aFarmWith(pages);
  const asked = ['--fail-on', 'slower=0.01%', '--error-rate', '0.1%'];
  const first = await farm(...both, ...asked);
  expect([first.code, first.stderr]).toEqual([4, expect.stringContaining('is not decided')]);
  const run = await farm('compare', '--continue', '1', ...further);
  expect(run.stderr).toContain('whether a version is slower by more than 0.01 % is not decided');
  expect(run.stdout).toContain('at most 0.1 % of the differences are wrong');
  expect(run.code).toBe(4);
});

test('a page that has changed since is refused by its name', async () => {
  const { farm, folder, countBlocks } = await aFarmWith(pages);
  await farm(...both);
  await writeFile(join(folder, 'new.html'), '<!doctype html>another');
  const run = await farm('continue', '1', ...further);
  expect(run.stderr).toMatch(/new\.html of new\.html has changed since[^]*Make it anew: npx cross/);
  expect(run.code).toBe(2);
  await rm(join(folder, 'old.html'));
  expect((await farm('continue', '1')).stderr).toMatch(/old\.html does not exist/);
  expect(await countBlocks()).toBe(8);
});

test('an interrupted comparison goes on from another folder', async () => {
  const stop = new AbortController();
  const onLoad = (loads: number): void => {
    if (loads === 11) stop.abort(new Error('Ctrl-C'));
  };
  const { farmIn, folder, driver, countBlocks } = await aFarmWith(pages, { onLoad });
  const first = await farmIn({ signal: stop.signal }, ...both);
  expect(first.code, first.stderr).toBe(3);
  expect(first.stdout).toContain('go on: npx crossfarm continue 1');
  const before = await countBlocks();
  const elsewhere = join(folder, 'elsewhere');
  await mkdir(elsewhere);
  const database = ['--database', join(folder, '.farm', 'farm.db')];
  const loadDriver = () => Promise.resolve(driver);
  const run = await runInProcess(elsewhere, ['continue', ...database, ...further], { loadDriver });
  expect(run.stderr).toContain('an interrupted comparison');
  expect(run.code, run.stderr).toBe(0);
  expect(await countBlocks()).toBe(before + 3);
});

test('git refs are continued at the commits that were compared', async () => {
  const { farm, folder, countBlocks } = await aFarmWith(['index.html']);
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  const git = (...args: readonly string[]): Promise<unknown> =>
    execa('git', [...who, ...args], { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  const commit = async (text: string): Promise<void> => {
    await writeFile(join(folder, 'index.html'), text);
    await git('add', 'index.html');
    await git('commit', '--quiet', '--message', text);
  };
  await commit('one');
  await git('tag', 'v1');
  await commit('two');
  const first = await farm(
    'compare',
    'v1',
    'main',
    '--seed',
    '1',
    '--max-blocks',
    '8',
    '--page',
    'index.html',
  );
  expect(first.code, first.stderr).toBe(0);
  await commit('three');
  const run = await farm('continue', ...further);
  expect(run.code, run.stderr).toBe(0);
  expect(run.stdout).toMatch(/v1[^]*main/);
  expect(await countBlocks()).toBe(11);
});

test('two browsers on a page of one’s own go on, and so does a run of pages', async () => {
  const { farm, countBlocks, folder } = await aFarmWith(['mine.html'], { devices: ['one', 'two'] });
  const asked = ['--seed', '1', '--max-blocks', '8'];
  const first = await farm('compare', 'one', 'two', '--page', 'mine.html', ...asked);
  expect(first.stdout).toContain('go on: npx crossfarm continue 1');
  const run = await farm('continue', '1', ...further);
  expect(run.code, run.stderr).toBe(0);
  expect(await countBlocks()).toBe(11);
  await farm('run', 'mine.html', '--trials', '8', '--seed', '1');
  const table = await farm('continue', '2', ...further);
  expect(table.stderr).toContain('measures 1 undecided comparison, and');
  expect(table.code, table.stderr).toBe(0);
  await writeFile(join(folder, 'mine.html'), 'another');
  for (const id of ['1', '2']) {
    expect((await farm('continue', id)).stderr).toContain('mine.html has changed since');
  }
});

test('a stranger’s database opens no page and runs no command', async () => {
  const { farm, farmIn, folder } = await aFarmWith(pages);
  await farm(...both);
  const database = join(folder, '.farm', 'farm.db');
  await copyFile(database, join(folder, 'copy.db'));
  const asked = ['--database', 'copy.db'];
  const run = await farmIn({ environment: { CROSSFARM_TRUST: '' } }, 'continue', '1', ...asked);
  expect(run.stderr).toContain('opens "old.html", "new.html" from');
  expect(run.code).toBe(2);
});
