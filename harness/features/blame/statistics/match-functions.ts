import { functionTimes, type Profile, type ProfiledFunction } from '../profile/profile.ts';
import type { ProfiledTrial } from './blame.ts';

/** Where a function stands, in the later version where it is there. */
export type FunctionPlace = Pick<ProfiledFunction, 'name' | 'url' | 'line' | 'category'>;

interface MatchedFunctions {
  /** Self times of each profile of both sides, by a key that the sides share. */
  readonly times: readonly [readonly ProfiledTrial[], readonly ProfiledTrial[]];
  readonly places: ReadonlyMap<string, FunctionPlace>;
}

/**
 * Finds the same functions in the profiles of two versions. A function is known by its name, among several
 * of one name by its text where the profile has a hash of it, else by its place in their order: lines and
 * the page's own address change from version to version.
 */
export function matchFunctions(
  before: readonly Profile[],
  after: readonly Profile[],
): MatchedFunctions {
  const places = new Map<string, FunctionPlace>();
  const sides = [before, after].map((profiles) => {
    const read = profiles.map((profile) => ({ profile, times: [...functionTimes(profile)] }));
    const functions = new Map(
      read.flatMap(({ times }) => times.map(([key, { function: one }]) => [key, one] as const)),
    );
    const keys = nameKeys(functions);
    for (const [key, one] of functions) places.set(keys.get(key) ?? key, one);
    return read.map(({ profile: { startMs, endMs, operations }, times }): ProfiledTrial => {
      const selfMs = new Map<string, number>();
      for (const [key, { selfMs: ms, function: one }] of times) {
        const shared = keys.get(key) ?? key;
        if (one.category !== 'idle') selfMs.set(shared, (selfMs.get(shared) ?? 0) + ms);
      }
      return { totalMs: (endMs - startMs) / operations, selfMs };
    });
  });
  const [first = [], second = []] = sides;
  return { times: [first, second], places };
}

/** A key for each function of one side that the other side has as well. */
function nameKeys(functions: ReadonlyMap<string, ProfiledFunction>): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  const counts = new Map<string, number>();
  const inOrder = [...functions].sort(([, one], [, other]) => comparePlaces(one, other));
  const names = new Map<string, number>();
  for (const [, { name }] of inOrder) names.set(name, (names.get(name) ?? 0) + 1);
  for (const [key, { name, category, hash }] of inOrder) {
    if (category !== 'script') {
      keys.set(key, `(${category})`);
      continue;
    }
    const isAlone = names.get(name) === 1;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    keys.set(key, isAlone ? name : `${name} #${hash ?? String(count)}`);
  }
  return keys;
}

function comparePlaces(one: ProfiledFunction, other: ProfiledFunction): number {
  if (one.url !== other.url) return one.url < other.url ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}
