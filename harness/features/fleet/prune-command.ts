import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../core/errors.ts';
import { type Io, note, print, printJson, type Runner } from '../../core/cli/io.ts';
import { type JsonOption, parseCount, withJson } from '../../core/cli/options.ts';
import { plural } from '../../../reports/html/number.ts';
import { withJobs } from './jobs.ts';
import { type FarmOption, withFarm } from './options.ts';
import type { FarmServer } from './server.ts';

interface Options extends FarmOption, JsonOption {
  readonly keepDays: number;
  readonly dryRun: boolean;
}

export function declare(command: Command, run: Runner): void {
  withFarm(command);
  withJson(command, 'print { runs, trials, jobs, attempts, dryRun }')
    .option('--keep-days <number>', 'remove runs older than N days', parseCount, 365)
    .option('--dry-run', 'count what would be removed; remove nothing', false)
    .addHelpText('after', help)
    .action((options: Options) => run((io) => prune(options, io)));
}

const help = `
Never removed: the newest finished run of each suite on each host, and what still goes on. Each host
keeps its own database; crossfarm db prune is for that.`;

interface PrunedCounts {
  readonly runs: number;
  readonly trials: number;
  readonly jobs: number;
  /** Trials of stale leases. */
  readonly attempts: number;
}

async function prune({ farm, keepDays, dryRun, json }: Options, io: Io): Promise<ExitCode> {
  const counts = await withJobs(farm, async (queue, server) => {
    const old = await countOld(server, keepDays);
    if (!dryRun) {
      await removeOld(server, keepDays, io.signal);
      await queue.tidy();
    }
    return old;
  });
  if (json) printJson(io, { ...counts, dryRun });
  else {
    const { runs, trials, jobs, attempts } = counts;
    const what = `${plural(runs, 'run')} with ${plural(trials, 'trial')}, ${plural(jobs, 'job')}, ${plural(attempts, 'attempt')}`;
    print(
      io,
      `${dryRun ? 'would remove' : 'removed'} ${what} older than ${plural(keepDays, 'day')}`,
    );
    if (!dryRun && trials > 0) note(io, 'PostgreSQL reuses the space; VACUUM FULL gives it back.');
  }
  return exitCodes.fine;
}

const isOld = (column: string): string => `${column} < now() - make_interval(days => $1)`;

const oldRuns = `SELECT id, stored FROM run WHERE ${isOld('started_at')} AND status <> 'running'
  AND id NOT IN (SELECT DISTINCT ON (host, suite) id FROM run WHERE status = 'finished'
    ORDER BY host, suite, started_at DESC, id DESC)`;
const oldJobs = `${isOld('ended_at')}`;
const oldAttempts = isOld('received_at');

async function countOld(server: FarmServer, keepDays: number): Promise<PrunedCounts> {
  const [counts] = await server.query<PrunedCounts>(
    `SELECT (SELECT count(*)::int FROM (${oldRuns}) AS old) AS runs,
       (SELECT coalesce(sum(stored), 0)::int FROM (${oldRuns}) AS old) AS trials,
       (SELECT count(*)::int FROM job WHERE ${oldJobs}) AS jobs,
       (SELECT count(*)::int FROM attempt WHERE ${oldAttempts}) AS attempts`,
    [keepDays],
  );
  return counts ?? { runs: 0, trials: 0, jobs: 0, attempts: 0 };
}

/** One statement holds no more runs: another host's trials must not wait for long. */
const atOnce = 20;

async function removeOld(server: FarmServer, keepDays: number, signal: AbortSignal): Promise<void> {
  for (let removed = atOnce; removed >= atOnce;) {
    signal.throwIfAborted();
    const rows = await server.query(
      `DELETE FROM run WHERE id IN (SELECT id FROM (${oldRuns}) AS old LIMIT ${String(atOnce)}) RETURNING id`,
      [keepDays],
    );
    removed = rows.length;
  }
  await server.query(`DELETE FROM job WHERE ${oldJobs}`, [keepDays]);
  await server.query(`DELETE FROM attempt WHERE ${oldAttempts}`, [keepDays]);
}
