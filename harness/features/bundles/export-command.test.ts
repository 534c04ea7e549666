import { expect, test } from '@playwright/test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import type { FinishedCommand } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';
import { aStoredHistory } from '../../testing/stored-history.ts';

test('a run is exported in every format', async () => {
  const database = await aStoredHistory();
  const folder = await aFolder();
  const written = (...args: readonly string[]): Promise<FinishedCommand> =>
    farmInProcess(folder, 'export', '--database', database, ...args);

  const csv = await written('--format', 'csv');
  expect(csv.stdout.split('\n')).toHaveLength(1 + 36);
  expect(csv.stdout).toMatch(/^run,suite,[\s\S]*\n2,quick,session,/);
  expect((await written('1', '--format', 'junit')).stdout).toMatch(
    /<testsuite name="chromium" tests="6"/,
  );
  const perfherder = JSON.parse((await written('--format', 'perfherder')).stdout) as {
    suites: { subtests: { value: number; replicates: number[]; lowerIsBetter: boolean }[] }[];
  };
  const subtests = perfherder.suites.flatMap((suite) => suite.subtests);
  expect(subtests).toHaveLength(12);
  for (const { value, replicates, lowerIsBetter } of subtests) {
    expect(value).toBeGreaterThan(0);
    expect(replicates).not.toEqual([]);
    expect(lowerIsBetter).toBe(true);
  }
  const out = join(await aFolder(), 'run.json');
  const told = JSON.parse((await written('--out', out, '--json')).stdout) as { bytes: number };
  expect(told).toEqual({ path: out, bytes: readFileSync(out).length, format: 'json' });
  expect((await written('--format', 'xls')).code).toBe(2);
});

test('exports no secret of devices.json, and hides the database from others @attack', async () => {
  const secret = 'hunter2-hunter2';
  // As Node.js says of a flag that it does not know.
  const message = `bad option: --api-key=${secret}`;
  const trial = { does: 'reports-error', phase: 'prepare', message } as const;
  const { farm, folder } = await aFakeFarm({ trial });
  const device = {
    id: 'talkative',
    browser: 'chromium',
    driver: 'playwright',
    executable: process.execPath,
    flags: [`--api-key=${secret}`],
    environment: { API_TOKEN: secret, UV_THREADPOOL_SIZE: '2' },
  };
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  const measured = await farm('run', '--bench', 'control', '--trials', '1');
  expect(measured.code, measured.stderr).toBe(1);
  for (const format of ['json', 'csv', 'junit', 'perfherder']) {
    const { code, stdout, stderr } = await farm('export', '--format', format);
    expect(code, stderr).toBe(0);
    expect(stdout).not.toContain('hunter2');
  }
  const { stdout } = await farm('export', '--format', 'json');
  expect(stdout).toContain('bad option: --api-key=<redacted>');
  const [{ device: exported }] = (JSON.parse(stdout) as { devices: [{ device: object }] }).devices;
  expect(exported).toMatchObject({
    flags: ['--api-key=<redacted>'],
    environment: { API_TOKEN: '<redacted>', UV_THREADPOOL_SIZE: '2' },
  });
  test.skip(process.platform === 'win32', 'Windows has no such permissions');
  const kept = readdirSync(join(folder, '.farm')).filter((name) => name.startsWith('farm.db'));
  expect(kept).toContain('farm.db');
  for (const name of kept) expect(statSync(join(folder, '.farm', name)).mode & 0o077).toBe(0);
});
