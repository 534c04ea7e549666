import type { SampleDump } from './sample-parser.ts';

/** USER_HZ is 100 on every processor that Android runs on. */
export const msPerTick = 10;

/** /proc/uptime counts hundredths of a second. */
export const granuleMs = 10;

/** Readings in hundredths are on average half of one late. */
export const halfGranuleMs = granuleMs / 2;

export interface PhoneWindow {
  /** When the timed window began and ended, by the phone's clock. */
  readonly fromMs: number;
  readonly toMs: number;
}

export function findInstant({ atMs }: SampleDump): number {
  return atMs + halfGranuleMs;
}

/** Cumulative counters at one instant. */
export interface TickPoint {
  readonly atMs: number;
  readonly ticks: readonly number[];
}

/**
 * The counters at an instant between two points, each grown evenly from one to the next; those of
 * the last point after it.
 * @returns null before the first point, and without any.
 */
export function ticksAt(points: readonly TickPoint[], atMs: number): readonly number[] | null {
  const next = points.findIndex((point) => point.atMs >= atMs);
  if (next === -1) return points.at(-1)?.ticks ?? null;
  const [before, after] = [points[next - 1], points[next]];
  if (after === undefined) return null;
  if (before === undefined) return after.atMs === atMs ? after.ticks : null;
  const share = (atMs - before.atMs) / (after.atMs - before.atMs);
  return after.ticks.map((ticks, index) => {
    const then = before.ticks[index] ?? ticks;
    return then + (ticks - then) * share;
  });
}
