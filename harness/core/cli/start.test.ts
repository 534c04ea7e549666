import { expect, test } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '../store/store.ts';
import { aFakeFarm, type FakeFarm } from '../../testing/fake-farm.ts';

test('a first look goes on with what is undecided after its suite, and writes one report', async () => {
  let trials = 0;
  const scene: FakeFarm = await aFakeFarm({
    durationOf: ({ parameters }) => {
      trials += 1;
      const swing = parameters['function'] === 'syncFib' ? 0.9 : 0.001;
      const isSlow = scene.driver.launches.at(-1)?.flags.includes('--slow') === true;
      return (isSlow ? 3 : 2) * (1 + swing * Math.sin(trials * trials));
    },
  });
  const { folder, farm } = scene;
  const device = { browser: 'chromium', driver: 'playwright', executable: process.execPath };
  const devices = [{ id: 'one' }, { id: 'two', flags: ['--slow'] }];
  const listed = JSON.stringify({ devices: devices.map((one) => ({ ...device, ...one })) });
  await writeFile(join(folder, 'devices.json'), listed);
  const { code, stdout, stderr } = await farm('start');
  expect(code, stderr).toBe(0);
  const store = await openStore(join(folder, '.farm', 'farm.db'));
  const record = (await store.readRun(1).finally(() => store.close()))!;
  const countBlocks = (name: string): number =>
    record.trials.filter(({ job }) => job.case.parameters['function'] === name).length / 2;
  expect(countBlocks('syncFib'), 'it swings too much to be decided').toBe(12);
  // After 6 of the suite; on a busy machine some of those do not count.
  expect(countBlocks('asyncFib')).toBeGreaterThanOrEqual(6);
  expect(stdout).toMatch(/asyncFib\(14\) +│ +2\.00 ms │ ▼ 50 % slower/);
  expect(stdout.match(/report of run 1: /g)).toHaveLength(1);
});
