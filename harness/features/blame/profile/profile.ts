import { z } from 'zod';
import type { FunctionMs } from '../../../core/results/index.ts';

/**
 * The compact profile of one trial: which function ran when, on each thread of the page, inside the
 * timed window. Engines give it in three formats (`from-*.ts`); all that follows reads this one.
 */

/** The kind of work of a sample. All but `script` are rows of their own, whatever called them. */
const category = z.enum(['script', 'gc', 'compiler', 'layout', 'style', 'paint', 'native', 'idle']);
export type Category = z.infer<typeof category>;

/** Longest name of a function, and longest address of a script, in characters. */
export const longestName = 300;
export const longestUrl = 1000;
export const longestReason = 100;
export const mostReasons = 5;
/** Deepest stack that is kept; the frames nearest to the sample stay. */
export const deepestStack = 1024;
export const mostSamples = 200_000;
const mostFrames = 1_000_000;

const index = z.int().min(0).max(mostFrames);
const place = z
  .int()
  .min(0)
  .max(2 ** 31);

/** A function of a page, or a kind of work of the browser. Names and addresses are the page's: hostile. */
const profiledFunction = z.strictObject({
  name: z.string().max(longestName),
  /** Path at the farm's own server, or a whole address; the source's name where a map was applied. */
  url: z.string().max(longestUrl),
  /** Where the function begins, from 1 on; 0 where the engine does not tell. */
  line: place,
  column: place,
  category,
  /** Hash of the function's text, so that one that moved is still the same; left out without its source. */
  hash: z.string().max(40).optional(),
  /** Why the engine threw its optimised code away, where it tells. */
  deopts: z.array(z.string().max(longestReason)).max(mostReasons).optional(),
});
export type ProfiledFunction = Readonly<z.infer<typeof profiledFunction>>;

/** A place in the tree of calls: one function, called from one place. A parent stands before its children. */
const frame = z.strictObject({
  function: index,
  /** Null for the outermost. */
  parent: index.nullable(),
  /** In which the engine ran it, where it tells: interpreter, baseline, optimised. */
  tier: z.enum(['interpreter', 'baseline', 'optimised']).optional(),
});
export type Frame = Readonly<z.infer<typeof frame>>;

const thread = z.strictObject({
  name: z.string().max(longestName),
  role: z.enum(['main', 'worker', 'helper']),
  /** Frame of each sample, in the order of time, and how long it stands for. */
  stacks: z.array(index).max(mostSamples),
  weightsMs: z.array(z.number().min(0).max(1e9)).max(mostSamples),
});
export type ProfiledThread = Readonly<z.infer<typeof thread>>;

export const profileSchema = z.strictObject({
  format: z.literal('crossfarm-profile-1'),
  engine: z.enum(['chromium', 'firefox', 'node']),
  /** The measured window on the engine's clock. */
  startMs: z.number(),
  endMs: z.number(),
  /** Time between two samples that the engine was asked for. */
  intervalMs: z.number().positive(),
  /** How often the page did its work in the window. */
  operations: z.number().min(1),
  /** One sample of this many was kept; 1: all. */
  thinnedBy: z.int().min(1),
  /** Sentences: what is missing, and why. */
  notes: z.array(z.string().max(400)).max(20),
  functions: z.array(profiledFunction).max(mostFrames),
  frames: z.array(frame).max(mostFrames),
  threads: z.array(thread).max(1000),
});
export type Profile = Readonly<z.infer<typeof profileSchema>>;

/**
 * Names a function within the profiles of one side of a comparison: a kind of work by its category,
 * else by name and place.
 */
export function functionKey({ name, url, line, column, category: kind }: ProfiledFunction): string {
  return kind === 'script' ? `${name}@${url}:${String(line)}:${String(column)}` : `(${kind})`;
}

/** Recursion counts once. */
export interface FunctionTimes extends FunctionMs {
  readonly function: ProfiledFunction;
}

/** Which threads count. */
export type ThreadChoice = (thread: ProfiledThread) => boolean;

const everyThread: ThreadChoice = () => true;

/** Computes self and total time of one operation for each function, by its key; idle time included. */
export function functionTimes(
  profile: Profile,
  chosen: ThreadChoice = everyThread,
): ReadonlyMap<string, FunctionTimes> {
  const { functions, frames, threads, operations } = profile;
  const selfOfFrame = new Float64Array(frames.length);
  for (const { stacks, weightsMs } of threads.filter(chosen)) {
    stacks.forEach((stack, i) => {
      selfOfFrame[stack] = (selfOfFrame[stack] ?? 0) + (weightsMs[i] ?? 0);
    });
  }
  const totalOfFrame = selfOfFrame.slice();
  for (let i = frames.length - 1; i >= 0; i -= 1) {
    const parent = frames[i]?.parent ?? null;
    if (parent !== null)
      totalOfFrame[parent] = (totalOfFrame[parent] ?? 0) + (totalOfFrame[i] ?? 0);
  }
  const keys = functions.map(functionKey);
  const found = new Map<string, { function: ProfiledFunction; selfMs: number; totalMs: number }>();
  const isNested = findRecursion(profile, keys);
  frames.forEach((one, i) => {
    const key = keys[one.function];
    const what = functions[one.function];
    if (key === undefined || what === undefined) return;
    const times = found.get(key) ?? { function: what, selfMs: 0, totalMs: 0 };
    times.selfMs += (selfOfFrame[i] ?? 0) / operations;
    if (isNested[i] === 0) times.totalMs += (totalOfFrame[i] ?? 0) / operations;
    found.set(key, times);
  });
  return found;
}

/** Marks frames below another frame of the same function. */
function findRecursion({ frames }: Profile, keys: readonly string[]): Uint8Array {
  const nested = new Uint8Array(frames.length);
  const depths = new Map<string, number>();
  visitTree(frames, {
    enter(one, i) {
      const key = keys[one.function] ?? '';
      const depth = depths.get(key) ?? 0;
      if (depth > 0) nested[i] = 1;
      depths.set(key, depth + 1);
    },
    leave(one) {
      const key = keys[one.function] ?? '';
      depths.set(key, (depths.get(key) ?? 1) - 1);
    },
  });
  return nested;
}

interface Visitor {
  enter(frame: Frame, index: number): void;
  leave(frame: Frame, index: number): void;
}

/** Visits a tree of calls, each frame before its children; no recursion, for it may be deep. */
function visitTree(frames: readonly Frame[], { enter, leave }: Visitor): void {
  const firstChild = new Int32Array(frames.length + 1).fill(-1);
  const sibling = new Int32Array(frames.length).fill(-1);
  const root = frames.length;
  for (let i = frames.length - 1; i >= 0; i -= 1) {
    const above = frames[i]?.parent ?? root;
    sibling[i] = firstChild[above] ?? -1;
    firstChild[above] = i;
  }
  const path: number[] = [];
  let at = firstChild[root] ?? -1;
  while (at >= 0 || path.length > 0) {
    if (at >= 0) {
      enter(frames[at] as Frame, at);
      path.push(at);
      at = firstChild[at] ?? -1;
    } else {
      const done = path.pop() as number;
      leave(frames[done] as Frame, done);
      at = sibling[done] ?? -1;
    }
  }
}

/** Self time of one operation in milliseconds, by `functionKey`; without idle time. */
export function selfTimes(profile: Profile): ReadonlyMap<string, number> {
  const times = [...functionTimes(profile)].filter(([, one]) => one.function.category !== 'idle');
  return new Map(times.map(([key, { selfMs }]) => [key, selfMs]));
}
