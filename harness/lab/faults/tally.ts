import type { RunRecord } from '../../core/model/run.ts';
import type { Trial } from '../../core/model/trial.ts';
import { pageFaults } from './pages.ts';
import type { Flaw } from './run-work.ts';

interface Recovery {
  readonly fault: string;
  /** Time from the fault to the next stored trial; for a page's fault the time that it cost. */
  readonly ms: number;
}

export interface CampaignResult {
  /** The kind of work: runs, or nights. */
  readonly noun: 'run' | 'night';
  /** The command that restarted the farm. */
  readonly again: string;
  readonly faults: Readonly<Record<string, number>>;
  readonly recoveries: readonly Recovery[];
  /** Number of runs or nights, and of restarts of the farm. */
  readonly works: number;
  readonly restarts: number;
  readonly trials: number;
  /** Trials seen in the database before a fault, and changed or missing after it. */
  readonly lostTrials: number;
  /** Cells with two outcomes. */
  readonly duplicatedCells: number;
  /** Cells without an outcome at the end of their run. */
  readonly cellsWithoutOutcome: number;
  /** Runs or nights that never came to their end. */
  readonly withoutEnd: number;
  /** Processes that were left when their run or night had ended. */
  readonly leftoverProcesses: number;
  /** Sessions that the grid still held then. */
  readonly leftoverSessions: number;
  /**
   * Cells that were not tried because their device had failed too often, or was not found again.
   */
  readonly skipped: { readonly byQuarantine: number; readonly otherwise: number };
  /** The other checks, and how often each failed. */
  readonly flaws: Readonly<Record<string, number>>;
  /** Sentences about all of the above that is not 0. */
  readonly findings: readonly string[];
}

/** Identifies a stored trial, so that another one in its place is noticed. */
export type Fingerprint = string;

export function fingerprint(trial: Trial): [number, Fingerprint] {
  const { job, outcome, startedAt, wallMs } = trial;
  return [job.ordinal, JSON.stringify([outcome.kind, startedAt, wallMs, trial.failedAttempts])];
}

/** The state when a run or a night and its farm have ended. */
interface Remainder {
  readonly record: RunRecord;
  /** Every trial that was seen in the database before some fault. */
  readonly committed: ReadonlyMap<number, Fingerprint>;
  readonly processes: number;
  readonly sessions: number;
  readonly flaws: readonly Flaw[];
}

/** Counts the faults of a campaign and their consequences. */
export class Tally {
  restarts = 0;
  readonly findings: string[] = [];
  readonly recoveries: Recovery[] = [];
  readonly #noun: CampaignResult['noun'];
  readonly #faults = new Map<string, number>();
  readonly #flaws: Map<string, number>;
  #works = 0;
  #withoutEnd = 0;
  #trials = 0;
  readonly #cells = { lost: 0, duplicated: 0, without: 0 };
  readonly #left = { processes: 0, sessions: 0 };
  readonly #skipped = { byQuarantine: 0, otherwise: 0 };

  constructor(noun: CampaignResult['noun'], looksFor: readonly string[]) {
    this.#noun = noun;
    this.#flaws = new Map(looksFor.map((kind) => [kind, 0]));
  }

  /** Faults so far. */
  get injected(): number {
    return [...this.#faults.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Started runs or nights. */
  get works(): number {
    return this.#works;
  }

  /** Returns whether one never ended, so the campaign cannot continue. */
  get isStuck(): boolean {
    return this.#withoutEnd > 0;
  }

  begin(): number {
    this.#works += 1;
    return this.#works;
  }

  fault(name: string): void {
    increase(this.#faults, name);
  }

  /** Records a work that stores nothing more, or always dies. */
  stuck(sentence: string): void {
    this.#withoutEnd += 1;
    this.findings.push(sentence);
  }

  end({ record, committed, processes, sessions, flaws }: Remainder): void {
    const now = new Map(record.trials.map(fingerprint));
    const counts = {
      lost: [...committed].filter(([ordinal, print]) => now.get(ordinal) !== print).length,
      duplicated: record.trials.length - now.size,
      without: this.isStuck ? 0 : record.jobs.length - now.size,
    };
    for (const key of ['lost', 'duplicated', 'without'] as const) this.#cells[key] += counts[key];
    this.#trials += record.trials.length;
    this.#left.processes += processes;
    this.#left.sessions += sessions;
    for (const [what, count] of Object.entries({ ...counts, processes, sessions })) {
      const one = `${this.#noun} ${String(this.#works)}`;
      if (count > 0) this.findings.push(`${one}: ${String(count)} ${what}`);
    }
    for (const { kind, sentence } of flaws) {
      increase(this.#flaws, kind);
      this.findings.push(sentence);
    }
    for (const trial of record.trials) this.#countTrial(trial);
  }

  result(again: string): CampaignResult {
    return {
      noun: this.#noun,
      again,
      works: this.#works,
      restarts: this.restarts,
      faults: Object.fromEntries(this.#faults),
      recoveries: this.recoveries,
      trials: this.#trials,
      lostTrials: this.#cells.lost,
      duplicatedCells: this.#cells.duplicated,
      cellsWithoutOutcome: this.#cells.without,
      withoutEnd: this.#withoutEnd,
      leftoverProcesses: this.#left.processes,
      leftoverSessions: this.#left.sessions,
      skipped: this.#skipped,
      flaws: Object.fromEntries(this.#flaws),
      findings: this.findings,
    };
  }

  /** Counts a trial; each tried case of a page's fault is a fault. */
  #countTrial({ job, outcome, wallMs }: Trial): void {
    if (outcome.kind === 'skipped') {
      const isSetAside = outcome.reason.startsWith('quarantined');
      this.#skipped[isSetAside ? 'byQuarantine' : 'otherwise'] += 1;
      return;
    }
    const fault = job.case.parameters['fault'];
    if (typeof fault !== 'string' || !(fault in pageFaults)) return;
    this.fault(fault);
    this.recoveries.push({ fault, ms: wallMs });
    if (outcome.kind === 'completed') this.findings.push(`${fault} completed`);
  }
}

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
