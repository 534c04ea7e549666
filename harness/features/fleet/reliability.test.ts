import { expect, test } from '@playwright/test';
import { findOnPath } from '../../core/setup/executable.ts';
import { aFakeFarm, type FakeFarm } from '../../testing/fake-farm.ts';
import { aHost, aJob, useFleet } from '../../testing/fleet.ts';
import { aFolder } from '../../testing/folder.ts';
import {
  findPostgres,
  makeCertificate,
  noPostgres,
  startPostgres,
} from '../../testing/postgres.ts';
import { readFarmUrl } from './farm-url.ts';
import { leaveHost, takeHost } from './hosts.ts';
import { channelOf, JobQueue } from './jobs.ts';
import { FarmServer } from './server.ts';

const fleet = useFleet();
const { withQueue, startWorker, runIn } = fleet;

/** Played trials, before each of which something happens, by their numbers from 1. */
function aFarmIn(happens: (trial: number) => Promise<unknown>): Promise<FakeFarm> {
  let trials = 0;
  return aFakeFarm({
    devices: ['one'],
    trial: {
      does: 'completes',
      metrics: [{ metric: 'duration', unit: 'ms', timed: [10] }],
      work: async () => {
        trials += 1;
        await happens(trials);
      },
    },
  });
}

const readRuns = (server: FarmServer, host: string): Promise<readonly object[]> =>
  server.query('SELECT status, stored FROM run WHERE host = $1 ORDER BY id', [host]);

test('measures on while the server is away, and sends all once it is back', async () => {
  const postgres = fleet.server();
  const farm = await aFarmIn(async (trial) => {
    if (trial === 2) await postgres.stop();
    if (trial === 4) await postgres.start();
  });
  await withQueue(async (queue, server) => {
    const id = await queue.submit(aJob('cut-off', { trials: 5 }));
    const { code, stderr } = await startWorker(farm, 'cut-off');
    expect(code, stderr).toBe(0);
    expect(await queue.read(id)).toMatchObject({ state: 'done', exitCode: 0, starts: 1 });
    expect(await readRuns(server, 'cut-off')).toEqual([{ status: 'finished', stored: 5 }]);
  });
});

test('lets several begin at once on a server that is new', async () => {
  const address = new URL(fleet.server().url);
  const admin = new FarmServer(readFarmUrl(address.href));
  await admin.query('CREATE DATABASE new_farm');
  address.pathname = '/new_farm';
  const servers = Array.from({ length: 4 }, () => new FarmServer(readFarmUrl(address.href)));
  const opened = await Promise.allSettled(servers.map((one) => JobQueue.open(one)));
  const refused = opened.filter((one) => one.status === 'rejected');
  for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
  for (const server of servers) await server.close();
  await admin.query('DROP DATABASE new_farm');
  await admin.close();
  expect(refused).toEqual([]);
});

test('waits for a server that it knows, and for no other', async () => {
  const postgres = fleet.server();
  const farm = await aFakeFarm({ devices: ['one'] });
  await postgres.stop();
  const unknown = await startWorker(farm, 'early');
  expect(unknown.code, unknown.stderr).toBe(3);
  expect(unknown.stderr).toContain('cannot be used');
  await postgres.start();
  await startWorker(farm, 'early');
  await postgres.stop();
  const leaving = new AbortController();
  let started: Promise<void> | null = null;
  const onOutput = (text: string): void => {
    if (text.includes('sent later')) started ??= postgres.start();
    if (text.includes('waits for jobs')) leaving.abort(new Error('seen'));
  };
  const { code, stderr } = await runIn(farm, ['worker', '--as', 'early'], {
    signal: leaving.signal,
    onOutput,
  });
  expect(stderr).toContain('is back');
  expect(code, stderr).toBe(0);
});

