import { groupBy } from '../../../core/analysis/grouping.ts';
import { numberFunctions } from '../profile/pair-functions.ts';
import {
  functionKey,
  functionTimes,
  type Profile,
  type ProfiledFunction,
} from '../profile/profile.ts';
import type { ProfiledTrial } from './blame.ts';

/** Where a function stands, in the later version where it is there. */
export type FunctionPlace = Pick<ProfiledFunction, 'name' | 'url' | 'line' | 'column' | 'category'>;

interface MatchedFunctions {
  /** Self times of each profile of both sides, by a key that the sides share. */
  readonly times: readonly [readonly ProfiledTrial[], readonly ProfiledTrial[]];
  readonly places: ReadonlyMap<string, FunctionPlace>;
}

/**
 * Finds the same functions in the profiles of two versions, and names them: by their name, where several
 * have it with a number besides.
 */
export function matchFunctions(
  before: readonly Profile[],
  after: readonly Profile[],
): MatchedFunctions {
  const sides = [before, after] as const;
  const numbers = numberFunctions(sides);
  const found = new Map<number, ProfiledFunction>();
  sides.forEach((profiles, side) => {
    for (const { functions } of profiles) {
      for (const one of functions) found.set(numbers[side]?.get(functionKey(one)) ?? -1, one);
    }
  });
  const keys = nameKeys(found);
  const times = sides.map((profiles, side) =>
    profiles.map((profile): ProfiledTrial => {
      const { startMs, endMs, operations } = profile;
      const selfMs = new Map<string, number>();
      for (const [key, { selfMs: ms, function: one }] of functionTimes(profile)) {
        const shared = keys.get(numbers[side]?.get(key) ?? -1) ?? key;
        if (one.category !== 'idle') selfMs.set(shared, (selfMs.get(shared) ?? 0) + ms);
      }
      return { totalMs: (endMs - startMs) / operations, selfMs };
    }),
  );
  const places = new Map([...found].map(([number, one]) => [keys.get(number) ?? '', one]));
  return { times: [times[0] ?? [], times[1] ?? []], places };
}

function nameKeys(functions: ReadonlyMap<number, ProfiledFunction>): ReadonlyMap<number, string> {
  const byNumber = [...functions].sort(([one], [other]) => one - other);
  const keys = new Map<number, string>();
  const groups = groupBy(byNumber, ([, { name, category }]) =>
    category === 'script' ? name : `(${category})`,
  );
  for (const [name, group] of groups) {
    group.forEach(([number], index) => {
      keys.set(number, group.length === 1 ? name : `${name} #${String(index + 1)}`);
    });
  }
  return keys;
}
