import {
  anomalyId,
  anomalyNumber,
  type Anomaly,
  type AnomalyFacts,
  type AnomalyState,
} from '../model/anomaly.ts';
import type { Connection } from './connection.ts';
import { insertOne } from './insert.ts';
import type { Columns } from './rows.ts';

type AnomalyRow = Columns<
  'sentence' | 'question' | 'targets' | 'created_at' | 'changed_at',
  'reason'
> & {
  readonly id: number;
  readonly run_id: number | null;
  readonly state: AnomalyState;
};

/** Stores a finding as untriaged, and gives the anomaly's id. */
export async function insertAnomaly(connection: Connection, facts: AnomalyFacts): Promise<string> {
  const number = await insertOne(connection, 'anomaly', {
    run_id: facts.run,
    sentence: facts.sentence,
    question: JSON.stringify(facts.question),
    targets: JSON.stringify(facts.targets),
    created_at: facts.createdAt,
    changed_at: facts.createdAt,
  });
  return anomalyId(number);
}

/** All anomalies, or one of them; the newest first. */
export async function selectAnomalies(
  connection: Connection,
  id: string | 'all',
): Promise<readonly Anomaly[]> {
  // No row has the number null, so an invalid id finds nothing.
  const wanted = id === 'all' ? [1, null] : [0, anomalyNumber(id)];
  const rows = await connection.all<AnomalyRow>(
    'SELECT * FROM anomaly WHERE ?1 OR id = ?2 ORDER BY id DESC',
    wanted,
  );
  return rows.map(toAnomaly);
}

function toAnomaly(row: AnomalyRow): Anomaly {
  const id = anomalyId(row.id);
  const question = JSON.parse(row.question) as AnomalyFacts['question'];
  return {
    id,
    run: row.run_id,
    sentence: row.sentence,
    question: { ...question, id, title: `Anomaly ${id}` },
    targets: JSON.parse(row.targets) as Anomaly['targets'],
    state: row.state,
    reason: row.reason,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}

export interface AnomalyChange {
  readonly state: Exclude<AnomalyState, 'untriaged'>;
  readonly reason: string;
  /** ISO 8601, UTC. */
  readonly changedAt: string;
}

/** True if the anomaly existed. */
export async function updateAnomaly(
  connection: Connection,
  id: string,
  { state, reason, changedAt }: AnomalyChange,
): Promise<boolean> {
  const changed = await connection.all(
    'UPDATE anomaly SET state = ?, reason = ?, changed_at = ? WHERE id = ? RETURNING id',
    [state, reason, changedAt, anomalyNumber(id)],
  );
  return changed.length > 0;
}
