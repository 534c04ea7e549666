import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { aHost, aJob, useFleet } from '../../testing/fleet.ts';
import { testPassword } from '../../testing/postgres.ts';
import { readFarmUrl } from './farm-url.ts';
import { chooseHosts, type Host, leaveHost, takeHost } from './hosts.ts';
import { requireMeasuring } from './measuring-words.ts';
import { FarmServer } from './server.ts';
import { readExported, storeRun } from './store-run.ts';

const fleet = useFleet();
const { withQueue, startWorker } = fleet;

test('measures a job of its host, and sends each trial with the answer', async () => {
  const farm = await aFakeFarm({ devices: ['one'] });
  await withQueue(async (queue, server) => {
    const id = await queue.submit(aJob('whole'));
    const { code, stderr } = await startWorker(farm, 'whole');
    expect(stderr).not.toContain(encodeURIComponent(testPassword));
    expect(code, stderr).toBe(0);
    expect(await queue.read(id)).toMatchObject({ state: 'done', exitCode: 0, starts: 1 });
    expect(
      await server.query(`SELECT device, metric, value FROM result WHERE host = 'whole'`),
    ).toEqual(Array.from({ length: 3 }, () => ({ device: 'one', metric: 'duration', value: 10 })));
    expect(await server.query(`SELECT status, stored FROM run WHERE host = 'whole'`)).toEqual([
      { status: 'finished', stored: 3 },
    ]);
  });
});

test('continues the run that its worker left, without losing or doubling a trial', async () => {
  const leaving = new AbortController();
  let trials = 0;
  const farm = await aFakeFarm({
    devices: ['one'],
    durationOf: () => {
      trials += 1;
      if (trials === 2) leaving.abort(new Error('the worker is ended'));
      return 10;
    },
  });
  await withQueue(async (queue, server) => {
    const id = await queue.submit(aJob('left'));
    await startWorker(farm, 'left', leaving.signal);
    expect((await queue.read(id)).state).toBe('waiting');
    const { code, stderr } = await startWorker(farm, 'left');
    expect(code, stderr).toBe(0);
    expect(await queue.read(id)).toMatchObject({ state: 'done', exitCode: 0, starts: 2 });
    expect(await server.query(`SELECT status, stored FROM run WHERE host = 'left'`)).toEqual([
      { status: 'finished', stored: 3 },
    ]);
  });
});

test('takes a person’s job before a night, and none that was cancelled', async () => {
  await withQueue(async (queue, server) => {
    const host = 'ordered';
    const first = await queue.submit(aJob(host, { who: 'night' }));
    const second = await queue.submit(aJob(host));
    const third = await queue.submit(aJob(host));
    expect(await queue.cancel(second)).toBe('cancelled');
    const lease = await takeHost(server, aHost(host));
    for (const next of [third, first]) {
      expect((await queue.take(lease))?.id).toBe(next);
      await queue.end(next, lease, { exitCode: 0, document: null, text: '' });
    }
    expect(await queue.take(lease)).toBeNull();
  });
});

test('refuses a second worker of one name, and counts nothing of a stale lease', async () => {
  await withQueue(async (_queue, server) => {
    const stale = await takeHost(server, aHost('twice'));
    await expect(takeHost(server, aHost('twice'))).rejects.toMatchObject({
      code: 'machine-in-use',
      message: expect.stringContaining('Another worker is twice already'),
    });
    await leaveHost(server, stale);
    const lease = await takeHost(server, aHost('twice'));
    const document = aRun();
    const origin = { host: 'twice', job: null };
    expect(await storeRun(server, document, { ...origin, lease: stale })).toEqual({
      added: 0,
      isStale: true,
    });
    const count = `SELECT (SELECT count(*) FROM attempt WHERE identity = $1)::int AS attempts,
      (SELECT count(*) FROM run WHERE identity = $1)::int AS runs`;
    expect(await server.query(count, [document.run.identity])).toEqual([{ attempts: 2, runs: 0 }]);
    expect((await storeRun(server, document, { ...origin, lease })).added).toBe(2);
    expect((await storeRun(server, document, { ...origin, lease })).added).toBe(0);
  });
});

test('goes on when the server is back, and says meanwhile that it is away', async () => {
  const server = fleet.server();
  await withQueue(async (queue, connection) => {
    const id = await queue.submit(aJob('restarted'));
    await server.stop();
    await expect(connection.query('SELECT 1')).rejects.toMatchObject({ code: 'farm-unreachable' });
    await server.start();
    expect((await queue.read(id)).state).toBe('waiting');
  });
});

