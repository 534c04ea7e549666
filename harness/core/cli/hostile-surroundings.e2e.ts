import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { join } from 'node:path';
import { HostLock } from '../app/run/host-lock.ts';
import { mostStandstillMs } from '../model/environment-limits.ts';
import type { Outcome } from '../model/trial.ts';
import { projectRoot } from '../project.ts';
import { clockLimits } from '../run/own-clock.ts';
import { leftRunning, newestTrials, somePages, startFarm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

test('says so when the system allows too few open files @attack', async () => {
  test.skip(process.platform === 'win32', 'Windows has no such limit');
  const main = join(projectRoot(), 'dist/harness/main.js');
  const { exitCode, stderr } = await execa(
    'sh',
    ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, main, 'devices'],
    { cwd: await aFolder(), reject: false },
  );
  expect(stderr).toMatch(/^crossfarm: The system lets this process open no more files \(EMFILE\)/);
  expect(stderr).toContain('ulimit -n 4096');
  expect(stderr.split('\n')).toHaveLength(2);
  expect(exitCode).toBe(3);
});

test('names the other measuring farm and ends if it may not wait', async () => {
  const folder = await aFolder();
  const own = randomUUID();
  const { signal } = new AbortController();
  const measuring = ['run', '--bench', 'control', '--device', 'node', '--no-wait'];
  await new HostLock(own).hold({ signal, say: () => undefined }, async () => {
    const { exitCode, stderr } = await startFarm(folder, measuring, { CROSSFARM_HOST_LOCK: own });
    expect(stderr).toMatch(
      new RegExp(`farm: Nothing is measured: .*another farm \\(process ${String(process.pid)}, `),
    );
    expect(exitCode).toBe(3);
  });
});

/** More than the farm forgives, by whole looks at its clock and at its processes. */
const standstillMs = mostStandstillMs + 3 * clockLimits.tickMs;

interface MeasuringFarm {
  readonly folder: string;
  readonly child: ReturnType<typeof startFarm>;
}

/** One trial of a page that, inside its window, waits until the test answers it. */
async function aTrial(
  device: string,
  inside: (measured: MeasuringFarm) => Promise<void>,
): Promise<Outcome> {
  const folder = await aFolder();
  const asked = createServer((_request, response) => {
    void inside({ folder, child }).finally(() => response.end());
  }).listen(0, '127.0.0.1');
  await once(asked, 'listening');
  const { port } = asked.address() as AddressInfo;
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
  const child = startFarm(folder, ['run', ...measuring, '--device', device]);
  const { exitCode, stderr } = await child;
  asked.close();
  const [trial] = await newestTrials(folder);
  test.skip(trial?.outcome.kind === 'skipped', `${device} is not installed`);
  expect(exitCode, String(stderr)).toBe(0);
  expect(trial?.outcome).toMatchObject({ kind: 'completed' });
  return trial!.outcome;
}

/** An exclusion lasts as long as the page waits: no less can be shown. */
async function standStill(pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await pause(standstillMs);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
}

test('a farm that is stopped while a page measures quarantines the trial @attack', async () => {
  test.skip(process.platform === 'win32', 'Windows has no such signals');
  const outcome = await aTrial('chromium', ({ child }) => standStill([child.pid ?? 0]));
  expect(outcome).toMatchObject({
    quarantine: expect.arrayContaining([
      expect.stringMatching(/^the farm stood still for \d.* while the page measured/),
    ]),
  });
});

for (const device of ['chromium', 'firefox']) {
  test(`${device}, stopped while its page measures, is excluded with that reason @attack`, async () => {
    test.skip(process.platform !== 'linux', 'states of processes are read from Linux’s /proc');
    const outcome = await aTrial(device, async ({ folder }) => {
      await standStill(leftRunning(folder).map(Number));
    });
    expect(outcome).toMatchObject({
      quarantine: expect.arrayContaining([
        expect.stringMatching(/^the browser stood still for [2-9]\.\d\d s .* was stopped \(limit/),
      ]),
    });
  });
}

test('a page that waits for as long without a stop did not stand still', async () => {
  const outcome = await aTrial('chromium', () => pause(standstillMs));
  expect(outcome).toMatchObject({
    quarantine: expect.not.arrayContaining([expect.stringContaining('stood still')]),
  });
});
