import { machinesOf, thisMachine } from '../../model/machines.ts';
import type { Job, Plan } from '../../model/plan.ts';

/** Used for a target of which nothing has been seen yet. */
const firstGuessMs = 3_000;

/**
 * Estimates how long the rest of a run takes: for each device, the mean wall time of its trials
 * so far times the number still to come; the mean over all devices where it has none yet. Devices
 * of one machine take turns, and machines work side by side: the slowest one decides.
 */
export class TimeLeft {
  private readonly remaining = new Map<string, number>();
  private readonly spent = new Map<string, { trials: number; ms: number }>();

  private readonly machines: ReadonlyMap<string, string>;

  constructor(plan: Pick<Plan, 'jobs' | 'presences' | 'allowContention'>) {
    this.machines = machinesOf(plan);
    for (const job of plan.jobs) this.add(job);
  }

  /** A job that was not planned from the beginning. */
  add(job: Job): void {
    this.count(job.deviceId, 1);
  }

  note(deviceId: string, wallMs: number): void {
    this.count(deviceId, -1);
    const sofar = this.spent.get(deviceId) ?? { trials: 0, ms: 0 };
    this.spent.set(deviceId, { trials: sofar.trials + 1, ms: sofar.ms + wallMs });
  }

  /** Trials take so much longer from here on: what is known of them is reckoned as if all had. */
  lengthen(ms: number): void {
    for (const [deviceId, seen] of this.spent) {
      this.spent.set(deviceId, { ...seen, ms: seen.ms + seen.trials * ms });
    }
  }

  /** Milliseconds. */
  estimate(): number {
    const all = [...this.spent.values()];
    const trials = all.reduce((sum, one) => sum + one.trials, 0);
    const overall =
      trials === 0 ? firstGuessMs : all.reduce((sum, one) => sum + one.ms, 0) / trials;
    const ofMachine = new Map<string, number>();
    for (const [deviceId, count] of this.remaining) {
      const machine = this.machines.get(deviceId) ?? thisMachine;
      const seen = this.spent.get(deviceId);
      const ms = count * (seen ? seen.ms / seen.trials : overall);
      ofMachine.set(machine, (ofMachine.get(machine) ?? 0) + ms);
    }
    return Math.max(0, ...ofMachine.values());
  }

  private count(deviceId: string, change: number): void {
    this.remaining.set(deviceId, (this.remaining.get(deviceId) ?? 0) + change);
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