test('names no password where it is wrong', async () => {
  const { port } = fleet.server();
  const server = new FarmServer(
    readFarmUrl(`postgres://farm:wrong-secret@127.0.0.1:${String(port)}/postgres`),
  );
  const refused = await server.query('SELECT 1').catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'farm-unreachable' });
  expect(String(refused)).toContain('the user or the password is wrong');
  expect(JSON.stringify(refused) + String(refused)).not.toContain('wrong-secret');
  expect(() => readFarmUrl('mysql://me:hidden@host/x')).toThrow(/^((?!hidden).)*$/);
});

test('asks another machine for TLS unless its address says otherwise', () => {
  expect(readFarmUrl('postgres://farm@rack-1/crossfarm').connection.ssl).toBe(true);
  expect(readFarmUrl('postgres://farm@rack-1/crossfarm?sslmode=disable').connection.ssl).toBe(
    undefined,
  );
  expect(readFarmUrl('postgres://farm@localhost/crossfarm').connection.ssl).toBe(undefined);
});

test('refuses jobs that do not measure, or lead to programs of the host @attack', () => {
  for (const words of [
    ['db', 'export'],
    ['trust', 'grant'],
    ['nightly', 'install'],
    ['--help'],
    ['compare', 'a', 'b', '--build', 'rm -rf /'],
    ['compare', 'a', 'b', '--build=id'],
    ['compare', 'a', 'b', '--server', 'id', '--url', 'http://localhost:{port}/'],
    ['compare', 'a', 'b', '--measure', '--', '--server', 'id'],
    ['compare', 'a', 'b', '-x'],
    ['compare', 'chromium', 'chromium', '--b-flag=--renderer-cmd-prefix=id'],
    ['run', '--trust-folder'],
    ['run', '--database', '/etc/passwd'],
  ]) {
    expect(() => requireMeasuring(words), words.join(' ')).toThrow(/^A job /);
  }
  requireMeasuring(['compare', 'chromium', 'firefox', '--param', 'n=18']);
});

test('chooses hosts by name, by their devices, or every connected one', () => {
  const hosts = [
    host('idle', { logicalCores: 4, devices: ['chromium'] }),
    host('busy', { logicalCores: 16, devices: ['chromium', 'firefox'], open: 3 }),
    host('gone', { logicalCores: 64, devices: ['firefox'], isLive: false }),
  ];
  expect(chooseHosts(hosts, undefined)).toEqual(['idle']);
  expect(chooseHosts(hosts, 'all')).toEqual(['idle', 'busy']);
  expect(chooseHosts(hosts, 'linux,firefox,cores>=8')).toEqual(['busy']);
  expect(chooseHosts(hosts, 'gone')).toEqual(['gone']);
  expect(() => chooseHosts(hosts, 'cores>=99')).toThrow(/no host with "cores>=99"/);
  expect(() => chooseHosts([], 'all')).toThrow('No host of the farm is there.');
});

function host(
  name: string,
  {
    isLive = true,
    open = 0,
    ...more
  }: { logicalCores: number; devices: string[]; isLive?: boolean; open?: number },
): Host {
  const machine = { platform: 'linux', system: '', cpuModel: '', memoryBytes: 2 ** 33 };
  const facts = { ...machine, inventory: [], ...more };
  return { name, isLive, silentS: 1, open, facts };
}

/** Two trials, of which one failed with a text that PostgreSQL cannot store as it is. */
function aRun(): ReturnType<typeof readExported> {
  const cell = { block: 0, case: 0, device: 'one', sessionKey: 'one' };
  const trial = { startedAt: '2026-01-01T00:00:00.000Z', browser: null, failedAttempts: [] };
  const failed = { kind: 'failed', failure: { code: 'page-error', message: 'a\0b\ud800' } };
  return readExported({
    run: {
      identity: randomUUID(),
      suite: 'quick',
      isolation: 'session',
      status: 'finished',
      startedAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-01T00:01:00.000Z',
      machine: { hostname: 'one' },
    },
    devices: [{ device: { id: 'one', driver: 'playwright' } }],
    benchmarks: [{ id: 'control', version: 1, metrics: [] }],
    cases: [{ benchmark: 'control', parameters: {} }],
    cells: [
      { ...cell, ordinal: 0, trial: { ...trial, outcome: failed } },
      { ...cell, ordinal: 1, trial: { ...trial, outcome: { kind: 'timed-out' } } },
      { ...cell, ordinal: 2, trial: null },
    ],
  });
}
