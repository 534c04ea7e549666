import type { MeasurementPreset } from '../model/case.ts';
import type { RunStatus } from '../model/run.ts';
import { connect, type Connection } from './connection.ts';
import { FileInUse, lockAlone, replaceByCopy } from './database-file.ts';
import { explain } from './failures.ts';
import { connectMigrated } from './migrate.ts';
import { selectAnswer, selectCounts } from './read-run.ts';

/** Which runs may go. */
export interface Retention {
  /** Those that began before this go; ISO 8601, UTC. */
  readonly before?: string;
  /** The oldest go until the file fits the limit. */
  readonly maxBytes?: number;
  /** Removes nothing, and reports what would go. */
  readonly dryRun: boolean;
  /**
   * Action while another process, such as farm serve, has the file open: `refuse`, which is usual,
   * or `leave-size`: runs go, their room is used by later ones, and the file stays as large.
   */
  readonly whenInUse?: 'refuse' | 'leave-size';
  /** True if the farm process of this mark has ended: a living one keeps its run. */
  readonly isDead: (farm: string) => boolean;
}

/** Why an old run stays. */
type Protection =
  | 'the last good run of its suite'
  | 'an anomaly was found in it'
  | 'the newest answer to its question'
  | 'it is being carried out';

export interface PruneResult {
  readonly removed: readonly number[];
  readonly kept: number;
  /** Old runs that stay. */
  readonly protected: readonly { readonly run: number; readonly because: Protection }[];
  readonly bytesBefore: number;
  /** Of a dry run: what the file would have. */
  readonly bytesAfter: number;
  /** Why the file is as large as before, although runs went; null where it is not. */
  readonly notShrunk: string | null;
}

/** Rolls a dry run back, with its result. */
class Rehearsed extends Error {
  readonly pruned: PruneResult;

  constructor(pruned: PruneResult) {
    super('a dry run');
    this.pruned = pruned;
  }
}

/**
 * Removes runs with everything that belongs to them, and makes the file smaller by as much: a copy
 * without them takes its place in one step. No other process may have the file open meanwhile;
 * `whenInUse` says what to do if one has. Errors: `cannot-write` (also while another process has it
 * open), `bad-database`, `disk-full`.
 */
export async function pruneDatabase(path: string, retention: Retention): Promise<PruneResult> {
  try {
    return await pruneAlone(path, retention);
  } catch (error) {
    if (error instanceof Rehearsed) return error.pruned;
    const leaves = retention.whenInUse === 'leave-size' && error instanceof FileInUse;
    if (!leaves) throw explain(error, path);
    return pruneInUse(path, retention, error.message);
  }
}

async function pruneAlone(path: string, retention: Retention): Promise<PruneResult> {
  const connection = await connectMigrated(path);
  try {
    if (!retention.dryRun) await lockAlone(connection);
    const bytesBefore = await bytesInFile(connection);
    const pruned = await removeRuns(connection, retention, bytesBefore);
    if (retention.dryRun || pruned.removed.length === 0) return pruned;
    return { ...pruned, bytesAfter: await replaceByCopy(connection) };
  } finally {
    await connection.close();
  }
}

/** On a separate connection: one that tried to lock the file would keep others out. */
async function pruneInUse(
  path: string,
  retention: Retention,
  because: string,
): Promise<PruneResult> {
  const connection = await connect(path);
  try {
    const bytesBefore = await bytesInFile(connection);
    const pruned = await removeRuns(connection, retention, bytesBefore);
    if (pruned.removed.length === 0) return pruned;
    return { ...pruned, bytesAfter: await bytesInFile(connection), notShrunk: because };
  } finally {
    await connection.close();
  }
}

