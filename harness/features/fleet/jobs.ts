import type PgBoss from 'pg-boss';
import { z } from 'zod';
import { FarmError } from '../../core/errors.ts';
import { isLive, type Lease } from './hosts.ts';
import { toJson } from './json.ts';
import { lockNumber, type Query } from './schema.ts';
import { type FarmServer, missingPackages, withServer } from './server.ts';

/** A person's comparison is measured before jobs for which no person waits. */
export const priorities = { person: 10, night: 0 } as const;

export type JobState = 'waiting' | 'active' | 'cancelling' | 'done' | 'cancelled';

/** A measuring command on one host. */
export interface Job {
  readonly id: number;
  readonly host: string;
  readonly words: readonly string[];
  readonly priority: number;
  readonly state: JobState;
  readonly askedBy: string;
  /** Number of the first job that was submitted with it; null for one of an older farm. */
  readonly batch: number | null;
  /** It was ended because the hosts together had decided. */
  readonly settled: boolean;
  /** Number of its trials in the common verdict; null if it was not settled. */
  readonly settledAfter: number | null;
  readonly submittedAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  /** How often a worker began or continued it. */
  readonly starts: number;
  readonly progress: JobProgress | null;
  readonly exitCode: number | null;
  /** The answer of the command, as its `--json` prints it. */
  readonly document: unknown;
  /** Other output of the command. */
  readonly text: string | null;
}

export interface JobProgress {
  readonly trials: number;
  readonly planned: number;
  /** The newest line of the command. */
  readonly line: string;
}

/** The answer of a command. */
export interface JobResult {
  readonly exitCode: number | null;
  readonly document: unknown;
  readonly text: string;
}

const columns = `id::int, host, words, priority, state, asked_by AS "askedBy",
  batch::int, settled, settled_after AS "settledAfter", submitted_at AS "submittedAt", started_at AS "startedAt", ended_at AS "endedAt", starts, progress,
  exit_code AS "exitCode", document, text`;

/** The channel on which a host hears of its jobs. */
export function channelOf(host: string): string {
  return `crossfarm:${host}`;
}

interface QueuedJob {
  readonly host: string;
  readonly queue_id: string;
}

const queueSchema = 'crossfarm_queue';

/** Jobs of the farm: pg-boss hands them out, a table keeps what became of them. */
export class JobQueue {
  readonly #server: FarmServer;
  readonly #boss: PgBoss;

  private constructor(server: FarmServer, boss: PgBoss) {
    this.#server = server;
    this.#boss = boss;
  }

