/**
 * Programs for the scripts of a page: each is one expression statement in one line, and defines
 * `crossfarmCall(index)`, which a function calls first. Each file begins with it, because any of them may
 * be the first one in a worker.
 */

/** A function that waits at each of its calls. */
export interface Delay {
  readonly index: number;
  /** Milliseconds of each call. */
  readonly ms: number;
  /** True if only waits during the measure count. */
  readonly isInOperation: boolean;
}

/** Instants kept of each function; beyond them, two are joined to one. */
const mostInstants = 10_000;

/** Functions that a page tells of, those that are called most. */
const mostFunctions = 1500;

/** Milliseconds without news after which a page has heard its workers. They send waits at once. */
const quietMs = { calls: 300, waits: 100 };

const longestMs = 20_000;

/** Shortest wait in milliseconds, and in steps of the page's clock; a shorter one is added to the next. */
const shortest = { ms: 0.05, steps: 10 };

/** Milliseconds of a wait from which on a worker does not put off telling it: its page may end it. */
const toldAtOnceMs = 1;

/**
 * Makes calls of one function wait, and tells by `crossfarmDelay(measure)` how many milliseconds of one
 * operation it really waited: a promise. The clock decides how long, so another frequency of the core makes
 * no difference. A wait that took longer shortens the next one. A worker tells its page of a wait at its
 * beginning, so that what telling takes is a part of it. All versions of a page differ in numbers
 * alone, so that an engine compiles them alike.
 */
export function writeDelays(delay: Delay | null): string {
  const { index, ms, isInOperation } = delay ?? { index: -1, ms: 0, isInOperation: true };
  return writeProgram(
    { functions: Math.max(0, index + 1), quiet: quietMs.waits },
    `let owed = 0;
    let late = 0;
    const findStep = () => {
      const before = performance.now();
      let from = before;
      while (from === before) from = performance.now();
      let to = from;
      while (to === from) to = performance.now();
      return to - from;
    };
    const step = findStep();
    const least = Math.max(${String(shortest.ms)}, ${String(shortest.steps)} * step);
    globalThis.crossfarmDelay = async (measure) => {
      const found = (await tellCalls(measure)).find(([index]) => index === ${String(index)});
      return found === undefined ? 0 : found[${isInOperation ? '1' : '2'}];
    };
    return (index) => {
      if (index !== ${String(index)}) return;
      owed += ${String(ms)};
      if (owed < least) return;
      const from = performance.now();
      const middle = performance.timeOrigin + from + owed / 2;
      add(index, middle, owed + late);
      if (owed >= ${String(toldAtOnceMs)}) tell();
      let waited = 0;
      while (waited < owed) waited = performance.now() - from - step / 2;
      late = waited - owed;
      owed = -late;
      if (late < least) return;
      add(index, middle, late);
      late = 0;
    };`,
  );
}

/**
 * Notes when functions are called. Workers tell their page, which gives the calls by
 * `crossfarmCalls(measure)`: a promise of three numbers for each function that was called, its index, its
 * calls in one operation, and all of them. `readCalls` reads it.
 */
export function writeCounter(functions: number): string {
  return writeProgram(
    { functions, quiet: quietMs.calls },
    'return (index) => add(index, performance.timeOrigin + performance.now(), 1);',
  );
}

interface Notes {
  /** Number of functions. */
  readonly functions: number;
  /** Milliseconds. */
  readonly quiet: number;
}

/** Listens to the workers, and finds the stretches that a measure is made of, in milliseconds of the page's clock. */
const findingWindows = `let paintMs = null;
    if (isPage) {
      channel.onmessage = ({ data }) => {
        lastMs = performance.now();
        for (const [index, at, amounts, rest] of data)
          at.forEach((time, place) => note(index, time, amounts[place] + (place === at.length - 1 ? rest : 0)));
      };
      if (PerformanceObserver.supportedEntryTypes.includes('largest-contentful-paint')) new PerformanceObserver((list) => {
        for (const { startTime } of list.getEntries()) paintMs = startTime;
      }).observe({ type: 'largest-contentful-paint', buffered: true });
    }
    const until = (end) => end > 0 ? [[0, end]] : [];
    const findWindows = (measure) => {
      const [, kind, name] = /^(measure|mark):(.+)$/.exec(measure) ?? [measure, measure];
      const head = globalThis.crossfarmHead ?? { timed: [], entries: [] };
      const spans = (list) => list.map(({ startTime, duration }) => [startTime, startTime + duration]);
      switch (kind) {
        case 'bench': return head.timed.map(({ duration, endedAt }) => [endedAt - duration, endedAt]);
        case 'measure': return spans(head.entries.filter((one) => one.entryType === 'measure' && one.name === name));
        case 'mark': return until(performance.getEntriesByName(name, 'mark')[0]?.startTime);
        case 'load': return until(performance.getEntriesByType('navigation')[0]?.loadEventEnd);
        case 'lcp': return until(paintMs);
        case 'fp': return until(performance.getEntriesByName('first-paint')[0]?.startTime);
        case 'fcp': return until(performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
        default: return [[0, Infinity]];
      }
    };`;

