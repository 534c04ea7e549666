import { FarmError } from '../errors.ts';
import type { RunRecord } from '../model/run.ts';
import type { Connection } from './connection.ts';
import { keepSummary } from './run-summary.ts';
import { insertRun } from './write-run.ts';
import { insertTrials } from './write-trial.ts';

/** A run that another farm made, after it was checked. */
export interface ImportedRun {
  readonly identity: string;
  readonly record: RunRecord;
}

/** The result for one of them. */
export interface ImportedAs {
  readonly identity: string;
  /** Its number here. */
  readonly run: number;
  /** It was here before, and is not stored twice. */
  readonly known: boolean;
}

/** Stores runs of other farms, one after the other. Inside a transaction. Errors: `bad-import`. */
export async function insertAllImported(
  connection: Connection,
  runs: AsyncIterable<ImportedRun>,
): Promise<readonly ImportedAs[]> {
  const stored: ImportedAs[] = [];
  try {
    for await (const run of runs) stored.push(await insertImported(connection, run));
  } catch (error) {
    throw refusedByTables(error) ?? error;
  }
  return stored;
}

/** Stores a run with its trials and question, unless it is here already. */
async function insertImported(
  connection: Connection,
  { identity, record }: ImportedRun,
): Promise<ImportedAs> {
  const [known] = await connection.all<{ id: number }>('SELECT id FROM run WHERE identity = ?', [
    identity,
  ]);
  if (known !== undefined) return { identity, run: known.id, known: true };
  const { presences, jobs, trials, question } = record;
  const { suite, seed, isolation, preset, command, farmVersion, machine, startedAt } = record.run;
  const id = await insertRun(connection, {
    suite,
    seed,
    isolation,
    preset,
    command,
    farmVersion,
    machine,
    startedAt,
    presences,
    jobs,
    identity,
    ...(question === undefined ? {} : { question }),
  });
  await insertTrials(connection, id, trials);
  await connection.all('UPDATE run SET status = ?, finished_at = ? WHERE id = ?', [
    ...[record.run.status, record.run.finishedAt],
    id,
  ]);
  await keepSummary(connection, id);
  return { identity, run: id, known: false };
}

/** No farm makes rows that the tables refuse: the file is wrong, not the farm. */
function refusedByTables(error: unknown): FarmError | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'SQLITE_CONSTRAINT') return null;
  return new FarmError('bad-import', {
    what: `A run is refused: it contradicts itself (${(error as Error).message}).`,
    next: 'Nothing was stored. Ask the sender for the file again.',
    cause: error,
  });
}
