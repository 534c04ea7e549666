import type { RunSetting } from '../model/run.ts';
import type { Connection } from './connection.ts';
import { forgetSummary } from './run-summary.ts';

/** The stored settings of a run, and the farm process that runs it. */
export interface StoredSetting {
  /** Mark of the process that runs it, or did last. */
  readonly farm: string;
  readonly document: RunSetting;
}

/** Null for a run that was imported, or that an older farm made. */
export async function selectSetting(
  connection: Connection,
  run: number,
): Promise<StoredSetting | null> {
  const [row] = await connection.all<{ farm: string; document: string }>(
    'SELECT farm, document FROM run_setting WHERE run_id = ?',
    [run],
  );
  if (row === undefined) return null;
  return { farm: row.farm, document: JSON.parse(row.document) as RunSetting };
}

export interface Claiming {
  /** Mark of the process that continues it. */
  readonly farm: string;
  /** Mark of the process that was seen to run it last. */
  readonly before: string;
  /** The command that repeats it from now on; as it was when left out. */
  readonly command?: string;
}

/** Takes a run over; false when another farm was quicker. Inside a transaction. */
export async function takeOver(
  connection: Connection,
  run: number,
  { farm, before, command }: Claiming,
): Promise<boolean> {
  const taken = await connection.all(
    'UPDATE run_setting SET farm = ? WHERE run_id = ? AND farm = ? RETURNING run_id',
    [farm, run, before],
  );
  if (taken.length === 0) return false;
  await connection.all(
    "UPDATE run SET status = 'running', finished_at = NULL, command = coalesce(?, command) WHERE id = ?",
    [command ?? null, run],
  );
  await forgetSummary(connection, run);
  return true;
}
