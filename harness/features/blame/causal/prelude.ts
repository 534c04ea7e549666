/**
 * Programs for the scripts of a page: each is one expression statement in one line, and defines
 * `crossfarmCall(index)`, which a function calls first. Each file begins with it, because any of them may
 * be the first one in a worker.
 */

/** A wait that is shorter than this is added to the next one: clocks of pages have steps. */
const shortestWaitMs = 0.2;

/**
 * Makes calls of one function wait. The clock decides how long, so another frequency of the core makes no
 * difference; a wait that took longer shortens the next one.
 */
export function writeDelays(index: number | null, ms: number): string {
  const program = `globalThis.crossfarmCall ??= (() => {
    let owed = 0;
    return (index) => {
      if (index !== ${String(index ?? -1)}) return;
      owed += ${String(ms)};
      if (owed < ${String(shortestWaitMs)}) return;
      const from = performance.now();
      let waited = 0;
      while (waited < owed) waited = performance.now() - from;
      owed -= waited;
    };
  })()`;
  return inOneLine(program);
}

/** Instants kept of each function: beyond them every second one is left out. */
const mostInstants = 10_000;

/** Functions that a page tells of, those that are called most. */
const mostFunctions = 1500;

/** Quiet time after which no more calls are expected. */
const quietMs = 300;

const longestMs = 20_000;

/**
 * Notes when functions are called. Workers tell their page, which gives the calls by
 * `crossfarmCalls(measure)`: a promise of three numbers for each function that was called, its index, its
 * calls in one operation, and all of them. `readCalls` reads it.
 */
export function writeCounter(functions: number): string {
  return inOneLine(counter.replace('FUNCTIONS', String(functions)));
}

const counter = `globalThis.crossfarmCall ??= (() => {
    const channel = new BroadcastChannel('crossfarm-calls');
    const isPage = typeof document !== 'undefined';
    const all = Array.from({ length: FUNCTIONS }, () => ({ at: [], each: 1, skipped: 0 }));
    let lastMs = 0;
    const add = (index, at, each) => {
      const one = all[index];
      if (one === undefined) return;
      one.skipped += each;
      if (one.skipped < one.each) return;
      one.skipped = 0;
      one.at.push(at);
      lastMs = performance.now();
      if (one.at.length < ${String(mostInstants)}) return;
      one.at = one.at.filter((_, place) => place % 2 === 1);
      one.each *= 2;
    };
    const now = () => performance.timeOrigin + performance.now();
    if (!isPage) {
      let isAsked = false;
      const tell = () => {
        isAsked = false;
        const told = all.flatMap(({ at, each }, index) => at.length === 0 ? [] : [[index, at, each]]);
        channel.postMessage(told);
        for (const one of all) Object.assign(one, { at: [], each: 1, skipped: 0 });
      };
      let calls = 0;
      return (index) => {
        add(index, now(), 1);
        calls += 1;
        if (calls % 5000 === 0) tell();
        else if (!isAsked) {
          isAsked = true;
          queueMicrotask(tell);
        }
      };
    }
    channel.onmessage = ({ data }) => {
      for (const [index, at, each] of data) for (const one of at) add(index, one, each);
    };
    let paintMs = null;
    const isSeen = PerformanceObserver.supportedEntryTypes.includes('largest-contentful-paint');
    if (isSeen) new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) paintMs = startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
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
    };
    globalThis.crossfarmCalls = async (measure) => {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        const isQuiet = performance.now() - lastMs > ${String(quietMs)} && findWindows(measure).length > 0;
        if (isQuiet || performance.now() > ${String(longestMs)}) break;
      }
      const windows = findWindows(measure);
      const operations = Math.max(1, windows.length);
      const isInside = (time) => windows.some(([from, to]) =>
        time - performance.timeOrigin >= from && time - performance.timeOrigin <= to);
      const called = all.flatMap(({ at, each }, index) => at.length === 0 ? [] :
        [[index, at.filter(isInside).length * each / operations, at.length * each / operations]]);
      return [0, 0, 0, ...called.sort((a, b) => b[2] - a[2]).slice(0, ${String(mostFunctions)}).flat()];
    };
    return (index) => add(index, now(), 1);
  })()`;

/** Lines of a file stay where they are. */
function inOneLine(program: string): string {
  return program.replaceAll(/\s*\n\s*/g, ' ');
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
