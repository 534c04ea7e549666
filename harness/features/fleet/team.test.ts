import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { FastifyInstance } from 'fastify';
import { withStore } from '../../core/app/records.ts';
import type { CallCommand } from '../../core/cli/io.ts';
import { describeMachine } from '../../core/setup/machine.ts';
import { aFakeFarm, type FakeAssignment, type FakeFarm } from '../../testing/fake-farm.ts';
import { useFleet } from '../../testing/fleet.ts';
import type { BatchAnswer } from './batch-answer.ts';
import { createSite } from './farm-site.ts';
import { listDecided } from './farm-visits.ts';
import { listHosts, takeHost } from './hosts.ts';
import { JobQueue } from './jobs.ts';
import { submitOrder } from './order.ts';
import type { FarmServer } from './server.ts';
import { makeToken, revokeToken } from './tokens.ts';

const { server: requireServer, withQueue } = useFleet();

function inFarm({ farmIn }: FakeFarm, ...args: readonly string[]): ReturnType<FakeFarm['farmIn']> {
  return farmIn({ environment: { CROSSFARM_FLEET: requireServer().url } }, ...args);
}

async function joinAs(server: FarmServer, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const facts = { ...describeMachine(), devices: ['one', 'two'], inventory: [] };
    // A worker of the test has another identity, and takes the name once this one has left.
    const lease = await takeHost(server, { name, worker: randomUUID(), version: '1', facts });
    await server.query(`UPDATE host SET seen_at = now() - interval '29 s' WHERE name = $1`, [
      lease.host,
    ]);
  }
}

const sides = ['compare', 'one', 'one', '--bench', 'control', '--a-param', 'extraPercent=100'];
const comparison = [...sides, '--max-blocks', '12'];
let trials = 0;
const durationOf = ({ parameters }: FakeAssignment) =>
  (parameters['extraPercent'] === 100 ? 20 : 10) * (1 + 0.02 * Math.sin(trials++));

test('pools what two hosts compared, shows each, and writes their report', async () => {
  requireServer();
  const farms = await Promise.all(['a', 'b'].map(() => aFakeFarm({ durationOf })));
  await withQueue(async (queue) => {
    const first = await queue.submit({ host: 'pool-a', words: comparison, ...person });
    await queue.submit({ host: 'pool-b', words: comparison, ...person, batch: first });
    for (const [index, farm] of farms.entries()) {
      const name = ['pool-a', 'pool-b'][index]!;
      expect((await inFarm(farm, 'worker', '--as', name, '--drain')).code).toBe(0);
    }
    const [farm] = farms as [FakeFarm];
    const shown = await inFarm(farm, 'queue', String(first), '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({
      batch: first,
      together: {
        hosts: [{ host: 'pool-a' }, { host: 'pool-b' }],
        comparisons: [
          {
            verdict: 'slower',
            b: expect.stringContaining('extraPercent=0'),
            differ: false,
            hosts: [
              { host: 'pool-a', verdict: 'slower' },
              { host: 'pool-b', verdict: 'slower' },
            ],
          },
        ],
      },
    });
    const report = await inFarm(farm, 'queue', String(first), '--report', 'fleet.html');
    expect(report.stdout).toContain('on all 2 hosts');
    expect(await readFile(join(farm.folder, 'fleet.html'), 'utf8')).toContain('on all 2 hosts');
  });
});

test('knows the hosts to which nothing is left to measure', () => {
  const of = (host: string, verdict: string) => ({ host, decision: { verdict } });
  const verdict = {
    hosts: [{ host: 'a' }, { host: 'b' }],
    rows: [
      { hosts: [of('a', 'slower'), of('b', 'slower')] },
      { hosts: [of('a', 'equivalent'), of('b', 'undecided')] },
    ],
  };
  expect(listDecided({ kind: 'comparison', verdict } as unknown as BatchAnswer)).toEqual(['a']);
  expect(listDecided(null)).toEqual([]);
});

const person = { priority: 10, askedBy: 'test' };

test('ends what the hosts have decided together, and calls none of it cancelled', async () => {
  requireServer();
  await withQueue(async (queue, server) => {
    await joinAs(server, ['settled-a', 'settled-b']);
    const order = { words: comparison, night: false, askedBy: 'test' };
    const [one] = await submitOrder({ queue, server }, { ...order, on: 'settled-a' });
    const lease = await takeHost(server, { ...(await aWorker(server, 'settled-a')) });
    await queue.take(lease);
    expect(await queue.cancel(one!.id, 10)).toBe('cancelling');
    await queue.end(one!.id, lease, { exitCode: 3, document: null, text: '' });
    expect(await queue.read(one!.id)).toMatchObject({
      state: 'done',
      settled: true,
      settledAfter: 10,
    });
  });
});

