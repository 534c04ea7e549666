import { analyseWith, type AnalyseNight, type AnalysisMeans } from '../nights/analyse-night.ts';
import { keepBuilds } from '../setup/kept-builds.ts';
import { openStore, type Store } from '../store/store.ts';
import { note, type Io } from './io.ts';
import { readRecord } from './records.ts';
import { keptFolder, prepareRemeasuring, type NightSetting } from './remeasure.ts';
import { searchStored } from './stored-history.ts';

/** What all kept builds together may take: some ten of a large browser. */
const keptBytes = 4 * 2 ** 30;

/** What history says of a night's run, with its suspects measured again where that can be done. */
export const analyseNight: AnalyseNight = async ({ database, run, budgetMs, signal }) => {
  const record = await readRecord(run, database);
  const io: Io = { stdout: process.stdout, stderr: process.stderr, signal };
  const stored = await withStore(database, (store) => store.readSetting(run));
  const setting: NightSetting = { record, database, io, stored };
  // First: a suspect may have to be measured on copies, tonight's build's among them.
  await keepTonight(setting);
  return analyseWith(meansFor(setting), { run, budgetMs, signal });
};

/** A build that cannot be kept is missed later on; tonight's findings do not need it. */
async function keepTonight({ record, database, io }: NightSetting): Promise<void> {
  const targets = record.presences.flatMap((one) => (one.status === 'found' ? [one.target] : []));
  const now = new Date().toISOString();
  try {
    const keeping = { folder: keptFolder(database), budgetBytes: keptBytes, now };
    await keepBuilds(targets, keeping);
  } catch (error) {
    note(io, `Tonight’s builds were not kept: ${(error as Error).message}`);
  }
}

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
