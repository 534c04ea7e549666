import type { RoleTimeline } from '../../reports/findings.ts';
import type { RoleSample, ThreadReading, ThreadRole } from '../model/reading.ts';

/**
 * A cumulative value at an instant, linear between the samples around it; the first or the last
 * value outside of them, 0 without any.
 */
export function valueAt<S extends { readonly atMs: number }>(
  samples: readonly S[],
  atMs: number,
  of: (sample: S) => number,
): number {
  const after = samples.findIndex((one) => one.atMs >= atMs);
  const right = samples[after === -1 ? samples.length - 1 : after];
  const left = samples[after - 1];
  if (right === undefined) return 0;
  if (after === -1 || left === undefined) return of(right);
  const share = (atMs - left.atMs) / (right.atMs - left.atMs);
  return of(left) + share * (of(right) - of(left));
}

/** The order in which roles are stacked: what the page asked for first, so that it stands at the bottom. */
const stackingOrder: readonly ThreadRole[] = [
  'js-main',
  'js-worker',
  'gc',
  'jit',
  'compositor',
  'io',
  'other',
];

/** More slices than these could not be told apart in a card of a report. */
const mostSlices = 48;
const fewestSlices = 2;

/**
 * CPU by role in equal slices of the window, from cumulative samples: in cores, so a slice in which
 * a role had one core to itself is 1. There are no more slices than there are steps between samples,
 * because a finer one would only repeat its neighbour. Null when that leaves fewer than two.
 *
 * A role may exceed what its threads could have used in one slice: the kernel adds up a running
 * thread's time at its next tick or switch, up to 10 ms late.
 */
export function roleTimeline({ timeline }: Pick<ThreadReading, 'timeline'>): RoleTimeline | null {
  const samples = fromZero(timeline);
  const endMs = samples.at(-1)?.atMs ?? 0;
  const slices = Math.min(mostSlices, samples.length - 1);
  if (slices < fewestSlices || endMs <= 0) return null;
  const sliceMs = endMs / slices;
  const total = (role: ThreadRole): number => samples.at(-1)?.cpuMs[role] ?? 0;
  const roles = stackingOrder
    .filter((role) => total(role) > 0)
    .map((role) => {
      const spentBy = (atMs: number): number =>
        valueAt(samples, atMs, (sample) => sample.cpuMs[role] ?? 0);
      const busy = Array.from({ length: slices }, (_, slice) => {
        const spent = spentBy((slice + 1) * sliceMs) - spentBy(slice * sliceMs);
        return Math.max(0, spent / sliceMs);
      });
      return { role, busy };
    });
  return { sliceMs, roles };
}

/** The samples with the window's begin before them, where all is zero. */
function fromZero(samples: readonly RoleSample[]): readonly RoleSample[] {
  const [first] = samples;
  return first === undefined || first.atMs <= 0 ? samples : [{ atMs: 0, cpuMs: {} }, ...samples];
}