test('lets a person’s job go before a night, which continues afterwards', async () => {
  await withQueue(async (queue, server) => {
    let person: number | null = null;
    const farm = await aFarmIn(async (trial) => {
      if (trial === 3) person = await queue.submit(aJob('busy'));
      // The worker hears of it while the night measures.
      if (trial > 3) await server.query('SELECT 1');
    });
    const night = await queue.submit(aJob('busy', { trials: 60, who: 'night' }));
    const { code, stderr } = await startWorker(farm, 'busy');
    expect(code, stderr).toBe(0);
    const first = await queue.read(person ?? 0);
    const last = await queue.read(night);
    expect(last).toMatchObject({ state: 'done', exitCode: 0, starts: 2 });
    expect(first).toMatchObject({ state: 'done', exitCode: 0, starts: 1 });
    expect(first.endedAt!.getTime()).toBeLessThan(last.endedAt!.getTime());
    expect(await readRuns(server, 'busy')).toEqual([
      { status: 'finished', stored: 60 },
      { status: 'finished', stored: 3 },
    ]);
  });
});

test('ends a job that is cancelled while it measures, and keeps its trials', async () => {
  await withQueue(async (queue, server) => {
    let id = 0;
    const farm = await aFarmIn(async (trial) => {
      if (trial === 2) expect(await queue.cancel(id)).toBe('cancelling');
      if (trial > 2) await server.query('SELECT 1');
    });
    id = await queue.submit(aJob('stopped', { trials: 60 }));
    const { code, stderr } = await startWorker(farm, 'stopped');
    expect(code, stderr).toBe(0);
    expect(await queue.read(id)).toMatchObject({ state: 'cancelled' });
    const [run] = await server.query<{ status: string; stored: number }>(
      `SELECT status, stored FROM run WHERE host = 'stopped'`,
    );
    expect(run?.status).toBe('interrupted');
    expect(run?.stored).toBeGreaterThanOrEqual(1);
    expect(run?.stored).toBeLessThan(60);
  });
});

test('cancels at once what its host cannot end, and what a host has begun and lost', async () => {
  await withQueue(async (queue, server) => {
    const lease = await takeHost(server, aHost('lost'));
    await queue.openHost('lost');
    const [first, second] = [await queue.submit(aJob('lost')), await queue.submit(aJob('lost'))];
    expect((await queue.take(lease))?.id).toBe(first);
    // It asks again: the answer did not reach it.
    expect((await queue.take(lease))?.id).toBe(first);
    expect(await queue.cancel(first)).toBe('cancelling');
    expect(await queue.take(lease)).toMatchObject({ id: first, state: 'cancelling' });
    await queue.end(first, lease, { exitCode: 3, document: null, text: '' });
    expect((await queue.read(first)).state).toBe('cancelled');
    expect((await queue.take(lease))?.id).toBe(second);
    await leaveHost(server, lease);
    expect(await queue.cancel(second)).toBe('cancelled');
  });
});

test('keeps as attempts what it began before another worker had its name', async () => {
  const leaving = new AbortController();
  const farm = await aFarmIn((trial) => {
    if (trial === 2) leaving.abort(new Error('the worker is ended'));
    return Promise.resolve();
  });
  await withQueue(async (queue, server) => {
    const id = await queue.submit(aJob('taken'));
    await startWorker(farm, 'taken', leaving.signal);
    await leaveHost(server, await takeHost(server, aHost('taken')));
    const { code, stderr } = await startWorker(farm, 'taken');
    expect(code, stderr).toBe(0);
    expect(await queue.read(id)).toMatchObject({ state: 'done', exitCode: 0 });
    const runs = await readRuns(server, 'taken');
    expect(runs).toHaveLength(2);
    expect(runs[1]).toEqual({ status: 'finished', stored: 3 });
    const [attempts] = await server.query<{ many: number }>(
      `SELECT count(*)::int AS many FROM attempt WHERE host = 'taken'`,
    );
    expect(attempts?.many).toBeGreaterThan(0);
  });
});

test('ends where a newer crossfarm has changed the tables, and sends later what it measured', async () => {
  await withQueue(async (queue, server) => {
    const farm = await aFarmIn(async (trial) => {
      if (trial !== 2) return server.query('SELECT 1');
      await server.query('INSERT INTO schema_step VALUES (99)');
      return server.query('SELECT pg_notify($1, $2)', [channelOf('old'), 'look']);
    });
    const id = await queue.submit(aJob('old', { trials: 60 }));
    const ended = await startWorker(farm, 'old');
    expect(ended.code, ended.stderr).toBe(3);
    expect(ended.stderr).toContain('newer');
    const refused = await startWorker(farm, 'old');
    expect(refused.code, refused.stderr).toBe(3);
    await server.query('DELETE FROM schema_step WHERE version = 99');
    const { code, stderr } = await startWorker(farm, 'old');
    expect(code, stderr).toBe(0);
    expect((await queue.read(id)).state).toBe('done');
    expect(await readRuns(server, 'old')).toEqual([{ status: 'finished', stored: 60 }]);
  });
});