  static async open(server: FarmServer): Promise<JobQueue> {
    const { default: Boss } = await import('pg-boss').catch((error: unknown) => {
      throw missingPackages(error);
    });
    const db = executor((sql, values) => server.query(sql, values));
    // One connection a worker: fifty of them would else need a hundred.
    const boss = new Boss({ db, schema: queueSchema, supervise: false, schedule: false });
    boss.on('error', () => undefined);
    // Of several that come to a new server at once, one makes the queue's tables.
    await server.query('SELECT pg_advisory_lock($1)', [lockNumber]);
    try {
      await boss.start();
    } finally {
      await server.query('SELECT pg_advisory_unlock($1)', [lockNumber]);
    }
    return new JobQueue(server, boss);
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false }).catch(() => undefined);
  }

  /** Makes the queue of a host. */
  async openHost(host: string): Promise<void> {
    if ((await this.#boss.getQueue(host)) !== null) return;
    await this.#boss.createQueue(host).catch(async (error: unknown) => {
      // Another command made it at the same time.
      if ((await this.#boss.getQueue(host)) === null) throw error;
    });
  }

  /**
   * Submits a command for one host, and gives the number of the job.
   * @param job `batch` is the first job of those that belong together; this one when left out
   */
  async submit(
    job: Pick<Job, 'host' | 'words' | 'priority' | 'askedBy'> & { readonly batch?: number },
  ): Promise<number> {
    const { host, words, priority, askedBy, batch } = job;
    await this.openHost(host);
    return this.#server.transaction(async (query) => {
      const [row] = await query<{ id: number }>(
        'INSERT INTO job (host, words, priority, asked_by) VALUES ($1, $2, $3, $4) RETURNING id::int',
        [host, words, priority, askedBy],
      );
      const id = row?.id ?? 0;
      const sent = await this.#boss.send(
        host,
        { job: id },
        // A host may be away for months; a worker that takes its name again frees what it had.
        {
          priority,
          retryLimit: 10_000,
          expireInHours: 23,
          retentionDays: 365,
          db: executor(query),
        },
      );
      await query('UPDATE job SET queue_id = $2, batch = $3 WHERE id = $1', [
        ...[id, sent],
        batch ?? id,
      ]);
      await query('SELECT pg_notify($1, $2)', [channelOf(host), `job ${String(id)}`]);
      return id;
    });
  }

  /**
   * Takes the most urgent job of a host, which has none in hand; null where none waits. One that it
   * had before is handed out again: its worker died, or an answer was lost on its way.
   */
  async take(lease: Lease): Promise<Job | null> {
    await this.#release(lease.host);
    for (;;) {
      const taken = await this.#server.transaction((query) => this.#takeNext(lease, query));
      if (taken !== 'ended') return taken;
    }
  }

  async #release(host: string): Promise<void> {
    const held = await this.#server.query<{ queue_id: string }>(
      `SELECT queue_id FROM job JOIN ${queueSchema}.job queued ON queued.id = job.queue_id
       WHERE job.host = $1 AND queued.name = $1 AND queued.state = 'active'
         AND job.state IN ('waiting', 'active', 'cancelling')`,
      [host],
    );
    for (const { queue_id } of held) await this.#boss.fail(host, queue_id);
  }

  async #takeNext({ host, lease }: Lease, query: Query): Promise<Job | null | 'ended'> {
    const db = executor(query);
    let failure: unknown = null;
    const [next] = await this.#boss.fetch<{ job: number }>(host, {
      db: {
        executeSql: (sql, values) =>
          db.executeSql(sql, values).catch((error: unknown) => {
            failure = error;
            throw error;
          }),
      },
    });
    // pg-boss answers an error as if nothing waited.
    if (failure !== null) throw failure as Error;
    if (next === undefined) return null;
    const [job] = await query<Job>(
      `UPDATE job SET state = CASE state WHEN 'waiting' THEN 'active' ELSE state END, lease = $3,
         starts = starts + 1, started_at = coalesce(started_at, now())
       WHERE id = $1 AND host = $2 AND state IN ('waiting', 'active', 'cancelling')
       RETURNING ${columns}`,
      [next.data.job, host, lease],
    );
    if (job !== undefined) return parseRow(job);
    await this.#boss.complete(host, next.id, {}, { db });
    return 'ended';
  }

  /** Lets a job wait again for its host, because of one that is more urgent. */
  async yieldJob(id: number, { lease }: Lease): Promise<void> {
    await this.#server.transaction(async (query) => {
      const [job] = await query<QueuedJob>(
        `UPDATE job SET state = 'waiting' WHERE id = $1 AND lease <= $2 AND state = 'active'
         RETURNING host, queue_id`,
        [id, lease],
      );
      if (job !== undefined)
        await this.#boss.fail(job.host, job.queue_id, {}, { db: executor(query) });
    });
  }

  async keepProgress(id: number, { lease }: Lease, progress: JobProgress): Promise<void> {
    await this.#server.query('UPDATE job SET progress = $3 WHERE id = $1 AND lease <= $2', [
      ...[id, lease],
      toJson(progress),
    ]);
  }

  /** Ends a job with its answer. A second call changes nothing, nor does one of a worker before. */
  async end(id: number, { lease }: Lease, result: JobResult): Promise<void> {
    const { exitCode, document, text } = result;
    await this.#server.transaction(async (query) => {
      const [job] = await query<QueuedJob>(
        `UPDATE job SET ended_at = now(), exit_code = $3, document = $4, text = $5,
           state = CASE WHEN state = 'cancelling' AND NOT settled THEN 'cancelled' ELSE 'done' END
         WHERE id = $1 AND lease <= $2 AND state IN ('waiting', 'active', 'cancelling') RETURNING host, queue_id`,
        [id, lease, exitCode, toJson(document ?? null), withoutNull(text).slice(-longestText)],
      );
      if (job !== undefined)
        await this.#boss.complete(job.host, job.queue_id, {}, { db: executor(query) });
    });
  }

  /**
   * Cancels a job: at once where it waits or its host is gone, else when its worker hears of it.
   * @param settledAfter it is not given up: this number of its trials is enough, with those of others
   * @throws FarmError `bad-argument`
   */
  async cancel(id: number, settledAfter: number | null = null): Promise<JobState> {
    const state = await this.#server.transaction(async (query) => {
      const [job] = await query<QueuedJob & { state: JobState }>(
        `WITH found AS (SELECT id, state = 'waiting' OR NOT EXISTS (SELECT 1 FROM host
             WHERE host.name = job.host AND ${isLive}) AS is_idle FROM job WHERE id = $1)
         UPDATE job SET state = CASE WHEN is_idle THEN 'cancelled' ELSE 'cancelling' END,
           ended_at = CASE WHEN is_idle THEN now() END, settled = settled OR $2::int IS NOT NULL,
           settled_after = coalesce(settled_after, $2)
         FROM found WHERE job.id = found.id AND state IN ('waiting', 'active', 'cancelling')
         RETURNING host, state, queue_id`,
        [id, settledAfter],
      );
      if (job === undefined) return null;
      const { host, queue_id } = job;
      if (job.state === 'cancelled') {
        await this.#boss.cancel(host, queue_id, { db: executor(query) });
      }
      await query('SELECT pg_notify($1, $2)', [channelOf(host), `cancel ${String(id)}`]);
      return job.state;
    });
    return state ?? (await this.read(id)).state;
  }

  /** @throws FarmError `bad-argument` */
  async read(id: number): Promise<Job> {
    const [job] = await this.#server.query<Job>(`SELECT ${columns} FROM job WHERE id = $1`, [id]);
    if (job !== undefined) return parseRow(job);
    throw new FarmError('bad-argument', {
      what: `The farm has no job ${String(id)}.`,
      next: 'List them: crossfarm queue',
    });
  }

  /** The jobs that were submitted together with this one, itself among them. @throws FarmError */
  async readBatch(id: number): Promise<readonly Job[]> {
    const { batch } = await this.read(id);
    return this.#server.query<Job>(
      `SELECT ${columns} FROM job WHERE batch = $1 OR id = $2 ORDER BY job.id`,
      [batch, id],
    );
  }

  /** State of a job, and whether a more urgent one waits for its host. */
  async look(id: number): Promise<{ readonly state: JobState; readonly isOutranked: boolean }> {
    const [row] = await this.#server.query<{ state: JobState; outranked: boolean }>(
      `SELECT state, EXISTS (SELECT 1 FROM job other WHERE other.host = job.host
         AND other.state = 'waiting' AND other.priority > job.priority) AS outranked
       FROM job WHERE id = $1`,
      [id],
    );
    return { state: row?.state ?? 'cancelled', isOutranked: row?.outranked ?? false };
  }

  /** Removes what pg-boss keeps of jobs that ended long ago. */
  async tidy(): Promise<void> {
    await this.#boss.maintain();
  }
}

