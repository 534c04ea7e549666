import type { FarmServer } from './server.ts';

/** A run as the lists of the explorer show it. */
export interface FarmRun {
  readonly id: number;
  readonly host: string;
  readonly job: number | null;
  readonly suite: string;
  readonly status: string;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly planned: number;
  readonly stored: number;
}

const runColumns = `id::int, host, job::int, suite, status, started_at AS "startedAt",
  finished_at AS "finishedAt", planned, stored`;

export interface RunFilter {
  readonly host: string | undefined;
  /** Only runs that began before it. */
  readonly before: string | undefined;
}

/** The newest runs of all hosts, or of one. */
export function listFarmRuns(
  server: FarmServer,
  { host, before }: RunFilter,
  limit: number,
): Promise<readonly FarmRun[]> {
  const conditions = [
    ...(host === undefined ? [] : ['host = $2']),
    ...(before === undefined ? [] : [`started_at < $${host === undefined ? '2' : '3'}`]),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return server.query<FarmRun>(
    `SELECT ${runColumns} FROM run ${where} ORDER BY started_at DESC LIMIT $1`,
    [limit, host, before].filter((value) => value !== undefined),
  );
}

export interface FarmRunDetails extends FarmRun {
  readonly command: string;
  readonly farmVersion: string;
  readonly outcomes: readonly { readonly outcome: string; readonly trials: number }[];
  readonly series: readonly RunSeries[];
}

export interface RunSeries {
  readonly case: string;
  readonly device: string;
  readonly metric: string;
  readonly unit: string;
  readonly trials: number;
  readonly median: number | null;
}

/** A page shows no more lines; the report of the run has all. */
const mostSeries = 500;

/** One run with what it found so far; null for an unknown one. */
export async function readFarmRun(server: FarmServer, id: number): Promise<FarmRunDetails | null> {
  const [run] = await server.query<Omit<FarmRunDetails, 'outcomes' | 'series'>>(
    `SELECT ${runColumns}, head #>> '{run,command}' AS command,
       head #>> '{run,farmVersion}' AS "farmVersion" FROM run WHERE id = $1`,
    [id],
  );
  if (run === undefined) return null;
  const outcomes = await server.query<{ outcome: string; trials: number }>(
    `SELECT outcome, count(*)::int AS trials FROM trial WHERE run_id = $1 GROUP BY outcome ORDER BY 2 DESC`,
    [id],
  );
  const series = await server.query<RunSeries>(
    `SELECT "case".name AS "case", device, metric, unit, trials, median
     FROM summary JOIN "case" ON "case".id = case_id WHERE run_id = $1
     ORDER BY "case".id, metric, device LIMIT ${String(mostSeries)}`,
    [id],
  );
  return { ...run, outcomes, series };
}

/** A case's median in one run. */
export interface CasePoint {
  readonly run: number;
  readonly host: string;
  readonly device: string;
  readonly metric: string;
  readonly unit: string;
  readonly median: number;
  readonly trials: number;
  readonly startedAt: Date;
}

/** The newest medians of a case in the runs of all hosts, or of one; the newest first. */
export async function readCase(
  server: FarmServer,
  name: string,
  { host, limit }: { readonly host: string | undefined; readonly limit: number },
): Promise<readonly CasePoint[]> {
  // By the index of summaries alone: a history of years has more rows than one page can show.
  return server.query<CasePoint>(
    `SELECT newest.run_id::int AS run, run.host, newest.device, newest.metric, newest.unit,
       newest.median, newest.trials, run.started_at AS "startedAt"
     FROM (SELECT id FROM "case" WHERE name = $1) AS wanted
     CROSS JOIN LATERAL (SELECT * FROM summary WHERE case_id = wanted.id AND median IS NOT NULL
       ORDER BY run_id DESC LIMIT $2) AS newest
     JOIN run ON run.id = newest.run_id
     ${host === undefined ? '' : 'WHERE run.host = $3'}
     ORDER BY run.started_at DESC`,
    [name, limit, host].filter((value) => value !== undefined),
  );
}

export interface ListedCase {
  readonly name: string;
  readonly benchmark: string;
}

/** Cases that any host measured, by name. */
export function listCases(server: FarmServer, limit: number): Promise<readonly ListedCase[]> {
  return server.query<ListedCase>(
    'SELECT DISTINCT name, benchmark FROM "case" ORDER BY benchmark, name LIMIT $1',
    [limit],
  );
}

/** Numbers of jobs that were submitted to several hosts, the newest first. */
export async function listBatches(
  server: FarmServer,
  command: string,
  limit: number,
): Promise<readonly number[]> {
  const rows = await server.query<{ batch: number }>(
    `SELECT batch::int FROM job WHERE batch IS NOT NULL AND words[1] = $1
     GROUP BY batch ORDER BY batch DESC LIMIT $2`,
    [command, limit],
  );
  return rows.map(({ batch }) => batch);
}

/** The number that a run has in the database of its host. */
export async function readLocalRuns(
  server: FarmServer,
  jobs: readonly number[],
): Promise<readonly { readonly job: number; readonly host: string; readonly run: number }[]> {
  return server.query(
    `SELECT job::int, host, (head #>> '{run,id}')::int AS run FROM run WHERE job = ANY($1) AND status <> 'running'`,
    [jobs],
  );
}
