import { functionKey, type Profile, type ProfiledFunction } from './profile.ts';

/** Number of a function by its side and key; the same function has the same number on both sides. */
export type Numbers = readonly [ReadonlyMap<string, number>, ReadonlyMap<string, number>];

/** Finds the same functions in the profiles of two versions. */
export function numberFunctions(sides: readonly [readonly Profile[], readonly Profile[]]): Numbers {
  const [before, after] = sides.map(
    (profiles) =>
      new Map(
        profiles.flatMap(({ functions }) =>
          functions.map((one) => [functionKey(one), one] as const),
        ),
      ),
  ) as [Map<string, ProfiledFunction>, Map<string, ProfiledFunction>];
  const paired = pairFunctions([...before.values()], [...after.values()]);
  return [
    new Map([...before.keys()].map((key, i) => [key, paired.before[i] ?? 0])),
    new Map([...after.keys()].map((key, i) => [key, paired.after[i] ?? 0])),
  ];
}

/** For each function of both sides its number. */
interface PairedFunctions {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

type KeyMaker = (one: ProfiledFunction) => string | null;

/**
 * What two versions of a function have in common, the surest first: its text stayed, wherever it went; or
 * its name and file; or its name; or, under another name, its text. Null: it cannot be known by that.
 */
const likenesses: readonly { readonly keyOf: KeyMaker; readonly alone: boolean }[] = [
  { keyOf: ({ name, url, hash }) => asKey(hash, [name, url, hash]), alone: false },
  { keyOf: ({ name, hash }) => asKey(hash, [name, hash]), alone: false },
  { keyOf: ({ name, url }) => asKey(nameOrNone(name), [name, url]), alone: true },
  { keyOf: ({ name }) => nameOrNone(name) ?? null, alone: true },
  { keyOf: ({ hash }) => hash ?? null, alone: true },
  // Several of one name, all of them changed: by their order.
  { keyOf: ({ name, url }) => asKey(name, [name, url]), alone: false },
  { keyOf: ({ name }) => name, alone: false },
];

function asKey(needed: string | undefined, parts: readonly unknown[]): string | null {
  return needed === undefined ? null : JSON.stringify(parts);
}

function nameOrNone(name: string): string | undefined {
  return name === '' || name === '(anonymous)' ? undefined : name;
}

/** Kinds of the browser's work are the same by their kind. */
function pairFunctions(
  before: readonly ProfiledFunction[],
  after: readonly ProfiledFunction[],
): PairedFunctions {
  const sides = [before, after].map((functions) => ({
    functions,
    numbers: functions.map(() => -1),
  })) as [Side, Side];
  let next = 0;
  const kinds = new Map<string, number>();
  for (const { functions, numbers } of sides) {
    functions.forEach(({ category }, i) => {
      if (category === 'script') return;
      const known = kinds.get(category) ?? next++;
      kinds.set(category, known);
      numbers[i] = known;
    });
  }
  for (const { keyOf, alone } of likenesses) {
    const [first, second] = sides.map((side) => groupOpen(side, keyOf)) as [Groups, Groups];
    for (const [key, ours] of first) {
      const theirs = second.get(key) ?? [];
      if (alone && (ours.length > 1 || theirs.length > 1)) continue;
      theirs.slice(0, ours.length).forEach((other, i) => {
        sides[0].numbers[ours[i] ?? 0] = next;
        sides[1].numbers[other] = next;
        next += 1;
      });
    }
  }
  for (const { numbers } of sides) {
    numbers.forEach((number, i) => {
      if (number === -1) numbers[i] = next++;
    });
  }
  return { before: sides[0].numbers, after: sides[1].numbers };
}

interface Side {
  readonly functions: readonly ProfiledFunction[];
  readonly numbers: number[];
}

type Groups = ReadonlyMap<string, readonly number[]>;

/** Groups the functions that have no number yet, each group in the order of places. */
function groupOpen({ functions, numbers }: Side, keyOf: KeyMaker): Groups {
  const groups = new Map<string, number[]>();
  functions.forEach((one, i) => {
    const key = numbers[i] === -1 ? keyOf(one) : null;
    if (key === null) return;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(i);
  });
  for (const group of groups.values()) {
    group.sort((a, b) => comparePlaces(functions[a], functions[b]));
  }
  return groups;
}

function comparePlaces(
  one: ProfiledFunction | undefined,
  other: ProfiledFunction | undefined,
): number {
  if (one === undefined || other === undefined) return 0;
  if (one.url !== other.url) return one.url < other.url ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}