/** Opens the jobs of a farm for some work, and closes it. */
export function withJobs<T>(
  farm: string | undefined,
  work: (queue: JobQueue, server: FarmServer) => Promise<T>,
): Promise<T> {
  return withServer(farm, async (server) => {
    const queue = await JobQueue.open(server);
    try {
      return await work(queue, server);
    } finally {
      await queue.close();
    }
  });
}

export async function listJobs(server: FarmServer, limit: number): Promise<readonly Job[]> {
  const rows = await server.query<Job>(
    `(SELECT ${columns} FROM job WHERE state IN ('waiting', 'active', 'cancelling')
       ORDER BY state = 'waiting', priority DESC, job.id LIMIT $1)
     UNION ALL
     (SELECT ${columns} FROM job WHERE state IN ('done', 'cancelled')
       ORDER BY ended_at DESC NULLS LAST LIMIT $1)`,
    [limit],
  );
  return rows.map(parseRow);
}

const longestText = 20_000;
const progress = z.object({
  trials: z.number().catch(0),
  planned: z.number().catch(0),
  line: z.string().catch(''),
});

/** Parses the text of a worker, which may be anything. */
function parseRow(row: Job): Job {
  return {
    ...row,
    progress: row.progress === null ? null : (progress.safeParse(row.progress).data ?? null),
    text: row.text?.slice(-longestText) ?? null,
  };
}

function executor(query: Query): PgBoss.Db {
  return {
    executeSql: async (sql: string, values: unknown[]) => ({
      rows: [...(await query(sql, values ?? []))],
    }),
  };
}

/** PostgreSQL's texts hold none. */
function withoutNull(text: string): string {
  return text.replaceAll('\0', ' ');
}
