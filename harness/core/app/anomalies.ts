import { existsSync } from 'node:fs';
import { anomalyQuestion, isFinding, type Finding } from '../analysis/anomaly.ts';
import type { Decision } from '../analysis/stats/verdict.ts';
import { FarmError } from '../errors.ts';
import type { Anomaly, AnomalyState } from '../model/anomaly.ts';
import type { Presence, Target } from '../model/device.ts';
import { withStore } from './records.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/** Lists the saved anomalies; none without a database. */
export async function listAnomalies(database: string): Promise<readonly Anomaly[]> {
  // Opening would create the file, and reading must not.
  if (!existsSync(database)) return [];
  return withStore(database, (store) => store.listAnomalies());
}

/** @throws FarmError `unknown-anomaly` */
export async function readAnomaly(id: string, database: string): Promise<Anomaly> {
  requireDatabase(database, id);
  return withStore(database, (store) => store.readAnomaly(id));
}

export interface AnomalyChange {
  readonly state: Exclude<AnomalyState, 'untriaged'>;
  readonly reason: string;
}

/** Gives an anomaly the state that a person decided on. @throws FarmError `unknown-anomaly` */
export async function markAnomaly(
  id: string,
  change: AnomalyChange,
  database: string,
): Promise<Anomaly> {
  requireDatabase(database, id);
  return withStore(database, async (store) => {
    await store.changeAnomaly(id, { ...change, changedAt: new Date().toISOString() });
    return store.readAnomaly(id);
  });
}

/** Results of a reproduction. */
export type ReproductionState = Extract<
  AnomalyState,
  'reproduced' | 'not-reproduced' | 'inconclusive'
>;

const decisions: readonly AnomalyState[] = ['ignored', 'closed'];

/** True if a person gave an anomaly its state, which no measurement changes. */
export function isByPerson({ state }: Pick<Anomaly, 'state'>): boolean {
  return decisions.includes(state);
}

/**
 * Keeps what a reproduction came to as the anomaly's state, unless a person ignored or closed it.
 * @returns the anomaly in its current state.
 * @throws FarmError `unknown-anomaly`
 */
export async function keepState(
  id: string,
  change: { readonly state: ReproductionState; readonly reason: string },
  database: string,
): Promise<Anomaly> {
  return withStore(database, async (store) => {
    // Read again: the run took minutes, and a person may have decided meanwhile.
    if (!isByPerson(await store.readAnomaly(id))) {
      await store.changeAnomaly(id, { ...change, changedAt: new Date().toISOString() });
    }
    return store.readAnomaly(id);
  });
}

function requireDatabase(database: string, id: string): void {
  if (existsSync(database)) return;
  throw new FarmError('unknown-anomaly', {
    what: `Anomaly ${id} was not found: ${database} does not exist.`,
    next: `Save one: ${npxCrossfarm} compare A B --save "what it is"`,
  });
}

interface Saving extends Omit<Finding, 'decision'> {
  /** Null when there was none. */
  readonly decision: Decision | null;
  readonly presences: readonly Presence[];
  readonly database: string;
}

/** Keeps a comparison's finding as an anomaly. @returns its id; null when nothing was found. */
export async function saveAnomaly(saving: Saving): Promise<string | null> {
  const { decision, presences, database, pair, run, sentence, measurement } = saving;
  if (decision === null || !isFinding(decision)) return null;
  return withStore(database, (store) =>
    store.saveAnomaly({
      run,
      sentence,
      question: anomalyQuestion({ pair, decision, run, sentence, measurement }),
      targets: presences.flatMap(targetOf),
      createdAt: new Date().toISOString(),
    }),
  );
}

/** The refusal when there was nothing to save, thrown after the comparison itself was printed. */
export function nothingToSave(decision: Decision | null): FarmError {
  return new FarmError('bad-argument', {
    what: `Nothing was saved: the verdict is ${decision?.verdict ?? 'undecided'}, and only "faster" or "slower" is a finding.`,
    next: 'Run more blocks (--max-blocks), or leave --save out.',
  });
}

function targetOf(presence: Presence): readonly Target[] {
  return presence.status === 'found' ? [presence.target] : [];
}