test('keeps nothing of a client whose tables are changed while it waits for them', async () => {
  await withQueue(async (queue) => {
    const newer = new FarmServer(readFarmUrl(fleet.server().url));
    await newer.query('BEGIN');
    await newer.query('LOCK TABLE job');
    const submitting = queue.submit(aJob('changed')).catch((error: unknown) => error);
    await expect
      .poll(() => newer.query('SELECT 1 FROM pg_locks WHERE NOT granted'))
      .not.toHaveLength(0);
    await newer.query('INSERT INTO schema_step VALUES (99)');
    await newer.query('COMMIT');
    expect(await submitting).toMatchObject({ code: 'newer-database' });
    expect(await newer.query(`SELECT id FROM job WHERE host = 'changed'`)).toHaveLength(0);
    await newer.query('DELETE FROM schema_step WHERE version = 99');
    await newer.close();
  });
});

test('detaches from a job at Ctrl-C, and says that its host is not there', async () => {
  const farm = await aFakeFarm({ devices: ['one'] });
  await withQueue(async (queue, server) => {
    await leaveHost(server, await takeHost(server, aHost('away')));
    const pressing = new AbortController();
    const onOutput = (text: string): void => {
      if (/job \d+ on away: waits/.test(text)) pressing.abort(new Error('Ctrl-C'));
    };
    const words = ['submit', '--on', 'away', 'run', '--bench', 'control'];
    const { code, stderr } = await runIn(farm, words, { signal: pressing.signal, onOutput });
    expect(code, stderr).toBe(0);
    const [, id = ''] = /job (\d+) for away/.exec(stderr) ?? [];
    expect(stderr).toContain('away is not there');
    expect(stderr).toContain(`queue cancel ${id}`);
    expect((await queue.read(Number(id))).state).toBe('waiting');
  });
});

test('reads what a worker tells as a stranger’s words @attack', async () => {
  const farm = await aFakeFarm({ devices: ['one'] });
  await withQueue(async (queue, server) => {
    await takeHost(server, aHost('liar'));
    const id = await queue.submit(aJob('liar'));
    await server.query(
      `UPDATE job SET state = 'done', ended_at = now(), exit_code = 77, progress = $2, document = $3,
         text = $4, asked_by = $4 WHERE id = $1`,
      [
        id,
        '{"trials": "\\u001b[2J", "planned": {}, "line": 7}',
        '{"verdict": "faster\\u001b[2J", "ratio": "much"}',
        '\u001b[2J'.repeat(100_000),
      ],
    );
    await server.query(`UPDATE host SET facts = '{"devices": "all", "logicalCores": "many"}'`);
    for (const words of [['queue'], ['queue', String(id)]]) {
      const { code, stdout, stderr } = await runIn(farm, words);
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('liar');
      expect(stdout).not.toContain('\u001b[2J');
      expect(stdout.length).toBeLessThan(100_000);
    }
  });
});

test('reaches a server by TLS only where its certificate verifies', async () => {
  test.skip(findPostgres() === null, noPostgres);
  test.skip(
    findOnPath(['openssl']) === null,
    'openssl makes the certificate, and is not installed',
  );
  const folder = await aFolder();
  const tls = await makeCertificate(folder, '127.0.0.1');
  const own = await startPostgres({ tls });
  const ask = async (options: string): Promise<unknown> => {
    const server = new FarmServer(readFarmUrl(`${own.url}?${options}`));
    try {
      return await server.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    } finally {
      await server.close();
    }
  };
  try {
    await expect(ask('sslmode=verify-full')).rejects.toThrow('its TLS certificate does not verify');
    expect(await ask(`sslmode=verify-full&sslrootcert=${tls.file}`)).toEqual([{ ssl: true }]);
  } finally {
    await own.remove();
  }
});
