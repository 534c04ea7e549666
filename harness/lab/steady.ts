import { resolve } from 'node:path';
import { withStore } from '../core/app/records.ts';
import { isCompleted, type CompletedTrial } from '../core/analysis/series.ts';
import { calmIterations } from '../core/model/trial-value.ts';
import { isQuarantined, type Trial } from '../core/model/trial.ts';
import { askRuptures } from './python.ts';
import type { BenchRow } from './row.ts';

/** The largest change inside a window of a steady trial. */
const largestStep = 0.05;

/** Shorter series are not judged: ruptures wants segments of five. */
const fewestIterations = 12;

/**
 * Judges the windows of all trials of a database by ruptures: measure suites there first.
 * CROSSFARM_STEADY_DATABASE names it; `.farm/farm.db` otherwise.
 */
export async function steadyBench(): Promise<readonly BenchRow[]> {
  const database = resolve(process.env['CROSSFARM_STEADY_DATABASE'] ?? '.farm/farm.db');
  const trials = await withStore(database, async (store) => {
    const read: Trial[] = [];
    for (const { id } of await store.listRuns()) {
      read.push(...((await store.readRun(id))?.trials ?? []));
    }
    return read;
  });
  return unsteadyRows('steady', trials);
}

/**
 * Counts for each engine the trials that are called steady with a change of more than 5 % in their
 * window. A quarantined trial decides nothing, and a disturbed window may well change: these are
 * counted apart.
 */
export async function unsteadyRows(
  bench: string,
  trials: readonly Trial[],
): Promise<readonly BenchRow[]> {
  const steady = trials
    .filter(isCompleted)
    .filter(({ outcome }) => isCalledSteady(outcome.result))
    .map((trial) => ({ trial, window: calmIterations(trial.outcome.result) }));
  const judged = steady.filter(({ window }) => window.length >= fewestIterations);
  const answer = await askRuptures(judged.map(({ window }) => window));
  const base = { bench, unit: '%', ratio: null };
  if (answer.kind === 'not-there') {
    const detail = `not judged, because ${answer.because}`;
    return [{ ...base, figure: 'called steady with a change in the window', value: NaN, detail }];
  }
  const steps = judged.map(({ trial }, index): JudgedTrial => ({
    engine: engineOf(trial),
    quarantined: isQuarantined(trial),
    isWrong: (answer.largestSteps[index] ?? 0) > largestStep,
  }));
  return [...new Set(steady.map(({ trial }) => engineOf(trial)))].map((engine) => {
    const own = steps.filter((one) => one.engine === engine);
    const ours = own.filter(({ quarantined }) => !quarantined);
    const apart = own.filter(({ quarantined }) => quarantined);
    const wrong = wrongOf(ours);
    const all = steady.filter(({ trial }) => engineOf(trial) === engine).length;
    const short = all - own.length;
    return {
      ...base,
      figure: `${engine}: called steady with a change of > 5 % in the window`,
      value: (100 * wrong) / ours.length,
      detail: `${String(wrong)} of ${String(ours.length)} trials, by ruptures ${answer.version}; of quarantined ones ${String(wrongOf(apart))} of ${String(apart.length)}; ${String(short)} have too few iterations to be judged`,
    };
  });
}

interface JudgedTrial {
  readonly engine: string;
  readonly quarantined: boolean;
  readonly isWrong: boolean;
}

function wrongOf(judged: readonly JudgedTrial[]): number {
  return judged.filter(({ isWrong }) => isWrong).length;
}

/** Twins of a bench are one engine. */
function engineOf({ job }: Trial): string {
  return job.deviceId.replace(/@[ab]$/, '');
}

type Result = CompletedTrial['outcome']['result'];

function isCalledSteady({ steadiness }: Result): boolean {
  return ['flat', 'warm-up', 'slowdown'].includes(steadiness);
}