/** A page of its own has a window; workers and frames tell it what they note. */
function writeProgram({ functions, quiet }: Notes, rest: string): string {
  const program = `globalThis.crossfarmCall ??= (() => {
    const channel = new BroadcastChannel('crossfarm-calls');
    const isPage = typeof document !== 'undefined' && globalThis.top === globalThis;
    const makeNotes = () => Array.from({ length: ${String(functions)} }, () => ({ at: [], amounts: [], each: 1, skipped: 0, amount: 0 }));
    let all = makeNotes();
    let lastMs = 0;
    const note = (index, at, amount) => {
      const one = all[index];
      if (one === undefined) return;
      one.skipped += 1;
      one.amount += amount;
      if (one.skipped < one.each) return;
      one.at.push(at);
      one.amounts.push(one.amount);
      one.skipped = 0;
      one.amount = 0;
      if (one.at.length < ${String(mostInstants)}) return;
      one.at = one.at.filter((_, place) => place % 2 === 1);
      one.amounts = one.at.map((_, place) => one.amounts[2 * place] + one.amounts[2 * place + 1]);
      one.each *= 2;
    };
    let isAsked = false;
    let untold = 0;
    const tell = () => {
      isAsked = false;
      if (isPage || untold === 0) return;
      untold = 0;
      channel.postMessage(all.flatMap(({ at, amounts, amount }, index) =>
        at.length === 0 ? [] : [[index, at, amounts, amount]]));
      all = makeNotes();
    };
    const add = (index, at, amount) => {
      note(index, at, amount);
      lastMs = performance.now();
      untold += 1;
      if (isPage) return;
      if (untold >= 5000) tell();
      else if (!isAsked) {
        isAsked = true;
        queueMicrotask(tell);
      }
    };
    ${findingWindows}
    ${writeTelling(quiet)}
    ${rest}
  })()`;
  // Lines of a file stay where they are.
  return program.replaceAll(/\s*\n\s*/g, ' ');
}

/** @param quiet milliseconds */
function writeTelling(quiet: number): string {
  return `const sum = (list) => list.reduce((total, one) => total + one, 0);
    const tellCalls = async (measure) => {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        const isQuiet = performance.now() - lastMs > ${String(quiet)} && findWindows(measure).length > 0;
        if (isQuiet || performance.now() > ${String(longestMs)}) break;
      }
      const windows = findWindows(measure);
      const operations = Math.max(1, windows.length);
      const isInside = (time) => windows.some(([from, to]) =>
        time - performance.timeOrigin >= from && time - performance.timeOrigin <= to);
      return all.flatMap(({ at, amounts, amount }, index) => {
        const inside = sum(amounts.filter((_, place) => isInside(at[place])));
        const whole = sum(amounts) + amount;
        return whole === 0 ? [] : [[index, inside / operations, whole / operations]];
      });
    };
    globalThis.crossfarmCalls = async (measure) => [0, 0, 0,
      ...(await tellCalls(measure)).sort((a, b) => b[2] - a[2]).slice(0, ${String(mostFunctions)}).flat()];`;
}

/** Calls of a function by its index. */
export interface CountedCalls {
  readonly index: number;
  readonly inOperation: number;
  readonly all: number;
}

/** Reads the answer of `crossfarmCalls`; what a page made of it is left out. */
export function readCalls(values: readonly number[], functions: number): readonly CountedCalls[] {
  const found: CountedCalls[] = [];
  for (let at = 0; at + 2 < values.length; at += 3) {
    const [index = -1, inOperation = 0, all = 0] = values.slice(at, at + 3);
    const isPossible = Number.isInteger(index) && index >= 0 && index < functions && all > 0;
    if (isPossible && inOperation >= 0) found.push({ index, inOperation, all });
  }
  return found;
}
