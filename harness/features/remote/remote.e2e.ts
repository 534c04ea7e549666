import { readFile, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { type RunningServer, startServer } from '../../../drivers/shared/driver-server.ts';
import { watchEnding } from '../../../drivers/shared/step.ts';
import type { Trial } from '../../core/model/trial.ts';
import { openAgent, tokenVariable } from './node/agent-client.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { heard, newestTrials, startFarm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { runInProcess } from '../../testing/in-process-farm.ts';
import { sshUnder, startSshd, whyNoSshd } from '../../testing/sshd.ts';

const missing = ['chromium', 'chromedriver'].find((name) => findOnPath([name]) === null);
test.skip(missing !== undefined, `${String(missing)} is not installed`);
test.skip(process.platform !== 'linux', 'an agent reads Linux’s /proc');

const token = 'S3p_tH-8sQ0aZx1vB2nM4w';

const hasLan = Object.values(networkInterfaces())
  .flatMap((one) => one ?? [])
  .some(({ family, internal }) => family === 'IPv4' && !internal);

/** A WebDriver server that the farm did not start, and a farm agent on its machine. */
let chromedriver: RunningServer;
let agent: ReturnType<typeof startFarm>;
let server: string;
let agentAddress: string;

test.beforeAll(async () => {
  // Also the time that the agent may live: as long as all tests of this file.
  test.setTimeout(600_000);
  agent = startFarm(await aFolder(), ['agent', '--json', '--port', '0'], {
    [tokenVariable]: token,
  });
  agentAddress = (JSON.parse(await heard(agent, /^\}$/m)) as { address: string }).address;
  chromedriver = await startChromedriver();
  server = `http://127.0.0.1:${String(chromedriver.port)}`;
});

test.afterAll(async () => {
  await chromedriver.program.end(3000);
  agent.kill('SIGINT');
  expect((await agent).exitCode).toBe(0);
});

/** It answers when this resolves. */
function startChromedriver(): Promise<RunningServer> {
  return startServer(
    {
      path: findOnPath(['chromedriver']) ?? '',
      arguments: (port) => [`--port=${String(port)}`],
      environment: { PATH: process.env['PATH'] ?? '', HOME: tmpdir() },
    },
    { ending: watchEnding(), abandoned: new AbortController().signal },
  );
}

/** One trial of each device, in the process of this test. */
async function measure(
  folder: string,
  devices: readonly object[],
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly Trial[]> {
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices }));
  const { code, stderr } = await runInProcess(
    folder,
    [
      ...['run', '--bench', 'fib', '--param', 'n=16', '--param', 'function=asyncFib'],
      ...['--trials', '1', '--measurement', 'fast', '--no-repeat', '--isolation', 'session'],
    ],
    { environment },
  );
  expect(code, stderr).toBe(0);
  return newestTrials(folder);
}

test('measures a browser at a remote server, its machine by an agent', async () => {
  const there = { browser: 'chromium', driver: 'webdriver', server, flags: ['--no-sandbox'] };
  const devices = [
    { id: 'near', ...there, agent: agentAddress },
    ...(hasLan ? [{ id: 'by-lan', ...there, pages: 'lan' }] : []),
    { id: 'no-agent', ...there, agent: 'http://127.0.0.1:9' },
  ];
  const trials = await measure(await aFolder(), devices, { [tokenVariable]: token });
  const outcomes = new Map(trials.map((trial) => [trial.job.deviceId, trial]));
  expect(outcomes.size).toBe(devices.length);

  const near = outcomes.get('near')!;
  // It is this machine's own clock.
  expect(Math.abs(near.clock!.offsetMs)).toBeLessThanOrEqual(near.clock!.errorMs);
  expect(near.outcome).toMatchObject({
    result: { clock: { isolated: true } },
    readings: expect.arrayContaining([
      expect.objectContaining({
        probe: 'cpu-thread',
        threads: expect.arrayContaining([expect.objectContaining({ role: 'js-main' })]),
      }),
    ]),
  });
  expect(outcomes.get('no-agent')!.outcome).toMatchObject({
    readings: expect.arrayContaining([
      { probe: 'cpu-core', notSupported: expect.stringContaining('does not answer') },
    ]),
  });
  // Over plain HTTP from another address a page is not a secure context.
  if (hasLan) {
    expect(outcomes.get('by-lan')!.outcome).toMatchObject({
      result: { clock: { isolated: false } },
    });
  }
});

test('reads the CPU of a remote machine through ssh in a whole run', async () => {
  const reason = whyNoSshd();
  test.skip(reason !== null, reason ?? '');
  const folder = await aFolder();
  const sshd = await startSshd(folder);
  try {
    const device = {
      id: 'by-ssh',
      browser: 'chromium',
      driver: 'webdriver',
      flags: ['--no-sandbox'],
      server,
      ssh: sshd.destination,
    };
    const path = `${await sshUnder(sshd.config, folder)}:${process.env['PATH'] ?? ''}`;
    const [trial] = await measure(folder, [device], { PATH: path });
    // It is this machine's own clock.
    expect(Math.abs(trial!.clock!.offsetMs)).toBeLessThanOrEqual(trial!.clock!.errorMs);
    expect(trial!.outcome).toMatchObject({
      readings: expect.arrayContaining([
        expect.objectContaining({
          probe: 'cpu-thread',
          threads: expect.arrayContaining([expect.objectContaining({ role: 'js-main' })]),
        }),
      ]),
    });
  } finally {
    await sshd.close();
  }
});

test('a browser that runs already is measured, and lives on', async () => {
  const folder = await aFolder();
  const profile = join(folder, 'profile');
  const browser = execa(
    'chromium',
    [...['--headless', '--no-sandbox', `--user-data-dir=${profile}`], '--remote-debugging-port=0'],
    { reject: false, stdio: 'ignore' },
  );
  try {
    // Where it writes the port that it took.
    const told = join(profile, 'DevToolsActivePort');
    const portOf = (text: string): string | undefined => /^(\d+)\n/.exec(text)?.[1];
    const lookUp = (): Promise<string | undefined> =>
      readFile(told, 'utf8').then(portOf, () => undefined);
    await expect.poll(lookUp).toBeDefined();
    const address = `http://127.0.0.1:${String(await lookUp())}`;
    const there = { id: 'there', browser: 'chromium', driver: 'puppeteer', server: address };
    const [trial] = await measure(folder, [there]);
    expect(trial).toMatchObject({
      browser: { name: 'chromium', version: expect.stringMatching(/^\d+\.\d+/) },
      outcome: {
        kind: 'completed',
        readings: expect.arrayContaining([
          { probe: 'cpu-thread', notSupported: 'the browser is not on this machine' },
        ]),
      },
    });
    expect(browser.exitCode ?? 'runs').toBe('runs');
  } finally {
    browser.kill();
    await browser;
  }
});

test('an agent whose token is not known gives nothing', async () => {
  await expect(openAgent(agentAddress, 'guess').ask('clock')).rejects.toThrow(/refuses the token/);
  expect((await openAgent(agentAddress, token).ask('clock')).text).toMatch(/^\/clock:\d+$/m);
});
