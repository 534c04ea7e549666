import {
  deepestStack,
  type Frame,
  longestName,
  longestReason,
  longestUrl,
  mostReasons,
  mostSamples,
  type Profile,
  type ProfiledFunction,
  type ProfiledThread,
} from './profile.ts';

type ThreadFacts = Pick<ProfiledThread, 'name' | 'role'>;

interface Samples extends ThreadFacts {
  readonly stacks: number[];
  readonly weightsMs: number[];
}

/** Collects a profile while an engine's format is read: each function and each frame once. */
export class ProfileBuilder {
  readonly #functions: ProfiledFunction[] = [];
  /** Addresses as the browser has them. */
  readonly #scripts: string[] = [];
  readonly #byFunction = new Map<string, number>();
  readonly #frames: Frame[] = [];
  readonly #depths: number[] = [];
  readonly #byFrame = new Map<string, number>();
  readonly #threads: Samples[] = [];
  #wasCut = false;

  /** Text that is too long is cut. */
  addFunction({ name, url, ...more }: ProfiledFunction): number {
    const one = {
      ...more,
      name: name.slice(0, longestName) || '(anonymous)',
      url: nameScript(url).slice(0, longestUrl),
    };
    const key = JSON.stringify([one.name, one.url, one.line, one.column, one.category]);
    const known = this.#byFunction.get(key);
    if (known !== undefined) return known;
    this.#byFunction.set(key, this.#functions.length);
    this.#scripts.push(url);
    return this.#functions.push(one) - 1;
  }

