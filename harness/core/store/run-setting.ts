import type { RunLook, RunStage } from '../model/history.ts';
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

/** How far a run is, and the comparisons of its newest look if there is one that is newer. */
export interface StageNews {
  readonly stage: RunStage;
  readonly look?: RunLook;
}

/** Keeps how far a run is, for who shows it meanwhile. Inside a transaction. */
export async function keepStage(
  connection: Connection,
  run: number,
  { stage, look }: StageNews,
): Promise<void> {
  const path = look === undefined ? '' : `, '$.look', json(?3)`;
  await connection.all(
    `UPDATE run_setting SET document = json_set(document, '$.stage', json(?2)${path})
     WHERE run_id = ?1`,
    [run, JSON.stringify(stage), ...(look === undefined ? [] : [JSON.stringify(look)])],
  );
}

/** Null of a run of an older farm. Inside a transaction. */
export function selectStage(connection: Connection, run: number): Promise<RunStage | null> {
  return selectMember<RunStage>(connection, run, 'stage');
}

/** Null before the first look. Inside a transaction. */
export function selectLook(connection: Connection, run: number): Promise<RunLook | null> {
  return selectMember<RunLook>(connection, run, 'look');
}

async function selectMember<Member>(
  connection: Connection,
  run: number,
  name: string,
): Promise<Member | null> {
  const [row] = await connection.all<{ json: string | null }>(
    'SELECT document -> ?2 AS json FROM run_setting WHERE run_id = ?1',
    [run, `$.${name}`],
  );
  return typeof row?.json === 'string' ? (JSON.parse(row.json) as Member) : null;
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
