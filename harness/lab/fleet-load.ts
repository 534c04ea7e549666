import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { quantile } from 'simple-statistics';
import { parsePidStat } from '../core/procfs.ts';
import { projectRoot } from '../core/project.ts';
import { describeMachine } from '../core/setup/machine.ts';
import { readFarmUrl } from '../features/fleet/farm-url.ts';
import { JobQueue, priorities } from '../features/fleet/jobs.ts';
import { FarmServer } from '../features/fleet/server.ts';
import { work } from '../features/fleet/worker.ts';
import { runInProcess } from '../testing/in-process-farm.ts';
import { startPostgres, type TestPostgres } from '../testing/postgres.ts';
import { writeHost } from './fleet/host-under-fire.ts';
import { PlayedCalls } from './fleet/played-calls.ts';
import type { BenchRow } from './row.ts';

/** `CROSSFARM_HOSTS=10 CROSSFARM_LOAD_SECONDS=60 npm run bench -- fleet-load` */
const hosts = Number(process.env['CROSSFARM_HOSTS'] ?? 50);
const seconds = Number(process.env['CROSSFARM_LOAD_SECONDS'] ?? 180);
const trialsAnHour = 2_000;
/** Hosts without work, which take a job as soon as it is submitted. */
const idleHosts = 5;
const submitMs = 400;

interface Load {
  readonly folder: string;
  readonly server: FarmServer;
  readonly queue: JobQueue;
  readonly postgres: TestPostgres;
  readonly leaving: AbortController;
}

/**
 * Has played hosts store 2,000 trials an hour each in one PostgreSQL server, and times jobs from
 * their submission until an idle host begins them.
 */
