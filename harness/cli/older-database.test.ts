import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { unpackVersion22 } from '../store/fixtures/version-22.ts';
import { aFolder } from '../testing/folder.ts';
import { farmInProcess as farm } from '../testing/in-process-farm.ts';

test('reports what crossfarm 0.2.0 stored: a comparison, a run and an anomaly', async () => {
  const folder = await aFolder();
  const database = join(folder, 'farm.db');
  unpackVersion22(database);
  const told = [
    ['1', 'Chromium (a)', 'Chromium (b)'],
    ['2', 'Chromium', 'Firefox', 'Node.js'],
  ] as const;
  for (const [run, ...devices] of told) {
    const out = join(folder, `${run}.html`);
    const { code, stderr } = await farm(
      folder,
      'report',
      run,
      '--out',
      out,
      '--database',
      database,
    );
    expect(code, stderr).toBe(0);
    const page = readFileSync(out, 'utf8');
    for (const device of devices) expect(page).toContain(device);
  }
  const listed = await farm(folder, 'anomalies', '--json', '--database', database);
  expect(listed.code, listed.stderr).toBe(0);
  expect(listed.stdout).toContain('half again is slower');
});
