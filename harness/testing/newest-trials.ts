import { join } from 'node:path';
import type { Trial } from '../model/trial.ts';
import { openStore } from '../store/store.ts';

/** The trials of the newest run of a farm that was started in this folder. */
export async function newestTrials(folder: string): Promise<readonly Trial[]> {
  const store = await openStore(join(folder, '.farm', 'farm.db'));
  try {
    const record = await store.readRun('latest');
    if (record === null) throw new Error(`no run is stored in ${folder}`);
    return record.trials;
  } finally {
    await store.close();
  }
}
