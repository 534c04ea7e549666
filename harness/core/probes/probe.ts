import type { OptInProbe, ProbeName, Reading } from '../model/reading.ts';

/**
 * True if this machine has the values that a probe reads. `because` is a sentence that a report can
 * print.
 */
export type Support =
  { readonly supported: true } | { readonly supported: false; readonly because: string };

/** The session that a probe watches. */
export interface WatchedSession {
  /** chromium, firefox, webkitgtk, …: decides how processes and threads are named. */
  readonly browser: string;
  /** Pids of the session's whole process tree, found now. Called outside the timed window. */
  processTree(): readonly number[];
}

/**
 * An observer during the trial. The order is attach, start, stop, arrived, collect, detach; only
 * `start` and `stop` are near the timed window, so they are synchronous and small. `detach` may
 * come at any moment, also instead of `stop`, and releases everything.
 */
export interface AttachedProbe {
  start(): void;
  stop(): void;
  /** Resolves when the last answer has come; only for probes that read another machine. */
  arrived?(): Promise<void>;
  /** Returns the reading, after stop and arrival; it includes the probe's cost. */
  collect(): Reading;
  detach(): void;
}

export interface Probe {
  readonly name: ProbeName;
  supports(): Support;
  attach(session: WatchedSession): AttachedProbe;
}

/** A line of the registry (`index.ts`): a probe that watches every trial, or one on request. */
export type RegisteredProbe =
  | { readonly name: ProbeName; readonly create: () => Probe; readonly onRequest?: undefined }
  | {
      readonly name: OptInProbe;
      /** Its reading in two words, for the help of `--probe`. */
      readonly onRequest: string;
      /** Left out where the browser itself writes the reading. */
      readonly create?: () => Probe;
    };

/** CPU time of the farm's whole process since `start`, in milliseconds. */
export function cpuMsSince(start: NodeJS.CpuUsage): number {
  const used = process.cpuUsage(start);
  return (used.user + used.system) / 1000;
}
