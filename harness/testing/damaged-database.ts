import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completed, makeFacts, makeJobs } from '../core/store/fixtures/example.ts';
import { openStore } from '../core/store/store.ts';

/** Writes `farm.db`, a database with a run, twenty of whose pages are overwritten. */
export async function aDamagedDatabase(folder: string): Promise<string> {
  const path = join(folder, 'farm.db');
  const store = await openStore(path);
  const jobs = makeJobs(20);
  const run = await store.createRun(makeFacts(jobs));
  for (const job of jobs) {
    await store.writeTrial(run, completed(job, Array<number>(500).fill(1 / 3)));
  }
  await store.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, 6 * 4096, 26 * 4096);
  writeFileSync(path, bytes);
  return path;
}
