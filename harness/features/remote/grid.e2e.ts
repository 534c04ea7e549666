import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Trial } from '../../core/model/trial.ts';
import { tokenVariable } from './node/agent-client.ts';
import { type Agent, startAgent } from './node/agent-server.ts';
import { newestTrials, startFarm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { type RunningGrid, startGrid, whyNoGrid } from '../../testing/selenium-grid.ts';
import { type SshServer, sshUnder, startSshd, whyNoSshd } from '../../testing/sshd.ts';

const reason = whyNoGrid();
test.skip(reason !== null, reason ?? '');
// Two java nodes, their drivers and browsers: much for a small machine.
test.setTimeout(600_000);

const nodes = ['a', 'b'];
const token = 'a token of this test';

let grid: RunningGrid;
let agent: Agent;
let sshd: SshServer | null = null;

test.beforeAll(async () => {
  test.setTimeout(300_000);
  grid = await startGrid(await aFolder(), nodes);
  agent = await startAgent({ host: '127.0.0.1', port: 0, token });
  if (whyNoSshd() === null) sshd = await startSshd(await aFolder());
});

test.afterAll(async () => {
  await sshd?.close();
  await agent.close();
  await grid?.close();
});

const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Every browser on every node: the CPU of the first is read by ssh, that of the second by an agent. */
async function writeInventory(
  folder: string,
  browsers = grid.browsers,
): Promise<readonly string[]> {
  const devices = nodes.flatMap((node) =>
    browsers.map((browser) => ({
      id: `${browser}-${node}`,
      browser,
      driver: 'webdriver',
      server: grid.hub,
      node,
      ...(browser === 'chromium' && { flags }),
      ...(node === 'a' && sshd !== null && { ssh: sshd.destination }),
      ...(node === 'b' && { agent: agent.address }),
    })),
  );
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices }));
  return devices.map(({ id }) => id);
}

/** The farm has the key of the ssh server, and the token of the agent. */
async function environmentOf(folder: string): Promise<Record<string, string>> {
  const path = process.env['PATH'] ?? '';
  const bin = sshd === null ? null : await sshUnder(sshd.config, folder);
  return { [tokenVariable]: token, ...(bin !== null && { PATH: `${bin}:${path}` }) };
}

const work = [
  ...['--bench', 'fib', '--param', 'function=asyncFib', '--param', 'n=18'],
  ...['--measurement', 'fast', '--no-repeat'],
];

const nodeOf = ({ job }: Trial): string => job.deviceId.slice(-1);

function spanOf({ startedAt, wallMs }: Trial): { from: number; to: number } {
  const from = Date.parse(startedAt);
  return { from, to: from + wallMs };
}

function overlap(one: Trial, other: Trial): boolean {
  const [a, b] = [spanOf(one), spanOf(other)];
  return a.from < b.to && b.from < a.to;
}

const pairsOf = (trials: readonly Trial[]): readonly (readonly [Trial, Trial])[] =>
  trials.flatMap((one, index) => trials.slice(index + 1).map((other) => [one, other] as const));

test('devices are found with the nodes that can serve them', async () => {
  const folder = await aFolder();
  const ids = await writeInventory(folder);
  const { stdout } = await startFarm(folder, ['devices', '--json']);
  const found = JSON.parse(String(stdout)) as { id: string; status: string; node: object }[];
  expect(found.map(({ id, status }) => ({ id, status }))).toEqual(
    ids.map((id) => ({ id, status: 'found' })),
  );
  expect(found.map(({ node }) => node)).toEqual(
    ids.map((id) => expect.objectContaining({ name: id.slice(-1) })),
  );
});

test('measures every browser on two nodes in parallel, one per node', async () => {
  const folder = await aFolder();
  const ids = await writeInventory(folder);
  const { exitCode, stderr } = await startFarm(
    folder,
    ['run', ...work, '--trials', '2', '--isolation', 'session'],
    await environmentOf(folder),
  );
  const trials = await newestTrials(folder);
  expect(exitCode, String(stderr)).toBe(0);
  expect(trials).toHaveLength(2 * ids.length);
  for (const trial of trials) {
    expect(trial.outcome.kind).toBe('completed');
    expect(trial.node).toMatchObject({ name: nodeOf(trial) });
    // All clocks are this machine's.
    const { offsetMs, errorMs } = trial.clock ?? { offsetMs: 0, errorMs: 0 };
    expect(Math.abs(offsetMs)).toBeLessThanOrEqual(errorMs);
  }
  const pairs = pairsOf(trials);
  expect(pairs.some(([one, other]) => nodeOf(one) !== nodeOf(other) && overlap(one, other))).toBe(
    true,
  );
  const onOneNode = pairs.filter(([one, other]) => nodeOf(one) === nodeOf(other));
  expect(onOneNode.filter(([one, other]) => overlap(one, other))).toEqual([]);

  const read = trials.filter((trial) => nodeOf(trial) === 'b' || sshd !== null);
  for (const { outcome, job } of read) {
    if (outcome.kind !== 'completed') continue;
    const threads = outcome.readings.find(({ probe }) => probe === 'cpu-thread');
    expect(threads, job.deviceId).toMatchObject({
      threads: expect.arrayContaining([expect.objectContaining({ role: 'js-main' })]),
    });
  }
});

test("a hub's restart during a run costs only the trials of that moment", async () => {
  const folder = await aFolder();
  await writeInventory(folder, ['chromium']);
  const run = startFarm(
    folder,
    ['run', ...work, '--trials', '4', '--json', '--deadline', '20'],
    await environmentOf(folder),
  );
  let restarted: Promise<void> | null = null;
  let said = '';
  run.stdout?.on('data', (piece: Buffer) => {
    said += piece.toString('utf8');
    if (said.includes('"trial-ended"')) restarted ??= grid.restartHub();
  });
  await run;
  await restarted;
  expect(restarted).not.toBeNull();
  const trials = await newestTrials(folder);
  expect(trials).toHaveLength(8);
  const last = trials.filter(({ job }) => job.block === 3);
  expect(last.map(({ outcome }) => outcome.kind)).toEqual(['completed', 'completed']);
});

test('records the trials of a killed node while the other continues', async () => {
  const folder = await aFolder();
  await writeInventory(folder, ['chromium']);
  const run = startFarm(
    folder,
    ['run', ...work, '--trials', '6', '--json', '--deadline', '20'],
    await environmentOf(folder),
  );
  let killed = false;
  let said = '';
  run.stdout?.on('data', (piece: Buffer) => {
    said += piece.toString('utf8');
    // The first trial of that node has ended, and others are to come.
    if (killed || !/"trial-ended".*"device":"chromium-b"/.test(said)) return;
    killed = true;
    void grid.kill('b');
  });
  const { exitCode } = await run;
  expect(killed).toBe(true);
  expect(exitCode).toBe(1);
  const trials = await newestTrials(folder);
  expect(trials).toHaveLength(12);
  const kinds = (node: string) =>
    new Set(trials.filter((one) => nodeOf(one) === node).map(({ outcome }) => outcome.kind));
  expect(kinds('a')).toEqual(new Set(['completed']));
  expect([...kinds('b')]).toEqual(expect.arrayContaining(['completed', 'skipped']));
});