/** The identity by which `joinAs` took the name. */
async function aWorker(server: FarmServer, name: string): Promise<Parameters<typeof takeHost>[1]> {
  const [host] = await server.query<{ worker: string }>('SELECT worker FROM host WHERE name = $1', [
    name,
  ]);
  const facts = { ...describeMachine(), devices: [], inventory: [] };
  return { name, worker: host?.worker ?? '', version: '1', facts };
}

test('copies a database into the farm and back, each run once', async () => {
  requireServer();
  const farm = await aFakeFarm({ devices: ['one'] });
  const measured = await farm.farm('run', '--bench', 'control', '--device', 'one', '--trials', '3');
  expect(measured.code, measured.stderr).toBe(0);
  const copy = async (...args: readonly string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await inFarm(farm, 'db', 'copy', ...args, '--json');
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  const database = join(farm.folder, '.farm', 'farm.db');
  expect(await copy(database, 'farm')).toMatchObject({ copied: 1, known: 0 });
  expect(await copy(database, 'farm')).toMatchObject({ copied: 0, known: 1 });
  await copy('farm', 'back.db');
  expect(await copy('farm', 'back.db')).toMatchObject({ copied: 0, running: 0 });
  const [before, after] = await Promise.all(
    [database, join(farm.folder, 'back.db')].map((path) =>
      withStore(path, async (store) => {
        const runs = await store.listRuns();
        const all = await Promise.all(runs.map(({ id }) => store.readIdentity(id)));
        return new Map(all.map((identity, index) => [identity, runs[index]?.counts]));
      }),
    ),
  );
  for (const [identity, counts] of before ?? []) expect(after?.get(identity)).toEqual(counts);
});

test('has the columns of the view in SQLite', async () => {
  requireServer();
  const farm = await aFakeFarm({ devices: ['one'] });
  await farm.farm('run', '--bench', 'control', '--device', 'one', '--trials', '1');
  const { connect } = await import('../../core/store/connection.ts');
  const file = await connect(join(farm.folder, '.farm', 'farm.db'));
  const columns = await file
    .all<{ name: string }>(`SELECT name FROM pragma_table_info('result')`, [])
    .finally(() => file.close());
  await withQueue(async (_queue, server) => {
    const here = await server.query<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns
       WHERE table_schema = 'crossfarm' AND table_name = 'result'`,
    );
    const names = here.map(({ column_name }) => column_name);
    expect(names).toEqual(expect.arrayContaining(columns.map(({ name }) => name)));
  });
});

test('lists the devices of all hosts with what each can do', async () => {
  requireServer();
  const farm = await aFakeFarm({ devices: ['one'] });
  expect((await inFarm(farm, 'worker', '--as', 'with-devices', '--drain')).code).toBe(0);
  const { stdout } = await inFarm(farm, 'devices', '--farm', '--json');
  const devices = JSON.parse(stdout) as readonly object[];
  expect(devices).toContainEqual(
    expect.objectContaining({
      host: 'with-devices',
      id: 'one',
      status: 'found',
      capabilities: expect.arrayContaining([expect.objectContaining({ supported: true })]),
    }),
  );
});

test('prunes old runs, but the newest of each host and suite', async () => {
  requireServer();
  const farm = await aFakeFarm({ devices: ['one'] });
  await withQueue(async (_queue, server) => {
    const insert = `INSERT INTO run (identity, host, lease, suite, isolation, status, started_at, planned, head)
      SELECT 'old-' || i, 'pruned', 0, 'quick', 'session', 'finished', now() - make_interval(days => 400 + i), 0, '{}'
      FROM generate_series(1, 25) AS i`;
    await server.query(insert);
    const prune = (...args: readonly string[]) => inFarm(farm, 'queue', 'prune', '--json', ...args);
    expect(JSON.parse((await prune('--dry-run')).stdout)).toMatchObject({ runs: 24 });
    expect(JSON.parse((await prune()).stdout)).toMatchObject({ runs: 24 });
    expect(await server.query(`SELECT identity FROM run WHERE host = 'pruned'`)).toEqual([
      { identity: 'old-1' },
    ]);
  });
});

const noCall: CallCommand = () => Promise.reject(new Error('no command is called'));

async function withSite(
  { publicOrigin = null, userHeader = null }: Partial<Parameters<typeof createSite>[0]>,
  work: (app: FastifyInstance, server: FarmServer) => Promise<void>,
): Promise<void> {
  await withQueue(async (queue, server) => {
    const { app } = await createSite({
      server,
      queue,
      call: noCall,
      publicOrigin,
      userHeader,
      say: () => undefined,
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    try {
      await work(app, server);
    } finally {
      await app.close();
    }
  });
}

const publicOrigin = 'https://farm.example';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

test('answers this machine without accounts, and other sites not at all @attack', async () => {
  await withSite({}, async (app, server) => {
    await joinAs(server, ['site-host']);
    const address = app.server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const host = `127.0.0.1:${String(port)}`;
    const home = await app.inject({ url: '/', headers: { host } });
    expect(home.statusCode).toBe(200);
    expect(home.body).toContain('<bdi>site-host</bdi>');
    for (const headers of [
      { host: 'evil.example' },
      { host, origin: 'https://evil.example' },
      { host, 'sec-fetch-site': 'cross-site' },
    ]) {
      const payload = 'command=run&on=site-host';
      const refused = await app.inject({
        method: 'POST',
        url: '/order',
        headers: { ...form, ...headers },
        payload,
      });
      expect(refused.statusCode, JSON.stringify(headers)).toBe(403);
    }
    const order = (command: string) =>
      app.inject({
        method: 'POST',
        url: '/order',
        headers: { ...form, host },
        payload: new URLSearchParams({ command, on: 'site-host' }).toString(),
      });
    expect((await order('compare one two --build id')).body).toContain('A job cannot set --build');
    expect((await order('db <b>export</b>')).body).toContain('A job is a command that measures');
    expect((await order(`run --suite 'quick`)).body).toContain('has no end');
    const taken = await order('npx crossfarm compare one two');
    expect(taken.statusCode).toBe(303);
    const job = await app.inject({ url: String(taken.headers.location), headers: { host } });
    expect(job.body).toContain('compare one two');
    expect((await app.inject({ url: '/runs/999999', headers: { host } })).statusCode).toBe(400);
  });
});

test('lets in by tokens that can be revoked, each with its role @attack', async () => {
  await withSite({ publicOrigin }, async (app, server) => {
    const ask = (url: string, token: string | null, method: 'GET' | 'POST' = 'GET') =>
      app.inject({
        url,
        method,
        payload: method === 'POST' ? 'command=run' : undefined,
        headers: {
          ...(method === 'POST' && form),
          host: 'farm.example',
          ...(token !== null && { cookie: `crossfarm_token=${token}` }),
        },
      });
    expect((await ask('/', null)).headers.location).toBe('/login');
    expect((await ask('/', 'crossfarm_guessed')).headers.location).toBe('/login');
    const reader = await makeToken(server, 'reader', 'read');
    expect((await ask('/', reader)).statusCode).toBe(200);
    expect((await ask('/order', reader)).statusCode).toBe(403);
    expect((await ask('/order', reader, 'POST')).statusCode).toBe(403);
    const writer = await makeToken(server, 'writer', 'submit');
    expect((await ask('/order', writer)).statusCode).toBe(200);
    const stored = await server.query('SELECT * FROM token');
    expect(JSON.stringify(stored)).not.toContain(reader);
    await revokeToken(server, 'reader');
    expect((await ask('/', reader)).headers.location).toBe('/login');
    const login = await app.inject({
      method: 'POST',
      url: '/login',
      payload: `token=${writer}`,
      headers: { ...form, host: 'farm.example' },
    });
    expect(login.headers['set-cookie']).toMatch(/HttpOnly; SameSite=Strict; .*Secure/);
  });
});

test('believes the proxy’s header only where it is configured @attack', async () => {
  const asked = { url: '/order', headers: { host: 'farm.example', 'x-user': 'alice' } };
  await withSite({ publicOrigin }, async (app) => {
    expect((await app.inject(asked)).headers.location).toBe('/login');
  });
  await withSite({ publicOrigin, userHeader: 'x-user' }, async (app) => {
    expect((await app.inject(asked)).statusCode).toBe(200);
    const nobody = { ...asked, headers: { host: 'farm.example' } };
    expect((await app.inject(nobody)).headers.location).toBe('/login');
  });
});

test('lets no one cancel the jobs of another, save an administrator @attack', async () => {
  await withSite({ publicOrigin, userHeader: 'x-user' }, async (app, server) => {
    const hosts = await listHosts(server);
    expect(hosts.map(({ name }) => name)).toContain('site-host');
    const queue = await JobQueue.open(server);
    const id = await queue.submit({ host: 'site-host', words: comparison, ...person });
    const cancel = (user: string) =>
      app.inject({
        method: 'POST',
        url: `/jobs/${String(id)}/cancel`,
        payload: '',
        headers: { ...form, host: 'farm.example', 'x-user': user },
      });
    expect((await cancel('mallory')).body).toContain('is not yours');
    expect((await queue.read(id)).state).toBe('waiting');
    expect((await cancel('test')).statusCode).toBe(303);
    expect((await queue.read(id)).state).toBe('cancelled');
    await queue.close();
  });
});
