import type { Connection } from './connection.ts';

/** A comparison of two commits, as a feature wrote it: the store does not read it. */
export interface CommitResult {
  /** The same in every database. */
  readonly name: string;
  /** A JSON object. */
  readonly document: string;
}

/** Stores results; one whose name is known stays as it is. @returns how many were new */
export async function insertCommitResults(
  connection: Connection,
  results: readonly CommitResult[],
): Promise<number> {
  let count = 0;
  for (const { name, document } of results) {
    const stored = await connection.all(
      'INSERT INTO commit_result (name, document) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING name',
      [name, document],
    );
    count += stored.length;
  }
  return count;
}

/** All results, by name. */
export function selectCommitResults(connection: Connection): Promise<readonly CommitResult[]> {
  return connection.all('SELECT name, document FROM commit_result ORDER BY name');
}
