import { sum } from 'simple-statistics';
import {
  type DeclaredReading,
  declaredReading,
  mainThreadWait,
  type Reading,
} from '../model/reading.ts';
import type { TrialResult } from '../model/trial.ts';

/**
 * Durations of a page's main thread without other programs: subtracts the thread's wait for a core
 * while others had the cores.
 */

/** At least so much of a duration is left. */
const leastLeft = 0.05;

/** Cores are counted in ticks of 10 ms, ten times a second: over less than this they would say nothing of a share. */
const shareSpanMs = 200;

interface CorrectedResult {
  readonly result: TrialResult;
  readonly readings: readonly Reading[];
}

/**
 * Takes off the durations of a page what its main thread waited for a core while others had it. In the
 * place of the counters the readings then have what was taken off. Leaves the durations alone where
 * the counters were not read.
 */
export function withoutOthers(result: TrialResult, readings: readonly Reading[]): CorrectedResult {
  const { endedAt = {}, ...kept } = result;
  const counters = readings.find((one) => one.probe === mainThreadWait);
  if (counters === undefined || !('values' in counters)) return { result: kept, readings };
  const lost = lostToOthers(counters);
  if (lost === null) return { result: kept, readings };
  const takenOff: number[] = [];
  const samples = result.samples.map((one) => {
    const ends = endedAt[one.metric];
    if (one.unit !== 'ms' || ends?.length !== one.timed.length) return one;
    const timed = one.timed.map((duration, index) => {
      const end = ends[index] ?? 0;
      const off = Math.min(lost(end - duration, end), (1 - leastLeft) * duration);
      takenOff.push(off);
      return duration - off;
    });
    return { ...one, timed };
  });
  const left = sum(samples.filter(({ metric }) => metric in endedAt).flatMap(({ timed }) => timed));
  const off = sum(takenOff);
  return {
    result: { ...kept, samples },
    readings: readings.map((one) =>
      one === counters ? summarize(counters, { takenOff, share: off / (off + left) }) : one,
    ),
  };
}

function summarize(
  { probe, costMs }: DeclaredReading,
  { takenOff, share }: { readonly takenOff: readonly number[]; readonly share: number },
): DeclaredReading {
  const title = 'Waited for a core that other programs had, and left out of the durations';
  return declaredReading.parse({
    probe,
    values: {
      takenOff: { title, unit: 'ms', value: takenOff.slice(0, mostKept) },
      share: {
        title: 'Share of the durations',
        unit: null,
        value: Number.isFinite(share) ? share : null,
      },
    },
    costMs,
  });
}

const mostKept = 1_000;

type Between = (fromMs: number, toMs: number) => number;

/**
 * Milliseconds of a stretch of time that others took; null where it was not read. The wait is
 * shared out among those who had the cores meanwhile: other programs, and the other threads of the
 * browser, whose part is the page's own.
 */
function lostToOthers(counters: DeclaredReading): Between | null {
  const of = (at: string, counted: string): Between | null => {
    const [times, counts] = [listIn(counters, at), listIn(counters, counted)];
    return times === null || counts === null || times.length < 2 ? null : growth(times, counts);
  };
  const [waitedIn, ranIn] = [of('at', 'waited'), of('at', 'ran')];
  const [busyIn, browserIn] = [of('sharedAt', 'busy'), of('sharedAt', 'browser')];
  if (!waitedIn || !ranIn || !busyIn || !browserIn) return null;
  return (from, to) => {
    const around = Math.max(0, shareSpanMs - (to - from)) / 2;
    const span = [from - around, to + around] as const;
    const others = Math.max(0, busyIn(...span) - browserIn(...span));
    const own = Math.max(0, browserIn(...span) - ranIn(...span));
    return others === 0 ? 0 : (waitedIn(from, to) * others) / (others + own);
  };
}

function listIn({ values }: DeclaredReading, name: string): readonly number[] | null {
  const { value } = values[name] ?? {};
  return Array.isArray(value) ? value : null;
}

/** How much a counter grew in a stretch of time: between two readings evenly, and before the first and after the last not at all. */
function growth(at: readonly number[], counts: readonly number[]): Between {
  const countAt = (ms: number): number => {
    const after = firstAfter(at, ms);
    const [from = 0, to = from] = [at[after - 1], at[after]];
    const [low, high] = [counts[after - 1], counts[after]];
    if (low === undefined) return high ?? 0;
    if (high === undefined || to === from) return low;
    return low + ((high - low) * (ms - from)) / (to - from);
  };
  return (from, to) => countAt(to) - countAt(from);
}

/** The place of the first reading later than that; the length where none is. */
function firstAfter(at: readonly number[], ms: number): number {
  let [low, high] = [0, at.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? Infinity) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
