import { neighboursText } from '../model/environment-limits.ts';
import { parseStat } from '../procfs.ts';
import { filesOfSystem } from '../other-systems.ts';
import { clockTicksPerSecond, type SystemFiles } from '../system-files.ts';

import { neighboursSince, readAllTimes } from './neighbours.ts';
import { type ProcessTimes, readStartTick } from './process-times.ts';

/** When a machine is quiet enough for the next trial. */
const quietLimits = {
  /** In cores: the end of a browser costs more, an idle desktop less. */
  busyCores: 0.25,
  /** Of one wait. A machine that is always busy is one for the quarantine. */
  longestMs: 2_000,
  lookMs: 50,
  /** The kernel counts ticks of 10 ms: over less than this they are too coarse for the limit. */
  spanMs: 100,
  /** A longer wait is reported, if at least a second of it remains. */
  tellAfterMs: 500,
} as const;

/** A wait that is reported. */
export interface QuietWait {
  /** Half a sentence. */
  readonly why: string;
  readonly leftMs: number;
}

/**
 * Finds the pids of the session that is about to measure, which is not to be named among others.
 * @returns how long it waited, in milliseconds.
 */
export type UntilQuiet = (
  tell: (wait: QuietWait) => void,
  ownPids?: () => readonly number[],
) => Promise<number>;

interface Surroundings {
  readonly platform?: NodeJS.Platform;
  readonly files?: SystemFiles;
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
  /** Sleeps for a time, or until an abort. */
  readonly rest: (ms: number) => Promise<void>;
}

/**
 * Waits in a new session until the cores are idle: otherwise the end of the last session, or the
 * start of the browser, slows the trial down. A wait that ends on a busy machine halves the next
 * one, so that a machine that is always busy does not cost two seconds a trial.
 *
 * On other systems than Linux the use of cores is what Node.js tells (`other-systems.ts`).
 */
export function quietGate({
  platform = process.platform,
  files = filesOfSystem(platform),
  now,
  rest,
}: Surroundings): UntilQuiet {
  const msPerTick = 1000 / clockTicksPerSecond();
  const look = (): Look => ({ atMs: now(), busyMs: busyTicks(files) * msPerTick });
  let longestMs: number = quietLimits.longestMs;
  return async (tell, ownPids = () => []) => {
    const names = new Names(files, msPerTick, ownPids);
    const looks = [look()];
    const waited = (): number => now() - (looks[0]?.atMs ?? 0);
    let told = false;
    while (waited() < longestMs) {
      await rest(quietLimits.lookMs);
      looks.push(look());
      const busy = busyCores(looks);
      if (busy !== null && busy <= quietLimits.busyCores) {
        longestMs = quietLimits.longestMs;
        return waited();
      }
      if (busy !== null) names.begin(now());
      const leftMs = longestMs - waited();
      if (told || busy === null || waited() < quietLimits.tellAfterMs || leftMs < 1_000) continue;
      tell({ why: `others use ${busy.toFixed(1)} cores${names.text(now())}`, leftMs });
      told = true;
    }
    longestMs = Math.max(quietLimits.spanMs, longestMs / 2);
    return waited();
  };
}

/** The programs that it waits for. Only a machine that was seen busy is looked through. */
class Names {
  readonly #files: SystemFiles;
  readonly #msPerTick: number;
  readonly #ownPids: () => readonly number[];
  #from: {
    readonly atMs: number;
    readonly times: ProcessTimes;
    readonly startTick: number;
  } | null = null;

  constructor(files: SystemFiles, msPerTick: number, ownPids: () => readonly number[]) {
    this.#files = files;
    this.#msPerTick = msPerTick;
    this.#ownPids = ownPids;
  }

  begin(atMs: number): void {
    this.#from ??= {
      atMs,
      times: readAllTimes(this.#files),
      startTick: readStartTick(this.#files, this.#msPerTick),
    };
  }

  /** The end of a sentence; empty where no single program uses much. */
  text(nowMs: number): string {
    if (this.#from === null) return '';
    const { atMs, times: before, startTick } = this.#from;
    const cores = parseStat(this.#files.read('/proc/stat') ?? '').length;
    const capacityTicks = ((nowMs - atMs) * cores) / this.#msPerTick;
    const own = this.#ownPids();
    const found = neighboursSince({ before, startTick, capacityTicks, own }, this.#files);
    return found.length === 0 ? '' : `: ${neighboursText(found)}`;
  }
}

interface Look {
  readonly atMs: number;
  /** Time of all cores since boot. */
  readonly busyMs: number;
}

function busyTicks(files: SystemFiles): number {
  return parseStat(files.read('/proc/stat') ?? '').reduce((sum, { busy }) => sum + busy, 0);
}

/** Cores in use over the last span; null before it was that long. */
function busyCores(looks: readonly Look[]): number | null {
  const last = looks.at(-1);
  if (last === undefined) return null;
  const from = looks.findLast(({ atMs }) => last.atMs - atMs >= quietLimits.spanMs);
  return from === undefined ? null : (last.busyMs - from.busyMs) / (last.atMs - from.atMs);
}
