import type { Benchmark, Isolation, MeasurementPreset, MeasurementRules } from './case.ts';
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

/** Where pages of one's own lie, as options of a command say it. */
export interface OwnPagePlaces {
  readonly page?: string;
  readonly root?: string;
  readonly spa?: boolean;
  readonly build?: string;
  /** Milliseconds. */
  readonly buildDeadline?: number;
  readonly submodules?: boolean;
  readonly as?: string;
  readonly dev?: boolean;
  readonly server?: string;
  readonly url?: string;
}

/** Pages of one's own that a run measured: what finds them again, and shows whether they changed. */
export interface OwnPages {
  /** Folder where the user stood. */
  readonly from: string;
  readonly places: OwnPagePlaces;
  /** In their order. */
  readonly versions: readonly {
    readonly name: string;
    /** Commit of a git ref, or a package with its exact version; left out of other versions. */
    readonly exact?: string | undefined;
  }[];
  /** Arguments that let a browser in, without the secrets in them. */
  readonly access: readonly string[];
  /** As `VersionsComparison` has it. */
  readonly byDefault: boolean;
  /** A search measured them, which knows by itself when it knows enough. */
  readonly ofSearch?: boolean;
  readonly pages: readonly OwnPage[];
}

export interface OwnPage {
  /** Null where it is the only one. */
  readonly page: string | null;
  /** Its places have no secrets, and may be gone. */
  readonly benchmark: Benchmark;
  /** SHA-256 of each version's files that a browser asked for, by their paths. */
  readonly files: readonly Readonly<Record<string, string>>[];
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
  /** Left out where none was measured. */
  readonly ownPages?: OwnPages;
  /** Of the page server; left out where any free one would do. */
  readonly port?: number;
  /** Left out where pages for other devices went over plain HTTP. */
  readonly tls?: boolean;
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
