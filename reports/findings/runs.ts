/** What is known of the runs themselves: a part of the contract in `findings.ts`. */

/** How many planned cells ended how; what is left of `planned` has no outcome. */
export interface CellFacts {
  readonly planned: number;
  readonly completed: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly skipped: number;
}

export interface RunFacts {
  readonly id: number;
  readonly suite: string;
  readonly seed: number;
  readonly isolation: 'session' | 'page';
  readonly blocks: number;
  readonly command: string;
  readonly status: 'running' | 'finished' | 'interrupted';
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly cells: CellFacts;
  /** Facts of the machine, as label and text, in display order. */
  readonly machine: readonly Fact[];
  /** What was seen of the environment over all trials (load, pressure, foreign CPU …). */
  readonly environment: readonly Fact[];
}

export interface Fact {
  readonly label: string;
  readonly text: string;
}

/** Trials of one case on one target that are kept and not counted. */
export interface QuarantinedTrials {
  readonly targetId: string;
  readonly caseName: string;
  readonly trials: number;
  /** What was beyond the limits during the first of them. */
  readonly why: string;
}

/** Something that is not the same in all runs of a report. */
export interface RunDifference {
  readonly label: string;
  /** One for each run, in their order. */
  readonly texts: readonly string[];
  /** Targets whose numbers it may be behind; none for what passes by, such as load and date. */
  readonly targetIds: readonly string[];
}
