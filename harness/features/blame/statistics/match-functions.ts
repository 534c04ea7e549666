import { groupBy } from '../../../core/analysis/grouping.ts';
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
 * of one name by its text where the profiles have a hash of it, else by its place among those that are
 * left: lines and the page's own address change from version to version.
 */
export function matchFunctions(
  before: readonly Profile[],
  after: readonly Profile[],
): MatchedFunctions {
  const places = new Map<string, FunctionPlace>();
  const read = [before, after].map((profiles) =>
    profiles.map((profile) => ({ profile, times: [...functionTimes(profile)] })),
  );
  const functions = read.map(
    (side) =>
      new Map(side.flatMap(({ times }) => times.map(([key, one]) => [key, one.function] as const))),
  );
  const [was = new Map<string, never>(), is = new Map<string, never>()] = functions;
  const keys = nameKeys(was, is);
  const [first = [], second = []] = read.map((profiles, side) => {
    const named = keys[side] ?? new Map<string, string>();
    for (const [key, one] of functions[side] ?? []) places.set(named.get(key) ?? key, one);
    return profiles.map(({ profile: { startMs, endMs, operations }, times }): ProfiledTrial => {
      const selfMs = new Map<string, number>();
      for (const [key, { selfMs: ms, function: one }] of times) {
        const shared = named.get(key) ?? key;
        if (one.category !== 'idle') selfMs.set(shared, (selfMs.get(shared) ?? 0) + ms);
      }
      return { totalMs: (endMs - startMs) / operations, selfMs };
    });
  });
  return { times: [first, second], places };
}

type Functions = ReadonlyMap<string, ProfiledFunction>;
type Entry = readonly [key: string, one: ProfiledFunction];

/** A key for each function of each side, which the same function of the other side has as well. */
function nameKeys(...sides: readonly [Functions, Functions]): readonly Map<string, string>[] {
  const keys = sides.map(() => new Map<string, string>());
  const byName = sides.map((functions) => {
    const scripts = [...functions].filter(([, { category }]) => category === 'script');
    return groupBy(
      scripts.sort(([, one], [, other]) => comparePlaces(one, other)),
      ([, { name }]) => name,
    );
  });
  sides.forEach((functions, side) => {
    for (const [key, { category }] of functions) {
      if (category !== 'script') keys[side]?.set(key, `(${category})`);
    }
  });
  for (const name of new Set(byName.flatMap((groups) => [...groups.keys()]))) {
    const [was = [], is = []] = byName.map((groups) => groups.get(name));
    const isAlone = was.length <= 1 && is.length <= 1;
    pairUp(was, is).forEach((pair, index) => {
      pair.forEach((entry, side) => {
        if (entry) keys[side]?.set(entry[0], isAlone ? name : `${name} #${String(index + 1)}`);
      });
    });
  }
  return keys;
}

/** Pairs functions of one name: those of one text, then the others in their order. */
function pairUp(
  was: readonly Entry[],
  is: readonly Entry[],
): readonly (readonly [Entry | undefined, Entry | undefined])[] {
  const left = [...is];
  const others: Entry[] = [];
  const alike = was.flatMap((entry) => {
    const [, { hash }] = entry;
    const at = hash === undefined ? -1 : left.findIndex(([, one]) => one.hash === hash);
    if (at >= 0) return [[entry, left.splice(at, 1)[0]] as const];
    others.push(entry);
    return [];
  });
  const rest = Array.from(
    { length: Math.max(others.length, left.length) },
    (_, index) => [others[index], left[index]] as const,
  );
  return [...alike, ...rest];
}

function comparePlaces(one: ProfiledFunction, other: ProfiledFunction): number {
  if (one.url !== other.url) return one.url < other.url ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}
