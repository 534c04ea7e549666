import { expect, test } from '@playwright/test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { aFakeFarm } from '../../testing/fake-farm.ts';

const work = ['--bench', 'control', '--trials', '2', '--device', 'one'];
const compared = ['compare', 'one', 'one', '--bench', 'control', '--max-blocks', '6'];

test('a run ends with its table and its report, whose path it says once', async () => {
  const { folder, farm } = await aFakeFarm();
  const { code, stdout, stderr } = await farm('run', ...work);
  expect(code, stderr).toBe(0);
  const path = join(folder, '.farm', 'reports', 'run-1.html');
  expect(stdout).toMatch(/control[\s\S]*report of run 1: /);
  expect(stdout.split('\n').filter((line) => line.includes(`: ${path} (`))).toHaveLength(1);
  expect(readFileSync(path, 'utf8')).toContain('control');
  const resumed = await farm('run', ...work, '--report', 'mine.html');
  expect(resumed.stdout).toContain(`report of run 2: ${join(folder, 'mine.html')}`);
});

test('the last line of JSON is still run-finished, and names the report', async () => {
  const { folder, farm } = await aFakeFarm();
  const { stdout } = await farm('run', ...work, '--json');
  const last = JSON.parse(stdout.split('\n').at(-1) ?? '') as object;
  const report = join(folder, '.farm', 'reports', 'run-1.html');
  expect(last).toMatchObject({ type: 'run-finished', run: 1, report });
  expect(existsSync(report)).toBe(true);
  const { stdout: without } = await farm('run', ...work, '--json', '--no-report');
  expect(JSON.parse(without.split('\n').at(-1) ?? '')).not.toHaveProperty('report');
});

test('a comparison writes its report, unless it is left out', async () => {
  const { folder, farm } = await aFakeFarm();
  const { stdout } = await farm(...compared, '--json');
  const { report } = JSON.parse(stdout) as { readonly report: string };
  expect(report).toBe(join(folder, '.farm', 'reports', 'run-1.html'));
  expect(existsSync(report)).toBe(true);
  const without = await farm(...compared, '--no-report');
  expect(without.stdout).toContain('see it: npx crossfarm report 2');
  expect(existsSync(join(folder, '.farm', 'reports', 'run-2.html'))).toBe(false);
});

test('a report that cannot be written is a sentence, and the run has its exit code', async () => {
  const { folder, farm } = await aFakeFarm();
  const place = join(folder, '.farm', 'reports');
  mkdirSync(dirname(place), { recursive: true });
  // Where the folder should be is a file.
  writeFileSync(place, '');
  for (const args of [['run', ...work], compared]) {
    const { code, stdout, stderr } = await farm(...args);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('the report was not written: ');
    expect(stdout).toMatch(/^see it: npx crossfarm report \d$/m);
  }
});