function removeRuns(
  connection: Connection,
  retention: Retention,
  bytesBefore: number,
): Promise<PruneResult> {
  return connection.transaction('write', async () => {
    const runs = await selectAges(connection);
    const protections = await protectRuns(connection, runs, retention);
    const removed: number[] = [];
    const spared: { run: number; because: Protection }[] = [];
    for (const run of runs) {
      const tooOld = retention.before !== undefined && run.started_at < retention.before;
      const tooLarge =
        retention.maxBytes !== undefined && (await bytesInUse(connection)) > retention.maxBytes;
      if (!tooOld && !tooLarge) continue;
      const because = protections.get(run.id);
      if (because !== undefined) {
        spared.push({ run: run.id, because });
        continue;
      }
      await connection.all('DELETE FROM run WHERE id = ?', [run.id]);
      removed.push(run.id);
    }
    await connection.all('DELETE FROM machine WHERE id NOT IN (SELECT machine_id FROM run)');
    const pruned: PruneResult = {
      removed,
      kept: runs.length - removed.length,
      protected: spared,
      bytesBefore,
      bytesAfter: await bytesInUse(connection),
      notShrunk: null,
    };
    if (retention.dryRun) throw new Rehearsed(pruned);
    return pruned;
  });
}

interface AgedRun {
  readonly id: number;
  readonly suite: string;
  readonly preset: MeasurementPreset | null;
  readonly status: RunStatus;
  readonly started_at: string;
  readonly farm: string | null;
}

/** The oldest first. An imported run may be older than its number says. */
function selectAges(connection: Connection): Promise<readonly AgedRun[]> {
  return connection.all<AgedRun>(
    `SELECT id, suite, preset, status, started_at, farm FROM run
     LEFT JOIN run_setting ON run_id = id ORDER BY started_at, id`,
  );
}

async function protectRuns(
  connection: Connection,
  runs: readonly AgedRun[],
  { isDead }: Pick<Retention, 'isDead'>,
): Promise<ReadonlyMap<number, Protection>> {
  const protections = new Map<number, Protection>();
  for (const id of await lastGoodRuns(connection, runs)) {
    protections.set(id, 'the last good run of its suite');
  }
  for (const id of await newestAnswers(connection)) {
    protections.set(id, 'the newest answer to its question');
  }
  const anomalies = await connection.all<{ run_id: number }>(
    'SELECT DISTINCT run_id FROM anomaly WHERE run_id IS NOT NULL',
  );
  for (const { run_id } of anomalies) protections.set(run_id, 'an anomaly was found in it');
  for (const { id, status, farm } of runs) {
    if (status === 'running' && farm !== null && !isDead(farm)) {
      protections.set(id, 'it is being carried out');
    }
  }
  return protections;
}

/**
 * Finished, something completed, and nothing failed; where a suite lacks one, its last finished
 * one. No smoke test takes the place of a measured run.
 */
async function lastGoodRuns(
  connection: Connection,
  runs: readonly AgedRun[],
): Promise<readonly number[]> {
  const counts = await selectCounts(connection, null);
  const finished = runs.filter(({ status }) => status === 'finished').toReversed();
  const isGood = ({ id }: AgedRun): boolean => {
    const { completed = 0, failed = 0, timedOut = 0 } = counts.get(id) ?? {};
    return completed > 0 && failed + timedOut === 0;
  };
  return [...new Set(finished.map(({ suite }) => suite))].flatMap((suite) => {
    const all = finished.filter((run) => run.suite === suite);
    const measured = all.filter(({ preset }) => preset === null);
    const own = measured.length > 0 ? measured : all;
    const last = own.find(isGood) ?? own[0];
    return last === undefined ? [] : [last.id];
  });
}

async function newestAnswers(connection: Connection): Promise<readonly number[]> {
  const names = await connection.all<{ name: string }>('SELECT DISTINCT name FROM question');
  const answers: number[] = [];
  for (const { name } of names) {
    const answer = await selectAnswer(connection, name);
    if (answer !== null) answers.push(answer);
  }
  return answers;
}

/** Size of the file if it were copied now: pages that hold something. */
function bytesInUse(connection: Connection): Promise<number> {
  return bytesOf(connection, 'page_count - freelist_count');
}

function bytesInFile(connection: Connection): Promise<number> {
  return bytesOf(connection, 'page_count');
}

async function bytesOf(connection: Connection, pages: string): Promise<number> {
  const [row] = await connection.all<{ bytes: number }>(
    `SELECT (${pages}) * page_size AS bytes
     FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  );
  return row?.bytes ?? 0;
}
