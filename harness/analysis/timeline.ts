import type { RoleTimeline } from '../../reports/findings.ts';
import type { RoleSample, ThreadReading, ThreadRole } from '../model/reading.ts';

/** Equal slices of a window, from its begin. */
export interface Slices {
  readonly count: number;
  readonly ms: number;
}

/** What was spent in each slice, of one quantity that samples count up. */
export type SpentOf<S> = (of: (sample: S) => number) => readonly number[];

/**
 * What cumulative samples say of slices: between two samples a quantity grows evenly, before the first and
 * after the last it stands still. Where the slices' ends lie is looked up once for all quantities.
 */
export function spentInSlices<S extends { readonly atMs: number }>(
  samples: readonly S[],
  { count, ms }: Slices,
): SpentOf<S> {
  const ends = Array.from({ length: count + 1 }, (_, slice) => neighboursAt(samples, slice * ms));
  return (of) => {
    const reached = ends.map((place) => {
      if (place === null) return 0;
      const [left, right] = [of(place.left), of(place.right)];
      return left + place.share * (right - left);
    });
    return reached.slice(1).map((value, slice) => value - (reached[slice] ?? 0));
  };
}

/** Between two samples, at a share of the way from the one to the other. */
interface Place<S> {
  readonly left: S;
  readonly right: S;
  readonly share: number;
}

function neighboursAt<S extends { readonly atMs: number }>(
  samples: readonly S[],
  atMs: number,
): Place<S> | null {
  const after = samples.findIndex((one) => one.atMs >= atMs);
  const right = samples[after === -1 ? samples.length - 1 : after];
  const left = samples[after - 1];
  if (right === undefined) return null;
  if (after === -1 || left === undefined) return { left: right, right, share: 0 };
  return { left, right, share: (atMs - left.atMs) / (right.atMs - left.atMs) };
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
  const spentOf = spentInSlices(samples, { count: slices, ms: sliceMs });
  const total = (role: ThreadRole): number => samples.at(-1)?.cpuMs[role] ?? 0;
  const roles = stackingOrder
    .filter((role) => total(role) > 0)
    .map((role) => ({
      role,
      busy: spentOf((sample) => sample.cpuMs[role] ?? 0).map((ms) => Math.max(0, ms / sliceMs)),
    }));
  return { sliceMs, roles };
}

/** The samples with the window's begin before them, where all is zero. */
function fromZero(samples: readonly RoleSample[]): readonly RoleSample[] {
  const [first] = samples;
  return first === undefined || first.atMs <= 0 ? samples : [{ atMs: 0, cpuMs: {} }, ...samples];
}
