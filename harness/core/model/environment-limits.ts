import type { EnvironmentReading, Neighbour, Reading, Standstill } from './reading.ts';

/**
 * Every limit of a trial's environment, and the only place where one is written down. From
 * `caution` on a person should know of it (`farm devices doctor` says so); from `quarantine` on a trial is
 * quarantined, and `farm devices doctor` calls the machine unfit.
 *
 * Any database shows if a limit is right: compare `environment_reading` with the medians of
 * `result`. Trials near the limit should not lie further from the median of their series than quiet
 * ones do; trials beyond it should. The figures below are from a virtual machine with two cores.
 *
 * Facts that would quarantine for the wrong reason have no limit: - load and CPU pressure before
 * the trial: with nothing else running, launching one browser after the other brought the pressure
 * from 0.02 to 0.35 within 16 trials, and kept the load at 2.
 * - the frequency at one instant: an idle core shows a low one. Throttling is counted instead.
 * - a clock that is not isolated: it is as coarse in every trial, so leaving some out would not
 *   help. It is a caution of the whole target, stored with each trial.
 */
export const environmentLimits = {
  /**
   * Share of the machine's CPU time, 0–1, that neither the session nor the farm used. With nothing
   * else running, 18 of 19 trials of three engines stayed below 0.04 and one read 0.07: whole ticks
   * alone make ± 0.03 in the shortest ones. Of 120 trials during other people's work, those below
   * 0.10 lay where quiet ones do (medians within 1 %), and those beyond 0.15 were slower: by 11 to
   * 19 % in the middle, and some four times as slow. Of the few between, some were slower, too: the
   * limit is no lower, because a machine with a small steady load should stay of use, and a load on
   * both sides of a block does not decide a comparison.
   */
  foreignShare: { caution: 0.05, quarantine: 0.15 },
  /**
   * Share of the machine's CPU time, 0–1, that the hypervisor gave to other guests. It is lost to
   * any program, so the limit is also the possible slowdown of a page of one thread. The highest
   * seen in 120 trials is 0.02.
   */
  stealShare: { caution: 0.01, quarantine: 0.05 },
  /**
   * Memory that programs could still have when the page warms up, in bytes; here less is worse. A
   * browser with a small page takes 0.4 GiB (Chromium, Firefox and WebKitGTK alike): with about as
   * much left, one that grows would swap, or lose its caches.
   */
  freeMemoryBytes: { caution: 2 ** 30, quarantine: 2 ** 29 },
  /**
   * Times that the processor slowed a core down because of heat. Any is one too many: the kernel
   * counts only when the speed was really lowered.
   */
  throttleEvents: { caution: 1, quarantine: 1 },
} as const satisfies Partial<Record<keyof EnvironmentReading, EnvironmentLimit>>;

/** Cores that others may use at most, of any number: one that they take may be the page's own. */
const foreignCores = { caution: 1 / 3, quarantine: 1 };

/**
 * Longest standstill of a browser, the farm or the machine while a page measures, in milliseconds.
 * A trial in which one did is not released for lack of a better one either: it falls on one side
 * alone.
 */
export const mostStandstillMs = 2_000;

const standing = 'stood still for';

/** True if a reason reports a standstill. */
export function isStandstill(reason: string): boolean {
  return reason.includes(standing);
}

/** The reason to exclude a trial with a standstill of this length; null when it may. */
export function standstillReason(who: string, ms: number, how: string): string | null {
  if (ms < mostStandstillMs) return null;
  return `${who} ${standing} ${seconds(ms)} ${how} (limit ${seconds(mostStandstillMs)})`;
}

/** The limits of the share that others use, by the machine's number of cores. */
export function foreignLimits(cores: number | undefined): EnvironmentLimit {
  const { caution, quarantine } = environmentLimits.foreignShare;
  const least = (share: number, most: number): number => Math.min(share, most / (cores ?? 1));
  return {
    caution: least(caution, foreignCores.caution),
    quarantine: least(quarantine, foreignCores.quarantine),
  };
}

interface EnvironmentLimit {
  readonly caution: number;
  readonly quarantine: number;
}

/**
 * Why a trial with these readings is quarantined, in sentences; none when it counts. A missing or
 * unread fact gives no reason.
 */
export function judgeEnvironment(readings: readonly Reading[]): readonly string[] {
  return readings.flatMap((reading) =>
    reading.probe === 'environment' && 'load1' in reading ? reasonsIn(reading) : [],
  );
}

function reasonsIn(reading: EnvironmentReading): readonly string[] {
  const { stealShare, freeMemoryBytes, throttleEvents } = environmentLimits;
  const foreign = foreignLimits(reading.cores);
  return [
    atLeast(reading.foreignShare, foreign.quarantine)
      ? `other programs used ${percent(reading.foreignShare)} of the CPU (limit ${percent(foreign.quarantine)})${colon(neighboursText(reading.neighbours))}`
      : null,
    atLeast(reading.stealShare, stealShare.quarantine)
      ? `the hypervisor took ${percent(reading.stealShare)} of the CPU (limit ${percent(stealShare.quarantine)})`
      : null,
    reading.freeMemoryBytes !== null && reading.freeMemoryBytes < freeMemoryBytes.quarantine
      ? `only ${mebibytes(reading.freeMemoryBytes)} of memory were free (limit ${mebibytes(freeMemoryBytes.quarantine)})`
      : null,
    atLeast(reading.throttleEvents, throttleEvents.quarantine)
      ? `the processor was slowed down because of heat (${String(reading.throttleEvents)} times)`
      : null,
    reading.standstill ? reasonIn(reading.standstill) : null,
  ].filter((reason) => reason !== null);
}

function reasonIn({ process, stoppedMs, starvedMs }: Standstill): string | null {
  const what = stoppedMs >= starvedMs ? 'was stopped' : 'was ready to run and had no core';
  const how = `while the page measured: its process ${process} ${what}`;
  return standstillReason('the browser', stoppedMs + starvedMs, how);
}

/** `node × 2 (90 %), cc1plus (8 %)`; empty without any. */
export function neighboursText(neighbours: readonly Neighbour[] = []): string {
  return neighbours
    .map(({ name, processes, share }) => {
      const times = processes === 1 ? '' : ` × ${String(processes)}`;
      return `${name}${times} (${percent(share)})`;
    })
    .join(', ');
}

function colon(text: string): string {
  return text === '' ? '' : `: ${text}`;
}

function atLeast(value: number | null, limit: number): value is number {
  return value !== null && value >= limit;
}

function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}

export function seconds(ms: number): string {
  return `${ms < 1e7 ? (ms / 1000).toFixed(2) : (ms / 1000).toPrecision(3)} s`;
}

function mebibytes(bytes: number): string {
  return `${String(Math.floor(bytes / 2 ** 20))} MiB`;
}
