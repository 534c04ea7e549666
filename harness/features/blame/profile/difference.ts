import { formatQuantity } from '../../../../reports/html/number.ts';
import type {
  ChangedFunction,
  FlameNode,
  FunctionMs,
  ThreadRole,
} from '../../../core/results/index.ts';
import { showFunction } from './busiest.ts';
import { GrowingTree } from './flame-tree.ts';
import { numberFunctions, type Numbers } from './pair-functions.ts';
import { functionKey, functionTimes, type Profile, type ProfiledFunction } from './profile.ts';

export interface ProfileDifference {
  /** The largest change first; threads of the browser's own left out, and idle time. */
  readonly functions: readonly ChangedFunction[];
  /** Of all threads of a kind together. */
  readonly flames: readonly { readonly role: ThreadRole; readonly flame: FlameNode }[];
}

const ms = { unit: 'ms', resolution: 0 };

/** Such as `+8.1 ms`. */
export function formatChange(changeMs: number): string {
  const sign = changeMs > 0 ? '+' : changeMs < 0 ? '−' : '';
  return `${sign}${formatQuantity(Math.abs(changeMs), ms)}`;
}

/** Profiles of the two sides; each has one at least. */
export type ProfileSides = readonly [readonly Profile[], readonly Profile[]];

/**
 * Holds two sides against each other, each the mean of its profiles. A function that moved, or that
 * stands in a page of another name, is the same one.
 */
export function compareProfiles(sides: ProfileSides): ProfileDifference {
  const numbers = numberFunctions(sides);
  const roles: readonly ThreadRole[] = ['main', 'worker', 'helper'];
  return {
    functions: listChanges(sides, numbers),
    flames: roles
      .map((role) => ({ role, flame: growDifference(sides, numbers, role) }))
      .filter(({ flame }) => flame.v > 0),
  };
}

interface GrowingChange {
  function: ProfiledFunction;
  readonly sides: [FunctionMs | null, FunctionMs | null];
}

function listChanges(sides: ProfileSides, numbers: Numbers): readonly ChangedFunction[] {
  const found = new Map<number, GrowingChange>();
  for (const side of [0, 1] as const) {
    const share = 1 / sides[side].length;
    for (const profile of sides[side]) {
      const times = functionTimes(profile, ({ role }) => role !== 'helper');
      for (const [key, { function: what, selfMs, totalMs }] of times) {
        if (what.category === 'idle') continue;
        const number = numbers[side].get(key) ?? -1;
        const one = found.get(number) ?? { function: what, sides: [null, null] };
        found.set(number, one);
        const { selfMs: self = 0, totalMs: total = 0 } = one.sides[side] ?? {};
        one.function = what;
        one.sides[side] = { selfMs: self + selfMs * share, totalMs: total + totalMs * share };
      }
    }
  }
  return [...found.values()]
    .map(({ function: what, sides: [before, after] }) => ({
      ...showFunction(what),
      before,
      after,
      changeMs: (after?.selfMs ?? 0) - (before?.selfMs ?? 0),
    }))
    .filter((one) => (one.before?.totalMs ?? 0) > 0 || (one.after?.totalMs ?? 0) > 0)
    .sort((a, b) => Math.abs(b.changeMs) - Math.abs(a.changeMs));
}

function growDifference(sides: ProfileSides, numbers: Numbers, role: ThreadRole): FlameNode {
  const tree = new GrowingTree(role);
  // The later side first: its names and places stand in the graph.
  for (const side of [1, 0] as const) {
    for (const profile of sides[side]) {
      const ids = profile.functions.map((one) => numbers[side].get(functionKey(one)) ?? -1);
      const scale = 1 / (profile.operations * sides[side].length);
      for (const thread of profile.threads) {
        if (thread.role === role) tree.add({ profile, thread, ids, scale, side });
      }
    }
  }
  return tree.prune();
}
