import { expect, test } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exitCodes } from '../errors.ts';
import { openStore } from '../store/store.ts';
import { aFakeFarm, type FakeFarm } from '../../testing/fake-farm.ts';

test('a first look goes on with what is undecided after its suite, and writes one report', async () => {
  const scene: FakeFarm = await aFakeFarm({
    durationOf: ({ parameters }) => {
      const { launches } = scene.driver;
      const isSlow = launches.at(-1)?.flags.includes('--slow') === true;
      // A session a block; of this case the slower side is another one in each.
      const block = launches.filter(({ flags }) => flags.includes('--slow') === isSlow).length;
      if (parameters['function'] === 'syncFib') return isSlow === (block % 2 === 0) ? 4 : 1;
      return isSlow ? 3 : 2;
    },
  });
  const { folder, farm } = scene;
  const device = { browser: 'chromium', driver: 'playwright', executable: process.execPath };
  const devices = [{ id: 'one' }, { id: 'two', flags: ['--slow'] }];
  const listed = JSON.stringify({ devices: devices.map((one) => ({ ...device, ...one })) });
  await writeFile(join(folder, 'devices.json'), listed);
  const { code, stdout, stderr } = await farm('start');
  // On a busy machine no trial may count.
  expect([exitCodes.fine, exitCodes.undecided], stderr).toContain(code);
  expect(stderr).toMatch(
    /going on with run 1: measures \d undecided comparisons?, and nothing else/,
  );
  const store = await openStore(join(folder, '.farm', 'farm.db'));
  const record = (await store.readRun(1).finally(() => store.close()))!;
  const countBlocks = (name: string): number =>
    record.trials.filter(({ job }) => job.case.parameters['function'] === name).length / 2;
  expect(countBlocks('syncFib'), 'no side is always the slower one').toBeGreaterThan(6);
  expect(countBlocks('asyncFib')).toBeGreaterThanOrEqual(6);
  expect(stdout.match(/report of run 1: /g)).toHaveLength(1);
});
