import { expect, test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess as farm } from '../../testing/in-process-farm.ts';
import { aChangedFarm } from '../../testing/stored-nights.ts';
import { connect } from '../../core/store/connection.ts';

test('prints a settled change with its first night and what changed then', async () => {
  const folder = await aFolder();
  await aChangedFarm(folder, 10);
  const told = await farm(folder, 'history');
  expect(told.code).toBe(0);
  expect(told.stdout).toContain('2026-01-21');
  expect(told.stdout).toContain('browser 20.0.1 → 20.0.2');
  expect(told.stderr).toMatch(/30 runs of nightly.*\b1 settled.*\b0 suspects/);

  await farm(folder, 'report', 'latest', '--out', 'night.html');
  expect(await readFile(join(folder, 'night.html'), 'utf8')).toContain('<h2 id="trends">');

  const { stdout } = await farm(folder, 'history', '--json');
  const { series } = JSON.parse(stdout) as { series: { nights: unknown[] }[] };
  expect(series).toMatchObject([
    {
      case: 'control rounds=300000 extraPercent=0 place=worker',
      device: 'node',
      unit: 'ms',
      changes: [{ run: 21, cause: { kind: 'browser' } }],
      suspect: null,
    },
  ]);
  expect(series[0]?.nights).toHaveLength(30);
});

test('suspects a change of the last nights, and refuses an unknown suite', async () => {
  const folder = await aFolder();
  await aChangedFarm(folder);
  const told = await farm(folder, 'history');
  expect(told.stdout).toMatch(/suspect 1\.\d+×/);
  expect(told.stderr).toContain('1 suspect');
  const other = await farm(folder, 'history', '--suite', 'nigthly');
  expect(other.stderr).toContain('Did you mean "nightly"?');
  expect(other.code).toBe(2);
});

test('says since when a device draws in another way', async () => {
  const folder = await aFolder();
  const { database } = await aChangedFarm(folder, 10);
  const connection = await connect(database);
  await connection.all(
    `UPDATE run_history SET medians = json_set(medians, '$[0][7]',
       json_array('software', 'llvmpipe', 'headless', 1)) WHERE run_id > 12`,
  );
  await connection.close();
  const { stderr } = await farm(folder, 'history');
  expect(stderr).toContain('node since run 13: drawn by unknown → software (llvmpipe); not pooled');
});

test('a database that is not there is refused, and not made', async () => {
  const folder = await aFolder();
  const none = await farm(folder, 'history');
  expect(none.code).not.toBe(0);
  expect(none.stderr).toMatch(
    /No history was found[^]*Measure it every night: npx crossfarm nightly$/m,
  );
  expect(existsSync(join(folder, '.farm'))).toBe(false);
});

test('line ends and control characters of an edited database are not printed', async () => {
  const folder = await aFolder();
  const { database } = await aChangedFarm(folder, 10);
  const connection = await connect(database);
  const [escape, mark] = ['\u001b[8m\u001b]0;x\u0007\u009b2J\u202e', 'shown'];
  await connection.all('UPDATE metric SET title = ?', [`${mark}-title${escape}\ninvented line`]);
  await connection.all("UPDATE run_history SET medians = replace(medians, '20.0.2', ?)", [
    JSON.stringify(`${mark}-version${escape}`).slice(1, -1),
  ]);
  await connection.all('UPDATE run SET suite = ? WHERE id = 1', [`nightlz${escape}`]);
  await connection.close();
  const told = await farm(folder, 'history');
  expect(told.stdout).toContain('shown-title');
  expect(told.stdout).toContain('20.0.1 → shown-version');
  expect(told.stdout).not.toMatch(/^│ invented line/m);
  const refused = await farm(folder, 'history', '--suite', 'nightl');
  expect(refused.stderr).toContain('nightlz');
  for (const text of [told.stdout, told.stderr, refused.stderr]) {
    expect(text).not.toMatch(/[\u0007\u009b\u202e]/);
  }
});
