import { comparisonSuite } from '../../analysis/verdicts.ts';
import {
  hasTheSameSides,
  sameTest,
  undecidedEvidence,
  type AskedTest,
  type CarriedEvidence,
} from './same-test.ts';
import { isOfDeadFarm } from '../../session/farm-mark.ts';
import { openStore } from '../../store/store.ts';
import type { UnfinishedRun } from '../run/continue-run.ts';

/** A run of an earlier night, to be gone on with. */
export interface StoredTest extends UnfinishedRun {
  readonly carried: CarriedEvidence;
}

/**
 * The newest run of the same test, where it is undecided and nobody carries it out; else null. A
 * setting is read before its run, which has many trials.
 */
export async function findStoredTest(
  asked: AskedTest,
  database: string,
): Promise<StoredTest | null> {
  const store = await openStore(database);
  try {
    for (const { id, suite } of await store.listRuns()) {
      const stored = suite === comparisonSuite ? await store.readSetting(id) : null;
      const test = stored === null ? null : sameTest(stored.document, asked);
      const record = test === null ? null : await store.readRun(id);
      if (stored === null || test === null || record === null) continue;
      if (!hasTheSameSides(record, asked)) continue;
      const isFree = record.run.status !== 'running' || isOfDeadFarm(stored.farm);
      const carried = isFree ? undecidedEvidence(record, test, asked.pair) : null;
      return carried === null ? null : { record, stored, carried };
    }
    return null;
  } finally {
    await store.close();
  }
}
