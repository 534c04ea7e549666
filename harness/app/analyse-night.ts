import { analyseWith, type AnalyseNight, type AnalysisMeans } from './nights/analyse-night.ts';
import { openStore, type Store } from '../store/store.ts';
import type { Io } from '../cli/io.ts';
import { readRecord } from './records.ts';
import { prepareRemeasuring, type NightSetting } from './remeasure.ts';
import { searchStored } from './stored-history.ts';

/** What history says of a night's run, with its suspects measured again where that can be done. */
export const analyseNight: AnalyseNight = async ({ database, run, budgetMs, signal }) => {
  const record = await readRecord(run, database);
  const io: Io = { stdout: process.stdout, stderr: process.stderr, signal };
  const stored = await withStore(database, (store) => store.readSetting(run));
  const setting: NightSetting = { record, database, io, stored };
  return analyseWith(meansFor(setting), { run: record.run, budgetMs, signal });
};

/** Each call opens the store for itself: a re-measurement stores its own run, and takes minutes. */
function meansFor(setting: NightSetting): AnalysisMeans {
  const { database, record } = setting;
  return {
    searchSeries: () => withStore(database, (store) => searchStored(store, record.run)),
    listAnomalies: () => withStore(database, (store) => store.listAnomalies()),
    closeAnomaly: (id, reason) =>
      withStore(database, (store) =>
        store.changeAnomaly(id, { state: 'closed', reason, changedAt: new Date().toISOString() }),
      ),
    prepare: (suspected) => prepareRemeasuring(suspected, setting),
    now: () => performance.now(),
  };
}

async function withStore<T>(database: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(database);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
