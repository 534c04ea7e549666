import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { type RunningServer, startServer } from '../../drivers/shared/driver-server.ts';
import { watchEnding } from '../../drivers/shared/step.ts';
import { openAgent } from '../probes/remote/node/agent-client.ts';
import { findOnPath } from '../setup/executable.ts';
import { newestTrials, startFarm } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';
import { sshUnder, startSshd, whyNoSshd } from '../testing/sshd.ts';

const missing = ['chromium', 'chromedriver'].find((name) => findOnPath([name]) === null);
test.skip(missing !== undefined, `${String(missing)} is not installed`);
test.skip(process.platform !== 'linux', 'an agent reads Linux’s /proc');

const token = 'S3p_tH-8sQ0aZx1vB2nM4w';

const hasLan = Object.values(networkInterfaces())
  .flatMap((one) => one ?? [])
  .some(({ family, internal }) => family === 'IPv4' && !internal);

interface Place {
  readonly server: string;
  readonly agent: string;
}

/** A WebDriver server that the farm did not start, and a farm agent on its machine. */
async function withPlace(folder: string, work: (place: Place) => Promise<void>): Promise<void> {
  const { program, port } = await startChromedriver();
  const agent = startFarm(folder, ['agent', '--json', '--port', '0'], {
    CROSSFARM_AGENT_TOKEN: token,
  });
  try {
    const [said] = (await once(agent.stdout, 'data')) as [Buffer];
    const { address } = JSON.parse(String(said)) as { address: string };
    await work({ server: `http://127.0.0.1:${String(port)}`, agent: address });
  } finally {
    await program.end(3000);
    agent.kill('SIGINT');
    expect((await agent).exitCode).toBe(0);
  }
}

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

test('measures a browser beside a remote server, and reads its CPU and clock by an agent', async () => {
  const folder = await aFolder();
  await withPlace(folder, async ({ server, agent }) => {
    const there = { browser: 'chromium', driver: 'webdriver', server, flags: ['--no-sandbox'] };
    const devices = [
      { id: 'near', ...there, agent },
      ...(hasLan ? [{ id: 'by-lan', ...there, pages: 'lan' }] : []),
      { id: 'no-agent', ...there, agent: 'http://127.0.0.1:9' },
    ];
    await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices }));
    const cases = ['--bench', 'fib', '--param', 'n=16', '--param', 'function=asyncFib'];
    const { exitCode, stderr } = await startFarm(
      folder,
      ['run', ...cases, '--trials', '1', '--no-repeat', '--isolation', 'session'],
      { CROSSFARM_AGENT_TOKEN: token },
    );
    expect(exitCode, String(stderr)).toBe(0);
    const outcomes = new Map(
      (await newestTrials(folder)).map((trial) => [trial.job.deviceId, trial]),
    );
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
    // Over plain HTTP from another address a page is no secure context.
    if (hasLan) {
      expect(outcomes.get('by-lan')!.outcome).toMatchObject({
        result: { clock: { isolated: false } },
      });
    }
  });
});

test('reads the CPU of a remote machine through ssh in a whole run', async () => {
  const reason = whyNoSshd();
  test.skip(reason !== null, reason ?? '');
  const folder = await aFolder();
  const sshd = await startSshd(folder);
  const { program, port } = await startChromedriver();
  try {
    const device = {
      id: 'by-ssh',
      browser: 'chromium',
      driver: 'webdriver',
      flags: ['--no-sandbox'],
      server: `http://127.0.0.1:${String(port)}`,
      ssh: sshd.destination,
    };
    await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
    const path = `${await sshUnder(sshd.config, folder)}:${process.env['PATH'] ?? ''}`;
    const { exitCode, stderr } = await startFarm(
      folder,
      [
        ...['run', '--bench', 'fib', '--param', 'n=16', '--param', 'function=asyncFib'],
        ...['--trials', '1', '--no-repeat', '--isolation', 'session'],
      ],
      { PATH: path },
    );
    expect(exitCode, String(stderr)).toBe(0);
    const [trial] = await newestTrials(folder);
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
    await program.end(3000);
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
    const server = `http://127.0.0.1:${String(await lookUp())}`;
    const there = { id: 'there', browser: 'chromium', driver: 'puppeteer', server };
    await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [there] }));
    const { exitCode, stderr } = await startFarm(folder, [
      ...['run', '--bench', 'fib', '--param', 'n=16', '--param', 'function=asyncFib'],
      ...['--trials', '1', '--no-repeat', '--isolation', 'session'],
    ]);
    expect(exitCode, String(stderr)).toBe(0);
    const [trial] = await newestTrials(folder);
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
  await withPlace(await aFolder(), async ({ agent }) => {
    await expect(openAgent(agent, 'guess').ask('clock')).rejects.toThrow(/refuses the token/);
    expect((await openAgent(agent, token).ask('clock')).text).toMatch(/^\/clock:\d+$/m);
  });
});
