import { withStore } from '../../core/app/records.ts';
import type { CallCommand } from '../../core/cli/io.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { type FleetVerdict, isFleetDecided, judgeFleet } from './fleet-verdict.ts';
import { agreeOnNights, type NightAgreement } from './night-agreement.ts';
import type { Job, JobQueue } from './jobs.ts';
import type { FarmServer } from './server.ts';
import { withRunCopies } from './stored-runs.ts';

/** The common answer of the hosts of one submission. */
export type BatchAnswer =
  | { readonly kind: 'comparison'; readonly verdict: FleetVerdict }
  | ({ readonly kind: 'nights' } & NightAgreement);

interface Source {
  readonly server: FarmServer;
  readonly call: CallCommand;
}

/** Null where one host measures alone, or nothing was sent yet. */
export async function answerBatch(
  jobs: readonly Job[],
  source: Source,
): Promise<BatchAnswer | null> {
  const [command] = jobs[0]?.words ?? [];
  if (jobs.length < 2) return null;
  if (command === 'nightly') return { kind: 'nights', ...agreeOnNights(jobs) };
  if (command !== 'compare') return null;
  const verdict = await judgeBatch(jobs, source);
  return verdict === null ? null : { kind: 'comparison', verdict };
}

async function judgeBatch(jobs: readonly Job[], source: Source): Promise<FleetVerdict | null> {
  const runs = await source.server.query<{ id: number; host: string; job: number }>(
    `SELECT DISTINCT ON (job) id::int, host, job::int FROM run WHERE job = ANY($1) AND stored > 0
     ORDER BY job, started_at DESC, id DESC`,
    [jobs.map(({ id }) => id)],
  );
  if (runs.length === 0) return null;
  return withRunCopies(
    runs.map(({ id }) => id),
    source,
    (database, numbers) =>
      withStore(database, async (store) => {
        const records = await Promise.all(numbers.map((number) => store.readRun(number)));
        return judgeFleet(
          records.flatMap((record, index) => {
            const run = runs[index];
            if (record === null || run === undefined) return [];
            const { settledAfter = null } = jobs.find(({ id }) => id === run.job) ?? {};
            const { host, job } = run;
            return [{ host, job, record: asSettled(record, settledAfter) }];
          }),
        );
      }),
  );
}

/**
 * Takes the trials on which the verdict was reached. Later ones were already running then; a new look
 * with them would give another verdict.
 */
function asSettled(record: RunRecord, after: number | null): RunRecord {
  if (after === null) return record;
  const inOrder = record.trials.toSorted((one, other) =>
    one.startedAt < other.startedAt ? -1 : 1,
  );
  return { ...record, trials: inOrder.slice(0, after) };
}

/** Ends the open jobs of a comparison that its hosts have decided together. */
export async function settleBatch(
  queue: JobQueue,
  jobs: readonly Job[],
  answer: BatchAnswer | null,
): Promise<boolean> {
  if (answer?.kind !== 'comparison' || !isFleetDecided(answer.verdict)) return false;
  const open = jobs.filter(({ endedAt, state }) => endedAt === null && state !== 'cancelling');
  for (const { id } of open) {
    const { trials = 0 } = answer.verdict.hosts.find(({ job }) => job === id) ?? {};
    await queue.cancel(id, trials);
  }
  return true;
}

/** Judges a batch again only where trials have come, and at most a tenth of the time. */
export class BatchWatch {
  readonly #source: Source;
  #stored = -1;
  #restUntil = 0;
  #answer: BatchAnswer | null = null;

  constructor(source: Source) {
    this.#source = source;
  }

  /** @param isLast nothing is left out for the sake of time, and answers of jobs count, too */
  async look(jobs: readonly Job[], isLast = false): Promise<BatchAnswer | null> {
    if (isLast || jobs[0]?.words[0] === 'nightly') return answerBatch(jobs, this.#source);
    const began = performance.now();
    if (jobs.length < 2 || began < this.#restUntil) return this.#answer;
    const [row] = await this.#source.server.query<{ stored: number }>(
      'SELECT coalesce(sum(stored), 0)::int AS stored FROM run WHERE job = ANY($1)',
      [jobs.map(({ id }) => id)],
    );
    const { stored = 0 } = row ?? {};
    if (stored === this.#stored) return this.#answer;
    this.#stored = stored;
    this.#answer = await answerBatch(jobs, this.#source);
    const took = performance.now() - began;
    this.#restUntil = performance.now() + 10 * took;
    return this.#answer;
  }
}
