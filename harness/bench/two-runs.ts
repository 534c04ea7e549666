import type { Findings } from '../../reports/findings.ts';
import { describeRuns } from '../analysis/across-runs.ts';
import type { RunRecord } from '../model/run.ts';
import { farmVersion } from '../project.ts';
import type { Store } from '../store/store.ts';

/** Reads two stored runs, and says of them what `farm report <older> <newer>` does. */
export async function compareRuns(store: Store, newer: number, older: number): Promise<Findings> {
  const records = [await readRun(store, older), await readRun(store, newer)];
  return describeRuns(records, {
    writtenAt: new Date().toISOString(),
    farmVersion: farmVersion(),
  });
}

async function readRun(store: Store, id: number): Promise<RunRecord> {
  const record = await store.readRun(id);
  if (record === null) throw new Error(`there is no run ${String(id)}`);
  return record;
}
