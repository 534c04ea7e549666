import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, type Store } from '../../core/store/store.ts';
import { countBefore, type FleetScene } from './scene.ts';

/** The outcomes of jobs and trials. */
export interface FleetCount {
  readonly jobs: number;
  readonly trials: number;
  /** Trials that a host has stored, and the server has neither counted nor kept. */
  readonly lostTrials: number;
  /** Trials of the server that no host has measured, or measured otherwise. */
  readonly wrongTrials: number;
  /** Jobs that were measured to the end twice, or whose finished run lacks trials. */
  readonly doubledJobs: number;
  readonly incompleteRuns: number;
  /** Jobs that never ended, or ended without being measured to the end or cancelled. */
  readonly unendedJobs: number;
  /** Trials that were counted under a lease that was stale. */
  readonly staleTrials: number;
  /** Trials that were kept, and not counted. */
  readonly attempts: number;
  /** Sentences about all of the above that must be 0, and is not. */
  readonly findings: readonly string[];
}

interface ServerJob {
  readonly id: number;
  readonly host: string;
  readonly state: string;
  readonly exitCode: number | null;
  readonly text: string | null;
  readonly finished: number;
  readonly incomplete: number;
}

/** Compares what the hosts have stored with what the server has. */
export async function count(scene: FleetScene): Promise<FleetCount> {
  const { server, findings } = scene;
  const jobs = await server.query<ServerJob>(
    `SELECT id::int, host, state, exit_code AS "exitCode", text,
       (SELECT count(*) FROM run WHERE run.job = job.id AND status = 'finished')::int AS finished,
       (SELECT count(*) FROM run WHERE run.job = job.id AND status = 'finished' AND (stored <> planned
          OR stored <> (SELECT count(*) FROM trial WHERE run_id = run.id)))::int AS incomplete
     FROM job`,
  );
  const isUnended = ({ state, finished }: ServerJob): boolean =>
    state !== 'cancelled' && (state !== 'done' || finished === 0);
  const unended = jobs.filter(isUnended);
  const doubled = jobs.filter(({ finished }) => finished > 1);
  const incomplete = jobs.filter((job) => job.incomplete > 0);
  for (const job of new Set([...unended, ...doubled, ...incomplete])) {
    findings.push(`job: ${JSON.stringify({ ...job, text: job.text?.slice(-300) })}`);
  }
  const compared = await compareTrials(scene);
  const { lost, wrong } = compared;
  if (lost.length > 0) findings.push(`lost: ${lost.slice(0, 5).join('; ')}`);
  if (wrong.length > 0) findings.push(`wrong: ${wrong.slice(0, 5).join('; ')}`);
  let staleTrials = 0;
  for (const { host, lease, counted } of scene.takeovers) {
    staleTrials += (await countBefore(scene, host, lease)) - counted;
  }
  return {
    jobs: jobs.length,
    trials: compared.trials,
    attempts: compared.attempts,
    lostTrials: lost.length,
    wrongTrials: wrong.length,
    doubledJobs: doubled.length,
    incompleteRuns: incomplete.length,
    unendedJobs: unended.length,
    staleTrials,
    findings,
  };
}

interface Compared {
  readonly trials: number;
  readonly attempts: number;
  readonly lost: readonly string[];
  readonly wrong: readonly string[];
}

async function compareTrials({ server, hosts }: FleetScene): Promise<Compared> {
  const local = new Map<string, string>();
  for (const { facts } of hosts) {
    for (const folder of [facts.folder, `${facts.folder}-second`]) {
      for (const [trial, startedAt] of await readLocal(folder)) local.set(trial, startedAt);
    }
  }
  const read = async (sql: string): Promise<ReadonlyMap<string, string>> => {
    const rows = await server.query<{ identity: string; ordinal: number; at: string }>(sql);
    return new Map(rows.map(({ identity, ordinal, at }) => [nameTrial(identity, ordinal), at]));
  };
  const counted = await read(
    `SELECT identity, ordinal, document->>'startedAt' AS at FROM trial JOIN run ON run.id = run_id`,
  );
  const kept = await read(`SELECT identity, ordinal, document->>'startedAt' AS at FROM attempt`);
  return {
    trials: counted.size,
    attempts: kept.size,
    lost: [...local.keys()].filter((trial) => !counted.has(trial) && !kept.has(trial)),
    wrong: [...counted].filter(([trial, at]) => local.get(trial) !== at).map(([trial]) => trial),
  };
}

async function readLocal(folder: string): Promise<readonly (readonly [string, string])[]> {
  const database = join(folder, '.farm', 'farm.db');
  if (!existsSync(database)) return [];
  const store = await openStore(database);
  try {
    const all: (readonly [string, string])[] = [];
    for (const { id } of await store.listRuns()) all.push(...(await readRun(store, id)));
    return all;
  } finally {
    await store.close();
  }
}

async function readRun(store: Store, run: number): Promise<readonly (readonly [string, string])[]> {
  const identity = await store.readIdentity(run);
  const record = await store.readRun(run);
  return (record?.trials ?? []).map(({ job, startedAt }) => [
    nameTrial(identity, job.ordinal),
    startedAt,
  ]);
}

function nameTrial(identity: string, ordinal: number): string {
  return `${identity} ${String(ordinal)}`;
}
