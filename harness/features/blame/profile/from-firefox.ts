import { ProfileBuilder } from './builder.ts';
import type { ProfileReading, ReadingFacts } from './from-chromium.ts';
import { type Category, deepestStack, type Frame, type ProfiledFunction } from './profile.ts';
import { endsOfAll, joinStretches, overlapWith, type Stretch, windowMark } from './windows.ts';

/**
 * The file of Firefox's own profiler, read as a compact profile. Tables are arrays whose columns `schema`
 * names. Times are milliseconds since the process began; samples and markers of a process have one
 * clock. Format: `docs-developer/gecko-profile-format.md` of the Firefox Profiler.
 */
export interface GeckoProfile {
  readonly meta?: {
    readonly interval?: number;
    readonly categories?: readonly {
      readonly name?: string;
      readonly subcategories?: readonly string[];
    }[];
  };
  readonly threads?: readonly GeckoThread[];
  readonly processes?: readonly GeckoProfile[];
}

type Schema = Readonly<Record<string, number>>;

interface Table {
  readonly schema?: Schema;
  readonly data?: readonly (readonly unknown[])[];
}

interface GeckoThread {
  readonly name?: string;
  readonly pid?: number | string;
  readonly samples?: Table;
  readonly markers?: Table;
  readonly stackTable?: Table;
  readonly frameTable?: Table;
  readonly stringTable?: readonly string[];
}

/** @returns the profile, or half a sentence: why there is none */
export function readFirefoxProfile(whole: GeckoProfile, facts: ReadingFacts): ProfileReading {
  const found = listProcesses(whole)
    .map((one) => ({ process: one, stretches: (one.threads ?? []).flatMap(findWindow) }))
    .findLast(({ stretches }) => stretches.length > 0);
  if (found === undefined) return { missing: 'its profile does not hold the timed window' };
  const stretches = joinStretches(found.stretches);
  const builder = new ProfileBuilder();
  const categories = found.process.meta?.categories ?? whole.meta?.categories ?? [];
  for (const thread of found.process.threads ?? []) {
    addThread(builder, thread, { categories, stretches });
  }
  return { builder, facts: { ...facts, ...endsOfAll(stretches), notes: [] } };
}

/** Most processes that are looked through; a profile of Firefox has some ten. */
const mostProcesses = 1000;

function listProcesses(whole: GeckoProfile): readonly GeckoProfile[] {
  const all: GeckoProfile[] = [];
  for (const waiting = [whole]; waiting.length > 0 && all.length < mostProcesses;) {
    const one = waiting.shift() as GeckoProfile;
    all.push(one);
    waiting.push(...(one.processes ?? []));
  }
  return all;
}

function findWindow({ markers }: GeckoThread): readonly Stretch[] {
  const at = columns(markers);
  return (markers?.data ?? []).flatMap((row) => {
    const data = row[at('data')] as
      { readonly type?: string; readonly name?: string } | null | undefined;
    if (data?.type !== 'UserTiming' || data.name !== windowMark) return [];
    const [from, to] = [row[at('startTime')], row[at('endTime')]];
    return typeof from === 'number' && typeof to === 'number' && to > from ? [{ from, to }] : [];
  });
}

function columns(table: Table | undefined): (name: string) => number {
  return (name) => table?.schema?.[name] ?? -1;
}

interface ThreadSetting {
  readonly categories: NonNullable<NonNullable<GeckoProfile['meta']>['categories']>;
  readonly stretches: readonly Stretch[];
}

function addThread(builder: ProfileBuilder, thread: GeckoThread, setting: ThreadSetting): void {
  const name = thread.name ?? 'thread';
  const role = name === 'GeckoMain' ? 'main' : /worker/i.test(name) ? 'worker' : 'helper';
  const add = builder.addThread({ name, role });
  const frames = new FramesOfStacks(builder, thread, setting.categories);
  const inWindow = overlapWith(setting.stretches);
  const at = columns(thread.samples);
  const [stack, time, cpu] = [at('stack'), at('time'), at('threadCPUDelta')];
  const rows = thread.samples?.data ?? [];
  rows.forEach((row, i) => {
    const from = row[time];
    if (typeof from !== 'number') return;
    const next = rows[i + 1]?.[time];
    const to = typeof next === 'number' ? next : from;
    const share = inWindow({ from, to });
    if (share > 0)
      add(frames.leaf(Number(row[stack] ?? -1), { slept: rows[i + 1]?.[cpu] === 0 }), share);
  });
}

interface StackFrame {
  readonly frame: number;
  readonly category: Category;
}

/** Frames of the profile's stacks, each made when a sample needs it. */
class FramesOfStacks {
  readonly #known = new Map<number, StackFrame | null>();
  readonly #builder: ProfileBuilder;
  readonly #thread: GeckoThread;
  readonly #categories: ThreadSetting['categories'];

