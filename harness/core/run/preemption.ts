import { sum } from 'simple-statistics';
import { type Reading, spreadFrom, type ThreadReading } from '../model/reading.ts';
import type { TrialResult } from '../model/trial.ts';

interface MeasuredResult {
  readonly result: TrialResult;
  readonly readings: readonly Reading[];
}

/**
 * Puts into the result how long others kept the measuring thread off a core during the window: its wait
 * for one, by the kernel's own counter, as far as other programs had the cores meanwhile. The browser's
 * other threads, such as collectors, are the work's own. Leaves it out where either was not counted, and
 * where several threads did the work. The wait is then no longer among the readings.
 */
export function withPreemption(result: TrialResult, readings: readonly Reading[]): MeasuredResult {
  const threads = readings.find((one): one is ThreadReading => 'threads' in one);
  if (threads?.wait === undefined) return { result, readings };
  const { wait, ...reading } = threads;
  const kept = readings.map((one) => (one === threads ? reading : one));
  const share = shareOfOthers(threads, readings);
  const { steadyState } = result;
  if (share === null || steadyState === undefined || wait.spread > spreadFrom) {
    return { result, readings: kept };
  }
  const preemptedMs = Number((wait.waitedMs * share).toPrecision(6));
  return { result: { ...result, steadyState: { ...steadyState, preemptedMs } }, readings: kept };
}

/** The share of other programs in the use of the cores while the thread waited, 0 to 1. */
function shareOfOthers(
  { threads, wait }: ThreadReading,
  readings: readonly Reading[],
): number | null {
  const cores = readings.find((one) => 'snapshots' in one)?.snapshots.at(-1);
  if (cores === undefined || wait === undefined) return null;
  const browserMs = sum(threads.map(({ cpuMs }) => cpuMs));
  const others = Math.max(0, sum([...cores.busyMs]) - browserMs);
  const own = Math.max(0, browserMs - wait.ranMs);
  return others === 0 ? 0 : others / (others + own);
}
