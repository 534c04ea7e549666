import type { MeasurementRules } from '../model/case.ts';
import type { Target } from '../model/device.ts';
import type { LocateScripts } from '../model/explanation.ts';
import type { Job } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import type { Probe } from '../probes/probe.ts';
import type { TraceFolder } from '../probes/trace.ts';
import type { PageServer } from '../server/page-server.ts';
import type { Limits } from './limits.ts';
import type { RunListener } from './listener.ts';
import type { OwnClock } from './own-clock.ts';
import type { SessionStarter } from './session-keeper.ts';

/** Facts about a target that is waited for. */
export interface Wait {
  /** Half a sentence: "it is too hot, 43.1 °C". */
  readonly why: string;
  readonly leftMs: number;
}

/** Equipment that the runner needs besides a plan. */
export interface Equipment {
  readonly server: PageServer;
  readonly probes: readonly Probe[];
  readonly startSession: SessionStarter;
  /** How the trial of a job is measured that begins now; as the plan says when left out. */
  readonly measurementOf?: (job: Job) => MeasurementRules;
  /** Why a job is left out that is about to begin; none is when left out. */
  readonly reasonToLeaveOut?: ((job: Job) => string | null) | undefined;
  /**
   * Checks before each attempt that the device is ready, and waits within its own limits; skipped
   * when left out. @throws DriverError when it is not, or the signal's reason.
   */
  readonly makeReady?: (target: Target, tell: (wait: Wait) => void) => Promise<void>;
  /**
   * Waits, in a new session on this machine, until other programs leave its cores idle; skipped
   * when left out. Gives the milliseconds. @throws the signal's reason.
   */
  readonly untilQuiet?: (
    tell: (wait: Wait) => void,
    ownPids?: () => readonly number[],
  ) => Promise<number>;
  /** Trials of the run that an earlier process made; none when left out. */
  readonly trialsBefore?: readonly Trial[];
  /** Folder of the browsers' traces; left out when none are wanted. */
  readonly traces?: TraceFolder;
  /** As the browser names scripts when left out. */
  readonly locateScripts?: LocateScripts;
  /** The farm's own clock around a trial; this machine's when left out. */
  readonly ownClock?: () => OwnClock;
  /** Milliseconds by which trials take their time; this machine's when left out. */
  readonly now?: () => number;
  readonly limits: Limits;
  readonly listener: RunListener;
  /** Aborting ends the run after at most the trials in flight, which leave no outcome. */
  readonly signal: AbortSignal;
}
