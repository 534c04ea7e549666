import { previewSweep, renderSweep, sweepHeadline } from '../../../reports/sweep.ts';
import type { Exhibit } from '../../../reports/gallery.ts';
import type { AddExhibits } from '../../core/app/extensions.ts';
import { withStore } from '../../core/app/records.ts';
import { caseName } from '../../core/model/case.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { readSweep } from './stored-sweep.ts';
import { describeSweep } from './write-sweep.ts';

/** Sweeps that a gallery shows, the newest of each case. */
const mostSweeps = 3;

/** Adds the newest sweep of each case. */
export const addExhibits: AddExhibits = async ({ databases, ...writing }) => {
  const sweeps: (readonly RunRecord[])[] = [];
  for (const database of databases) sweeps.push(...(await storedSweeps(database)));
  const newest = sweeps.toSorted((a, b) => startOf(b).localeCompare(startOf(a)));
  const ofCase = new Map(newest.toReversed().map((runs) => [caseOf(runs), runs]));
  const chosen = newest.filter((runs) => ofCase.get(caseOf(runs)) === runs).slice(0, mostSweeps);
  if (chosen.length === 0) {
    const because = `no sweep is stored; ${npxCrossfarm} engines sweep fib --builds node@20..26 makes one.`;
    return [{ kind: 'missing', part: 'history', name: 'Over versions', because }];
  }
  return chosen.map((runs, i): Exhibit => {
    const findings = describeSweep(readSweep(runs), writing);
    const { caseName: name, points } = findings;
    const preview = previewSweep(findings);
    return {
      kind: 'page',
      part: 'history',
      file: `sweep-${String(i + 1)}.html`,
      html: renderSweep(findings),
      name: `${String(points.length)} builds`,
      finding: sweepHeadline(findings) ?? `${name}: no change is decided`,
      about:
        'Each build is a point on a linear axis: point at it for its interval. Changes are marked.',
      ...(preview !== null && { preview }),
    };
  });
};

/** The runs of each sweep of a database, the oldest first: those that one command made. */
async function storedSweeps(database: string): Promise<readonly (readonly RunRecord[])[]> {
  return withStore(database, async (store) => {
    const sweeps = new Map<string, RunRecord[]>();
    const runs = (await store.listRuns()).filter(({ suite }) => suite === 'sweep');
    for (const { id, command } of runs.toReversed()) {
      const record = await store.readRun(id);
      if (record === null || record.trials.length === 0) continue;
      const looks = sweeps.get(command);
      if (looks === undefined) sweeps.set(command, [record]);
      else looks.push(record);
    }
    return [...sweeps.values()];
  });
}

function startOf(runs: readonly RunRecord[]): string {
  return runs[0]?.run.startedAt ?? '';
}

function caseOf(runs: readonly RunRecord[]): string {
  const job = runs[0]?.jobs[0];
  const product = job?.deviceId.split('@')[0] ?? '';
  return job === undefined ? '' : `${product} ${caseName(job.case)}`;
}
