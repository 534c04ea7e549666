import type { Anomaly, AnomalyState } from '../model/anomaly.ts';
import { openStore } from '../store/store.ts';

/** What a reproduction comes to. */
export type Reproduced = Extract<AnomalyState, 'reproduced' | 'not-reproduced' | 'inconclusive'>;

/** What a person said of an anomaly, which no measurement takes back. */
const byPerson: readonly AnomalyState[] = ['ignored', 'closed'];

/**
 * Keeps what a reproduction came to as the anomaly's state, unless a person ignored or closed it.
 * @returns the anomaly as it stands now.
 * @throws FarmError `unknown-anomaly`
 */
export async function keepState(
  id: string,
  change: { readonly state: Reproduced; readonly reason: string },
  database: string,
): Promise<Anomaly> {
  const store = await openStore(database);
  try {
    // Read again: the run took minutes, and a person may have decided meanwhile.
    const { state } = await store.readAnomaly(id);
    if (!byPerson.includes(state)) {
      await store.changeAnomaly(id, { ...change, changedAt: new Date().toISOString() });
    }
    return await store.readAnomaly(id);
  } finally {
    await store.close();
  }
}

/** What is told of the state that a person gave; null where the measurement's own was kept. */
export function stateNote({ id, state, reason }: Anomaly): string | null {
  if (!byPerson.includes(state)) return null;
  return `${id} stays ${state}: ${reason ?? 'no reason was given'}`;
}
