import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { join } from 'node:path';
import { projectRoot } from '../project.ts';
import { clockLimits } from '../run/own-clock.ts';
import { newestTrials, somePages, startFarm } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';

test('where the system lets the farm open few files, it says so in a sentence @attack', async () => {
  test.skip(process.platform === 'win32', 'Windows has no such limit');
  const main = join(projectRoot(), 'dist/harness/main.js');
  const { exitCode, stderr } = await execa(
    'sh',
    ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, main, 'devices'],
    { cwd: await aFolder(), reject: false },
  );
  expect(stderr).toMatch(/^farm: The system lets this process open no more files \(EMFILE\)/);
  expect(stderr).toContain('ulimit -n 4096');
  expect(stderr.split('\n')).toHaveLength(2);
  expect(exitCode).toBe(3);
});

/** More than the farm forgives, by whole looks at its clock. */
const standstillMs = clockLimits.gapMs + 2 * clockLimits.tickMs;

test('a farm that is stopped while a page measures quarantines the trial @attack', async () => {
  test.skip(process.platform === 'win32', 'Windows has no such signals');
  const folder = await aFolder();
  let farmPid = 0;
  // The page asks here from inside its window.
  const inside = createServer((_request, response) => {
    process.kill(farmPid, 'SIGSTOP');
    setTimeout(() => {
      process.kill(farmPid, 'SIGCONT');
      response.end();
    }, standstillMs);
  }).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  const { port } = inside.address() as AddressInfo;
  const pages = await somePages(
    folder,
    `await post('window', '{"mark":"start"}');
     const began = performance.now();
     await fetch('http://127.0.0.1:${String(port)}/', { mode: 'no-cors' }).catch(() => undefined);
     const timed = [performance.now() - began];
     await post('window', '{"mark":"end"}');
     await post('result', JSON.stringify({ protocol: 1, clock: { granuleUs: 5, isolated: true },
       host: { userAgent: '', hardwareConcurrency: 2 }, repeats: 1, steadiness: 'flat', counters: {},
       samples: [{ metric: 'duration', unit: 'ms', warmUp: [], timed }] }));`,
  );
  const measuring = ['--pages', pages, '--bench', 'mine', '--trials', '1', '--no-repeat'];
  const child = startFarm(folder, ['run', ...measuring, '--device', 'chromium']);
  farmPid = child.pid ?? 0;
  const { exitCode, stderr } = await child;
  inside.close();
  const [trial] = await newestTrials(folder);
  test.skip(trial?.outcome.kind === 'skipped', 'Chromium is not installed');
  expect(exitCode, String(stderr)).toBe(0);
  expect(trial?.outcome).toMatchObject({
    kind: 'completed',
    quarantine: expect.arrayContaining([
      expect.stringMatching(/^the farm stood still for \d.* while the page measured/),
    ]),
  });
});
