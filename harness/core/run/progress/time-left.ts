import { assignMachines, thisMachine } from '../../model/machines.ts';
import { type Job, type Plan, timeKey } from '../../model/plan.ts';

/** Used for a trial of which nothing is known yet. */
const firstGuessMs = 3_000;

interface SpentTime {
  readonly trials: number;
  readonly ms: number;
}

interface RemainingJob {
  /** Its `timeKey`. */
  readonly name: string;
  readonly deviceId: string;
  readonly block: number;
}

/**
 * Estimates how long the rest of a run takes. A trial to come takes as long as those of its case on
 * its device did so far, or in the newest runs; else as long as any of its device, or as any.
 * Skipped trials take no time, nor do those of a case that was skipped last. Devices of one machine take turns, and machines work side by side:
 * the slowest one decides.
 */
export class TimeLeft {
  /** By their ordinals. */
  private readonly remaining = new Map<number, RemainingJob>();
  private readonly ended = new Map<number, number>();
  /** By `timeKey`, by device, and of all under the empty name. */
  private readonly spent = new Map<string, SpentTime>();
  private readonly machines: ReadonlyMap<string, string>;
  /** Devices that are not here: each of their trials is skipped. */
  readonly missing: ReadonlySet<string>;
  private readonly lately: ReadonlyMap<string, number>;
  /** Names whose newest trial was skipped: those to come are, too. */
  private readonly skipped = new Set<string>();

  constructor(
    plan: Pick<Plan, 'jobs' | 'presences' | 'allowContention'>,
    lately: ReadonlyMap<string, number> = new Map(),
  ) {
    this.machines = assignMachines(plan);
    this.lately = lately;
    this.missing = new Set(
      plan.presences.filter(({ status }) => status === 'missing').map(({ device: { id } }) => id),
    );
    for (const job of plan.jobs) this.add(job);
  }

  /** Adds a job, also one that was not planned from the beginning. */
  add(job: Job): void {
    const { ordinal, deviceId, block } = job;
    if (this.missing.has(deviceId) || this.ended.has(ordinal)) return;
    this.remaining.set(ordinal, { name: timeKey(job), deviceId, block });
  }

  /** @param wallMs null for a trial that was skipped */
  note(job: Job, wallMs: number | null): void {
    this.remaining.delete(job.ordinal);
    if (!this.missing.has(job.deviceId)) this.ended.set(job.ordinal, job.block);
    const key = timeKey(job);
    if (wallMs === null) this.skipped.add(key);
    else this.skipped.delete(key);
    if (wallMs === null) return;
    for (const name of [key, job.deviceId, '']) {
      const { trials, ms } = this.spent.get(name) ?? { trials: 0, ms: 0 };
      this.spent.set(name, { trials: trials + 1, ms: ms + wallMs });
    }
  }

  /** Trials take so much longer from here on: what is known of them is reckoned as if all had. */
  lengthen(ms: number): void {
    for (const [name, seen] of this.spent) {
      this.spent.set(name, { ...seen, ms: seen.ms + seen.trials * ms });
    }
  }

  /** Trials of devices that are here which have ended, and all of these up to a block. */
  count(blocks = Infinity): { readonly ended: number; readonly planned: number } {
    const ended = this.ended.size;
    const left = [...this.remaining.values()].filter(({ block }) => block < blocks);
    return { ended, planned: ended + left.length };
  }

  /** Milliseconds until the trials of this number of blocks have ended; of all when left out. */
  estimate(blocks = Infinity): number {
    const ofMachine = new Map<string, number>();
    for (const { name, deviceId, block } of this.remaining.values()) {
      if (block >= blocks || this.skipped.has(name)) continue;
      const machine = this.machines.get(deviceId) ?? thisMachine;
      ofMachine.set(machine, (ofMachine.get(machine) ?? 0) + this.timeOf(name, deviceId));
    }
    return Math.max(0, ...ofMachine.values());
  }

  /** True once a trial ended or is known from earlier runs: before, an estimate is a mere guess. */
  isKnown(): boolean {
    const names = [...this.remaining.values()].map(({ name }) => name);
    return this.spent.size > 0 || names.some((name) => this.lately.has(name));
  }

  private timeOf(name: string, deviceId: string): number {
    const mean = (of: string): number | undefined => {
      const seen = this.spent.get(of);
      return seen && seen.ms / seen.trials;
    };
    return mean(name) ?? this.lately.get(name) ?? mean(deviceId) ?? mean('') ?? firstGuessMs;
  }
}

/** `45 s`, `3 min 20 s`, `1 h 05 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${pad(seconds % 60)} s`;
  return `${String(Math.floor(minutes / 60))} h ${pad(minutes % 60)} min`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
