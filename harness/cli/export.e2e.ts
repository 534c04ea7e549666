import { expect, test } from '@playwright/test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
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

test('no export holds a secret of devices.json, and only its owner may read the database @attack', async () => {
  const folder = await aFolder();
  const secret = 'hunter2-hunter2';
  const device = {
    id: 'node',
    browser: 'node',
    driver: 'process',
    executable: process.execPath,
    // Node.js refuses to start, and says so with the value of the flag.
    flags: [`--api-key=${secret}`],
    environment: { API_TOKEN: secret, UV_THREADPOOL_SIZE: '2' },
  };
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  await farm(folder, ...short);
  for (const format of ['json', 'csv', 'junit', 'perfherder']) {
    const { code, stdout, stderr } = await farm(folder, 'export', '--format', format);
    expect(code, stderr).toBe(0);
    expect(stdout).not.toContain('hunter2');
  }
  const { stdout } = await farm(folder, 'export', '--format', 'json');
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