  /** Addresses of scripts as the browser has them, with their functions by number. */
  listScripts(): ReadonlyMap<string, readonly (readonly [number, ProfiledFunction])[]> {
    const scripts = new Map<string, (readonly [number, ProfiledFunction])[]>();
    this.#functions.forEach((one, i) => {
      const url = this.#scripts[i] ?? '';
      if (one.category !== 'script' || url === '') return;
      const functions = scripts.get(url) ?? [];
      scripts.set(url, functions);
      functions.push([i, one]);
    });
    return scripts;
  }

  /** Says more of a function, or where its author wrote it. Text that is too long is cut. */
  placeFunction(index: number, more: Partial<ProfiledFunction>): void {
    const one = { ...(this.#functions[index] as ProfiledFunction), ...more };
    this.#functions[index] = {
      ...one,
      name: one.name.slice(0, longestName),
      url: nameScript(one.url).slice(0, longestUrl),
    };
  }

  /** Notes why the engine threw away optimised code of a function. */
  noteDeopt(index: number, reason: string): void {
    const one = this.#functions[index] as ProfiledFunction;
    const known = one.deopts ?? [];
    const said = reason.slice(0, longestReason);
    if (known.includes(said) || known.length === mostReasons) return;
    this.#functions[index] = { ...one, deopts: [...known, said] };
  }

  /** Of a stack that is too deep the frames below the limit are its last one. */
  addFrame({ function: what, parent, ...more }: Frame): number {
    const depth = parent === null ? 1 : (this.#depths[parent] ?? 0) + 1;
    if (depth > deepestStack && parent !== null) {
      this.#wasCut = true;
      return parent;
    }
    const key = `${String(parent)} ${String(what)} ${more.tier ?? ''}`;
    const known = this.#byFrame.get(key);
    if (known !== undefined) return known;
    this.#byFrame.set(key, this.#frames.length);
    this.#depths.push(depth);
    return this.#frames.push({ function: what, parent, ...more }) - 1;
  }

  /** Begins a thread. The returned function adds a sample of it, in the order of time. */
  addThread(facts: ThreadFacts): (stack: number, weightMs: number) => void {
    const { name, ...more } = facts;
    const samples: Samples = {
      name: name.slice(0, longestName),
      ...more,
      stacks: [],
      weightsMs: [],
    };
    this.#threads.push(samples);
    return (stack, weightMs) => {
      if (weightMs <= 0) return;
      samples.stacks.push(stack);
      samples.weightsMs.push(weightMs);
    };
  }

  /**
   * Finishes the profile: threads without a sample and frames that no sample needs are left out.
   * @param thinnedBy one sample of this many is kept, and stands for the others
   */
  finish(facts: ProfileFacts, thinnedBy = 1): Profile {
    const longest = Math.max(0, ...this.#threads.map(({ stacks }) => stacks.length));
    const factor = Math.max(thinnedBy, Math.ceil(longest / mostSamples));
    const threads = this.#threads
      .filter(({ stacks }) => stacks.length > 0)
      .map((one) => withoutRepeats(thin(one, factor)));
    const { frames, functions, renumber } = this.#keepUsed(threads);
    const notes = this.#wasCut
      ? [...facts.notes, `Stacks are cut at ${String(deepestStack)} frames.`]
      : facts.notes;
    return {
      format: 'crossfarm-profile-1',
      ...facts,
      notes,
      thinnedBy: factor,
      functions,
      frames,
      threads: threads.map((one) => ({ ...one, stacks: one.stacks.map(renumber) })),
    };
  }

  #keepUsed(threads: readonly Samples[]): {
    readonly frames: Frame[];
    readonly functions: ProfiledFunction[];
    readonly renumber: (frame: number) => number;
  } {
    const used = new Uint8Array(this.#frames.length);
    const mark = (at: number | null | undefined): void => {
      for (let one = at ?? null; one !== null && used[one] === 0;) {
        used[one] = 1;
        one = this.#frames[one]?.parent ?? null;
      }
    };
    for (const { stacks } of threads) for (const stack of stacks) mark(stack);
    const frames: Frame[] = [];
    const functions: ProfiledFunction[] = [];
    const newFrames = new Map<number, number>();
    const newFunctions = new Map<number, number>();
    this.#frames.forEach((frame, i) => {
      if (used[i] === 0) return;
      const { parent, function: what, ...more } = frame;
      const known =
        newFunctions.get(what) ?? functions.push(this.#functions[what] as ProfiledFunction) - 1;
      newFunctions.set(what, known);
      newFrames.set(i, frames.length);
      frames.push({
        function: known,
        parent: parent === null ? null : (newFrames.get(parent) ?? null),
        ...more,
      });
    });
    return { frames, functions, renumber: (frame) => newFrames.get(frame) ?? 0 };
  }
}

/**
 * Names a script the same way in each trial: the farm's own server has another port each time, pages
 * of others lie in a folder of it, and addresses of blobs are random. A password or query in an address
 * may be a secret, and is left out.
 */
export function nameScript(url: string): string {
  if (/^(blob|data):/i.test(url)) return url.slice(0, url.indexOf(':') + 1);
  const own = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+(?:\/guest\/[^/]+)?(\/[^?#]*)?/.exec(
    url,
  );
  const other = /^(https?:\/\/)(?:[^/?#]*@)?([^?#]*)/i.exec(url);
  if (other === null) return url;
  const evaluated = / line \d+ > [^?#]*$/.exec(url)?.[0] ?? '';
  const name = own === null ? `${other[1] ?? ''}${other[2] ?? ''}` : (own[1] ?? '/');
  return name.includes(evaluated) ? name : `${name}${evaluated}`;
}

/** All facts of a profile but what its samples say. */
export type ProfileFacts = Omit<
  Profile,
  'format' | 'thinnedBy' | 'functions' | 'frames' | 'threads'
>;

/** Of each group of samples the middle one stands for all. */
function thin(samples: Samples, factor: number): Samples {
  if (factor === 1) return samples;
  const stacks: number[] = [];
  const weightsMs: number[] = [];
  for (let i = 0; i < samples.stacks.length; i += factor) {
    const group = samples.weightsMs.slice(i, i + factor);
    stacks.push(samples.stacks[i + Math.floor(group.length / 2)] as number);
    weightsMs.push(group.reduce((sum, weight) => sum + weight, 0));
  }
  return { ...samples, stacks, weightsMs };
}

/** Consecutive samples of one frame become one, with their time; to the microsecond. */
function withoutRepeats(samples: Samples): Samples {
  const stacks: number[] = [];
  const weightsMs: number[] = [];
  samples.stacks.forEach((stack, i) => {
    const weight = samples.weightsMs[i] ?? 0;
    const last = stacks.length - 1;
    if (stacks[last] === stack) weightsMs[last] = (weightsMs[last] ?? 0) + weight;
    else {
      stacks.push(stack);
      weightsMs.push(weight);
    }
  });
  return { ...samples, stacks, weightsMs: weightsMs.map((ms) => Math.round(ms * 1000) / 1000) };
}
