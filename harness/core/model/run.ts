import type { Isolation, MeasurementPreset, MeasurementRules } from './case.ts';
import type { Presence } from './device.ts';
import type { Job } from './plan.ts';
import type { Question } from './question.ts';
import type { OptInProbe } from './reading.ts';
import type { Trial } from './trial.ts';

/** The machine that the farm runs on. */
export interface Machine {
  readonly hostname: string;
  readonly platform: string;
  readonly release: string;
  /** Debian GNU/Linux 12 (bookworm), macOS 15, … */
  readonly system: string;
  readonly architecture: string;
  readonly cpuModel: string;
  readonly logicalCores: number;
  readonly memoryBytes: number;
  /** kvm, docker, …; null when none was seen. */
  readonly virtualization: string | null;
  readonly nodeVersion: string;
  /** Chromium ran as root, and so without its sandbox: no other user could start it. */
  readonly asRoot: boolean;
}

/** Blocks of two machines are not one test, and no run continues on another machine. */
export function isSameMachine(one: Machine, other: Machine): boolean {
  return (['hostname', 'architecture', 'cpuModel', 'logicalCores'] as const).every(
    (fact) => one[fact] === other[fact],
  );
}

export type RunStatus = 'running' | 'finished' | 'interrupted';

/** One execution of a plan; a night is a run. */
export interface Run {
  readonly id: number;
  readonly suite: string;
  readonly seed: number;
  readonly isolation: Isolation;
  /** Left out where it was measured by the rules of its suite. */
  readonly preset?: MeasurementPreset;
  /** The command that repeats it. */
  readonly command: string;
  readonly farmVersion: string;
  readonly machine: Machine;
  readonly status: RunStatus;
  readonly startedAt: string;
  readonly finishedAt: string | null;
}

/**
 * A night's test of a new build against an old one. All of its settings are fixed when the test
 * begins, so that a later night that continues the test asks the same.
 */
export interface SeriesTest {
  /** Id in the inventory, of the device whose builds they are. */
  readonly deviceId: string;
  readonly caseName: string;
  readonly metric: string;
  readonly margin: number;
  /** Error rate of all its looks together, in any night. */
  readonly alpha: number;
}

/** The settings of a run, besides its plan: they are needed to continue it. */
export interface RunSetting {
  readonly measurement: MeasurementRules;
  readonly repeatQuarantined: boolean;
  /** Left out where trials of one machine never ran at one time. */
  readonly allowContention?: boolean;
  /** Blocks are planned one by one, until the run is decided. */
  readonly endsEarly: boolean;
  /** Left out where no night measured a suspect again. */
  readonly test?: SeriesTest;
  /** Folder of the benchmark pages. */
  readonly pages: string;
  /** Of the page server; left out where any free one would do. */
  readonly port?: number;
  /** Of one trial. */
  readonly deadlineMs: number;
  /** Settings of the probes: those that watch every trial, and the others. */
  readonly probes: boolean;
  readonly probe: readonly OptInProbe[];
}

/**
 * How many planned cells ended how. `planned` equals the sum of the others once a run is finished;
 * quarantined trials are completed ones, and their repeats are planned cells.
 */
export interface CellCounts {
  readonly planned: number;
  readonly completed: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly skipped: number;
}

/** How the planned cells of one device of a run ended. */
export interface DeviceCells {
  readonly deviceId: string;
  readonly driver: string;
  /** Product and version; null for a device that was missing. */
  readonly browser: string | null;
  readonly cells: CellCounts;
}

/** Everything that the store holds of one run, as the nouns it was made of. */
export interface RunRecord {
  readonly run: Run;
  readonly presences: readonly Presence[];
  /** Every planned cell, with or without an outcome. */
  readonly jobs: readonly Job[];
  readonly trials: readonly Trial[];
  /** The question that the run was made to answer, if any. */
  readonly question?: Question;
}
