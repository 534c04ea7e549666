import type { RoleSample, ThreadRole } from '../model/reading.ts';
import type { SampledWindow, ThreadId } from './thread-sampler.ts';

/** Fewer instants than this inside the window make no timeline. */
const fewestInstants = 2;

export interface TimelineParts {
  readonly sampled: SampledWindow;
  /** Role of the thread; `other` for one that had ended when the names were read. */
  readonly roleOf: (thread: ThreadId) => ThreadRole;
  /** Time on CPU of a thread when the window began; 0 for one that began inside it. */
  readonly beganNs: (thread: ThreadId) => number;
  readonly end: {
    readonly atMs: number;
    /** Exact totals by role at the end. */
    readonly cpuMs: ReadonlyMap<ThreadRole, number>;
  };
}

/**
 * Cumulative CPU time by role, from the counters of single threads. The last sample is the exact
 * snapshot at the window's end, so the timeline ends where the totals do; a thread that was found
 * late, or read once a second only, brings its time at the sample at which it was read.
 */
export function roleTimeline(parts: TimelineParts): readonly RoleSample[] {
  const { instants, steps } = parts.sampled;
  if (instants.length < fewestInstants) return [];
  const totals = new Map<ThreadRole, number>();
  const before = new Map<string, number>();
  const samples: RoleSample[] = [{ atMs: 0, cpuMs: {} }];
  let next = 0;
  for (const atMs of instants) {
    for (let step = steps[next]; step !== undefined && step.atMs <= atMs; step = steps[next]) {
      const key = `${String(step.pid)}/${String(step.tid)}`;
      const usedNs = step.onCpuNs - (before.get(key) ?? parts.beganNs(step));
      before.set(key, step.onCpuNs);
      const role = parts.roleOf(step);
      totals.set(role, (totals.get(role) ?? 0) + Math.max(0, usedNs) / 1e6);
      next += 1;
    }
    samples.push({ atMs, cpuMs: Object.fromEntries(totals) });
  }
  for (const [role, cpuMs] of parts.end.cpuMs) {
    totals.set(role, Math.max(cpuMs, totals.get(role) ?? 0));
  }
  return [...samples, { atMs: parts.end.atMs, cpuMs: Object.fromEntries(totals) }];
}