export async function fleetLoadBench(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cf-load-'));
  const postgres = await startPostgres();
  const server = new FarmServer(readFarmUrl(postgres.url));
  const queue = await JobQueue.open(server);
  const load: Load = { folder, server, queue, postgres, leaving: new AbortController() };
  try {
    return await measureLoad(load);
  } finally {
    load.leaving.abort(new Error('the bench is over'));
    await queue.close();
    await server.close();
    await postgres.remove();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measureLoad(load: Load): Promise<readonly BenchRow[]> {
  const { server, leaving } = load;
  const trialMs = 3_600_000 / trialsAnHour;
  const planned = Math.ceil((seconds * 1_000) / trialMs) + 60;
  const working: Promise<void>[] = [];
  for (let number = 1; number <= hosts; number += 1) {
    const host = `busy-${String(number)}`;
    await submit(load, host, planned);
    working.push(startHost(load, host, new PlayedCalls(trialMs)));
    // They do not measure in step.
    await pause(trialMs / hosts);
  }
  const begun = new Map<string, () => void>();
  for (let number = 1; number <= idleHosts; number += 1) {
    const host = `idle-${String(number)}`;
    working.push(startHost(load, host, new PlayedCalls(0, () => begun.get(host)?.())));
  }
  await pause(5_000);
  const before = await look(load);
  const latencies = await timeJobs(load, begun);
  const after = await look(load);
  leaving.abort(new Error('the bench is over'));
  await Promise.all(working);
  const [row] = await server.query<{ bytes: number }>(
    `SELECT (sum(pg_total_relation_size(c.oid)) / (SELECT count(*) FROM trial))::float8 AS bytes
     FROM pg_class c WHERE c.relname IN ('trial', 'metric', 'run')`,
  );
  const exportMs = await timeExports(join(load.folder, 'exports'));
  return makeRows({ before, after, latencies, bytes: row?.bytes ?? NaN, exportMs });
}

const exports = 20;

/** @returns milliseconds of CPU that a worker spends on reading its newest trials from SQLite */
async function timeExports(folder: string): Promise<number> {
  await writeHost(folder);
  const program = join(projectRoot(), 'dist/harness/lab/fleet/played-host.js');
  const words = ['run', '--bench', 'control', '--device', 'one', '--trials', '200'];
  const env = { CROSSFARM_PLAYED_MS: '0', CROSSFARM_HOST_LOCK: 'off', CROSSFARM_TRUST: '1' };
  await execa(process.execPath, [program, ...words], { cwd: folder, env });
  const read = ['db', 'export', '1', '--format', 'json', '--since', '199'];
  await runInProcess(folder, read);
  const before = process.cpuUsage();
  for (let done = 0; done < exports; done += 1) await runInProcess(folder, read);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / exports;
}

async function startHost(
  { folder, leaving, postgres }: Load,
  name: string,
  { call }: PlayedCalls,
): Promise<void> {
  const own = join(folder, name);
  await mkdir(own);
  const server = new FarmServer(readFarmUrl(postgres.url));
  try {
    await work({
      server,
      name,
      call,
      facts: { ...describeMachine(), devices: ['one'], inventory: [] },
      database: join(own, 'farm.db'),
      drain: false,
      signal: leaving.signal,
      say: () => undefined,
    });
  } finally {
    await server.close();
  }
}

async function submit({ queue }: Load, host: string, trials: number): Promise<void> {
  const words = ['run', '--bench', 'control', '--trials', String(trials)];
  await queue.submit({ host, words, priority: priorities.person, askedBy: 'bench' });
}

/** @returns milliseconds from the submission of each job until its host began it */
async function timeJobs(load: Load, begun: Map<string, () => void>): Promise<readonly number[]> {
  const latencies: number[] = [];
  const until = performance.now() + seconds * 1_000;
  for (let number = 0; performance.now() < until; number += 1) {
    const host = `idle-${String((number % idleHosts) + 1)}`;
    const since = performance.now();
    const heard = new Promise<number>((resolve) => {
      begun.set(host, () => {
        resolve(performance.now() - since);
      });
    });
    await submit(load, host, 1);
    latencies.push(await Promise.race([heard, pause(60_000, Infinity)]));
    await pause(submitMs);
  }
  return latencies;
}

interface Look {
  readonly at: number;
  readonly trials: number;
  readonly transactions: number;
  /** Milliseconds of CPU that all hosts together have used. */
  readonly hostsMs: number;
  readonly serverMs: number;
}

async function look({ server, postgres }: Load): Promise<Look> {
  const [row] = await server.query<{ trials: number; transactions: number }>(
    `SELECT (SELECT sum(stored) FROM run WHERE host LIKE 'busy-%')::int AS trials,
       (SELECT sum(xact_commit) FROM pg_stat_database)::int AS transactions`,
  );
  const { user, system } = process.cpuUsage();
  const ticks = (await postgres.listProcesses()).map(readTicks);
  return {
    at: performance.now(),
    trials: row?.trials ?? 0,
    transactions: row?.transactions ?? 0,
    hostsMs: (user + system) / 1_000,
    serverMs: ticks.reduce((sum, one) => sum + one, 0) * 10,
  };
}

/** Hundredths of a second; of a process that has ended none. */
function readTicks(pid: number): number {
  try {
    return parsePidStat(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'))?.ownTicks ?? 0;
  } catch {
    return 0;
  }
}

interface Measured {
  readonly before: Look;
  readonly after: Look;
  readonly latencies: readonly number[];
  readonly bytes: number;
  readonly exportMs: number;
}

function makeRows({ before, after, latencies, bytes, exportMs }: Measured): readonly BenchRow[] {
  const s = (after.at - before.at) / 1_000;
  const trials = after.trials - before.trials;
  const cpuMs = after.hostsMs - before.hostsMs;
  const row = { bench: 'fleet-load', ratio: null } as const;
  const wanted = (hosts * trialsAnHour * s) / 3_600;
  // In a second of one host, which sends after each trial at the most.
  const sendingMs = cpuMs / s / hosts;
  const sends = trialsAnHour / 3_600;
  return [
    {
      ...row,
      figure: 'trials accepted, of those that were measured',
      value: trials / wanted,
      unit: '',
      detail: `${String(trials)} of ${wanted.toFixed(0)} in ${s.toFixed(0)} s from ${String(hosts)} hosts; ${bytes.toFixed(0)} bytes each`,
    },
    {
      ...row,
      figure: 'from submitting a job to its begin on an idle host, 99 % within',
      value: quantile([...latencies], 0.99),
      unit: 'ms',
      detail: `${String(latencies.length)} jobs, median ${quantile([...latencies], 0.5).toFixed(0)} ms, longest ${Math.max(...latencies).toFixed(0)} ms`,
    },
    {
      ...row,
      figure: 'a worker, besides what it measures, of a core',
      value: (sendingMs + exportMs * sends) / 10,
      unit: '%',
      detail: `${(sendingMs / 10).toFixed(2)} % heartbeats and sending (with the bench itself), and ${String(trialsAnHour)} times an hour ${exportMs.toFixed(1)} ms of reading SQLite`,
    },
    {
      ...row,
      figure: 'PostgreSQL, of a core',
      value: (after.serverMs - before.serverMs) / 10 / s,
      unit: '%',
      detail: `${((after.transactions - before.transactions) / s).toFixed(0)} transactions a second`,
    },
  ];
}