  constructor(
    builder: ProfileBuilder,
    thread: GeckoThread,
    categories: ThreadSetting['categories'],
  ) {
    this.#builder = builder;
    this.#thread = thread;
    this.#categories = categories;
  }

  /** Null where nothing of the stack has a name. */
  find(stack: number): StackFrame | null {
    const path: number[] = [];
    let one: number | null = stack;
    while (one !== null && !this.#known.has(one) && path.length < longestPath) {
      path.push(one);
      one = this.#cell(this.#thread.stackTable, [one, 'prefix']);
    }
    let parent = one === null ? null : (this.#known.get(one) ?? null);
    for (const next of path.toReversed()) {
      parent = this.#make(this.#cell(this.#thread.stackTable, [next, 'frame']), parent);
      this.#known.set(next, parent);
    }
    return parent;
  }

  #cell(table: Table | undefined, [row, column]: readonly [number | null, string]): number | null {
    const value = table?.data?.[row ?? -1]?.[columns(table)(column)];
    return typeof value === 'number' ? value : null;
  }

  #text(index: number | null): string {
    return this.#thread.stringTable?.[index ?? -1] ?? '';
  }

  /** The frame of a sample. One that used no CPU outside of a script waited. */
  leaf(stack: number, { slept }: { readonly slept: boolean }): number {
    const found = this.find(stack);
    if (found !== null && (found.category === 'script' || !slept)) return found.frame;
    const category = slept ? 'idle' : 'native';
    const what = { name: `(${category})`, url: '', line: 0, column: 0, category } as const;
    return this.#builder.addFrame({ function: this.#builder.addFunction(what), parent: null });
  }

  #make(index: number | null, parent: StackFrame | null): StackFrame | null {
    const cell = (column: string): number | null =>
      this.#cell(this.#thread.frameTable, [index, column]);
    const location = this.#text(cell('location'));
    // Code without a name is a part of what called it.
    if (location === '(root)' || /^0x[0-9a-f]+$/.test(location)) return parent;
    const place = parseLocation(location);
    const isScript = place.url !== '';
    const category = isScript
      ? 'script'
      : (this.#categorise(cell('category'), cell('subcategory')) ?? around(parent));
    const tier = isScript ? tiers.get(this.#text(cell('implementation'))) : undefined;
    const frame = this.#builder.addFrame({
      function: this.#builder.addFunction({ ...place, category }),
      parent: parent?.frame ?? null,
      ...(tier !== undefined && { tier }),
    });
    return { frame, category };
  }

  /** Null for what says nothing of the work. */
  #categorise(category: number | null, subcategory: number | null): Category | null {
    const known = this.#categories[category ?? -1];
    const part = known?.subcategories?.[subcategory ?? -1] ?? '';
    return categoryOfGecko[known?.name ?? '']?.(part) ?? null;
  }
}

const categoryOfGecko: Readonly<Record<string, (part: string) => Category | null>> = {
  Idle: () => 'idle',
  'GC / CC': () => 'gc',
  Layout: (part) => (/style|css/i.test(part) ? 'style' : 'layout'),
  Graphics: () => 'paint',
  JavaScript: (part) => (/pars|compil|bailout/i.test(part) ? 'compiler' : null),
};

/** Bounds a table that leads back into itself. */
const longestPath = 100 * deepestStack;

/** A label that says nothing of the work is a part of what is around it, unless that is a script. */
function around(parent: StackFrame | null): Category {
  return parent === null || parent.category === 'script' ? 'native' : parent.category;
}

const tiers = new Map<string, NonNullable<Frame['tier']>>([
  ['interpreter', 'interpreter'],
  ['blinterp', 'interpreter'],
  ['baseline', 'baseline'],
  ['ion', 'optimised'],
  ['wasm-ion', 'optimised'],
]);

/** Splits `name (address:line:column)[source]`; of native labels only the name is there. The name is the page's. */
export function parseLocation(location: string): Omit<ProfiledFunction, 'category'> {
  const text = location.replace(/\[\d+\]$/, '');
  const open = text.endsWith(')') ? text.lastIndexOf(' (') : -1;
  const inside = open < 0 ? text : text.slice(open + 2, -1);
  const found = addressAndPlace.exec(inside);
  if (found === null) return { name: location, url: '', line: 0, column: 0 };
  const [, url = '', line = '0', column = '0'] = found;
  const name = open < 0 ? '' : text.slice(0, open);
  return { name, url, line: clampPlace(line), column: clampPlace(column) };
}

/** Of a label of native code, `Layout::Reflow`, no part is an address. A whole script has no place. */
const addressAndPlace =
  /^((?:[a-z][a-z0-9+.-]*:\/\/|blob:|data:|node:|javascript:|self-hosted).*?)(?::(\d+))?(?::(\d+))?$/i;

function clampPlace(text: string): number {
  const number = Number(text);
  return number <= 2 ** 31 ? number : 0;
}
