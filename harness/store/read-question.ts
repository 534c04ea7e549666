import type { Question } from '../model/question.ts';
import type { Connection } from './connection.ts';

/** What a run was made to answer; null for a run that was made for no question. */
export async function selectQuestion(
  connection: Connection,
  run: number,
): Promise<Question | null> {
  const [row] = await connection.all<{ document: string }>(
    'SELECT document FROM question WHERE run_id = ?',
    [run],
  );
  return row === undefined ? null : (JSON.parse(row.document) as Question);
}

/**
 * The newest finished run that was made for the question of this id; one that was not narrowed to
 * some devices or another parameter goes before those that were.
 */
export async function selectAnswer(connection: Connection, name: string): Promise<number | null> {
  const [row] = await connection.all<{ run_id: number }>(
    `SELECT run_id FROM question JOIN run ON run.id = question.run_id
     WHERE name = ? AND status = 'finished'
     ORDER BY command LIKE '% --device %' OR command LIKE '% --param %', run_id DESC LIMIT 1`,
    [name],
  );
  return row?.run_id ?? null;
}
