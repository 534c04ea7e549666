import type { Pair } from '../analysis/decisions.ts';
import { decideTable, type TableEntry } from '../analysis/sequential.ts';
import { caseName } from '../model/case.ts';
import type { RunRecord } from '../model/run.ts';
import type { Trial } from '../model/trial.ts';
import { defaultAlpha, defaultMargin } from '../stats/verdict.ts';
import type { Store } from '../store/store.ts';

/** Reads two stored runs, and judges every series that both have, the newer beside the older. */
export async function compareRuns(
  store: Store,
  newer: number,
  older: number,
): Promise<readonly TableEntry[]> {
  const [after, before] = [await readRun(store, newer), await readRun(store, older)];
  const trials = [...renamed(after, 'after'), ...renamed(before, 'before')];
  const rules = { margin: defaultMargin, alpha: defaultAlpha };
  return decideTable(trials, pairsOf(after), rules);
}

async function readRun(store: Store, id: number): Promise<RunRecord> {
  const record = await store.readRun(id);
  if (record === null) throw new Error(`there is no run ${String(id)}`);
  return record;
}

/** Trials by devices whose names tell which run they are of. */
function renamed({ trials }: RunRecord, side: 'after' | 'before'): readonly Trial[] {
  return trials.map((trial) => ({
    ...trial,
    job: { ...trial.job, deviceId: `${trial.job.deviceId}@${side}` },
  }));
}

function pairsOf({ jobs }: RunRecord): readonly Pair[] {
  const lanes = new Map(jobs.map((job) => [`${job.deviceId}\n${caseName(job.case)}`, job]));
  return [...lanes.values()].flatMap(({ deviceId, case: one }) =>
    one.benchmark.metrics.map((metric) => ({
      a: { deviceId: `${deviceId}@after`, case: one },
      b: { deviceId: `${deviceId}@before`, case: one },
      metric,
    })),
  );
}
