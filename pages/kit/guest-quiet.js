/**
 * Knows when a page that is not ours has finished. A classic script, as `guest-metrics.js`, which comes
 * after it.
 */
(() => {
  /**
   * A page is quiet when nothing new has been observed for `quietMs` after it has loaded, and at the
   * latest `longestMs` after that.
   */
  let patience = { quietMs: 700, longestMs: 10_000 };

  /** Of a smoke test: what a browser tells of a page that has loaded, it tells a frame or two later. */
  const little = { quietMs: 250, longestMs: 3_000 };

  function hasten() {
    patience = little;
  }

  let awaitsDone = false;

  /**
   * Findings of the look before the first trial.
   * @param {import('../protocol.d.ts').GuestCourse} course
   */
  function expect(course) {
    awaitsDone = course.awaitsDone === true;
    const quietMs = Math.max(patience.quietMs, course.quietMs ?? 0);
    patience = { quietMs, longestMs: Math.max(patience.longestMs, 2 * quietMs) };
    return true;
  }

  /** By which a page says that it has finished; `bench.done()` makes it. */
  const doneMark = 'crossfarm:done';

  /** A browser reports an event a frame or two later. */
  const doneQuietMs = 100;

  /** Of a look that is not timed: what a page waits for may take seconds. */
  const much = { quietMs: 3_000, longestMs: 15_000 };

  /** A load that has not ended is given up after this time without anything new. */
  const stalledMs = 9_000;

  /** A look finds what there is: a quiet page need not have finished. */
  function lookLong() {
    patience = much;
    return true;
  }

  const { crossfarmEntries } = /** @type {any} */ (globalThis);

  /** @type {import('../protocol.d.ts').GuestHead | undefined} */
  const head = /** @type {any} */ (globalThis).crossfarmHead;

  /**
   * The page's entries so far of one type and name.
   * @param {string} key
   * @returns {import('../protocol.d.ts').GuestEntry[]}
   */
  const entriesOf = (key) => crossfarmEntries.all().get(key) ?? [];

  /** @type {{ isBusy: () => boolean, workedAt: () => number, hasWorked: (sinceMs: number) => boolean } | undefined} */
  const look = /** @type {any} */ (globalThis).crossfarmLook;

  /** The longest time without an entry that the page waited through for a request or timer, once it had loaded. */
  let bridgedMs = 0;

  let lastEntryAt = performance.now();

  function noteEntry() {
    const now = performance.now();
    const loadMs = loadedAt();
    if (loadMs !== null && look?.hasWorked(lastEntryAt) === true) {
      bridgedMs = Math.max(bridgedMs, now - Math.max(lastEntryAt, loadMs));
    }
    lastEntryAt = now;
  }

  /**
   * A click or key of the input that has begun.
   * @typedef {{ name: string, began: number, isUnnamed: boolean, isTimed: boolean }} BegunStep
   */

  /** Input of the farm as of a person: when the page is quiet, and before its values are read. */
  const input = {
    awaited: false,
    /** @type {number | null} */
    endedAt: null,
    painted: false,
    /** It began in another page, which has led to this one. */
    isContinued: false,
    /** @type {string[]} Of all pages so far; who listens to them adds them. */
    errors: [],
    /** Says that there will be some. */
    await() {
      if (!input.awaited) {
        input.awaited = true;
        takeOver();
        watchAddress();
      }
      return true;
    },
    isDue() {
      if (!input.awaited || !isSettled()) return false;
      noteArrival();
      return true;
    },
    /** `painted` once what was done can be seen. */
    awaitPaint() {
      input.painted = false;
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          input.painted = true;
        }),
      );
      return true;
    },
    /** @type {Map<string, number[]>} Milliseconds from each timed step to the next paint. */
    times: new Map(),
    /** @type {number | null} Which page of the input this is, as the farm counts them. */
    page: null,
    /** @type {Set<string>} Steps without a name that have led to another address. */
    led: new Set(),
    /** @type {AbortController | null} Of the step that is to come. */
    armed: null,
    /** @type {BegunStep | null} */
    last: null,
    /** @type {{ name: string, at: number, isUnnamed: boolean } | null} The step that led to this page. */
    arrival: null,
    leavingAt: -Infinity,
    /** Another page was asked for, and has not come yet. */
    isLeaving: () => performance.now() - input.leavingAt < mostLeavingMs,
    /**
     * Times the next event of a type until what it does has been painted; one without a name only if it
     * leads to another address.
     * @param {string} name
     * @param {'click' | 'keydown'} type
     * @param {boolean} isUnnamed
     */
    time(name, type, isUnnamed = false) {
      input.armed?.abort();
      const armed = new AbortController();
      input.armed = armed;
      const armedAt = performance.now();
      const listening = { capture: true, once: true, signal: armed.signal };
      const begin = (/** @type {Event} */ { timeStamp }) => {
        const began = Math.min(performance.now(), Math.max(armedAt, timeStamp));
        input.last = { name, began, isUnnamed, isTimed: false };
        if (!isUnnamed) timeUntilPaint(input.last);
      };
      addEventListener(type, begin, listening);
      return true;
    },
    /** @returns whether this page awaited it */
    end() {
      input.endedAt = performance.now();
      return input.awaited;
    },
  };

  /** A download asks for another page, too, which never comes. */
  const mostLeavingMs = 10_000;

  /** @param {BegunStep} step */
  function timeUntilPaint(step) {
    requestAnimationFrame(() => {
      // A message of a frame comes when that has been painted.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        dropTime(step);
        step.isTimed = true;
        noteTime(step.name, performance.now() - step.began);
        port1.close();
      };
      port2.postMessage(null);
    });
  }

  /**
   * @param {string} name
   * @param {number} ms
   */
  function noteTime(name, ms) {
    input.times.set(name, [...(input.times.get(name) ?? []), ms]);
  }

  /**
   * What led to another address is timed until that is painted.
   * @param {BegunStep} step
   */
  function dropTime({ name, isTimed }) {
    if (isTimed) input.times.set(name, (input.times.get(name) ?? []).slice(0, -1));
  }

  function watchAddress() {
    const { history } = globalThis;
    if (history === undefined) return;
    const { pushState } = history;
    history.pushState = (...parts) => {
      pushState.apply(history, parts);
      onAddress();
    };
    for (const type of ['popstate', 'hashchange']) addEventListener(type, onAddress);
    addEventListener('beforeunload', () => {
      input.leavingAt = performance.now();
    });
    addEventListener('pagehide', leave);
  }

  function onAddress() {
    if (input.last === null) return;
    if (input.last.isUnnamed) input.led.add(input.last.name);
    timeUntilPaint(input.last);
  }

  /** Where a page leaves for the next one of its origin what it has timed so far. */
  const leftKey = 'crossfarm:input';

  function leave() {
    if (input.endedAt !== null) return;
    const { last, errors } = input;
    if (last !== null) dropTime(last);
    const step = last && { ...last, at: performance.timeOrigin + last.began };
    const left = { times: [...input.times], led: [...input.led], errors, step };
    try {
      sessionStorage.setItem(leftKey, JSON.stringify(left));
    } catch {
      // A page without an origin has no storage: the next one does not continue.
      return;
    }
  }

  function takeOver() {
    try {
      const left = JSON.parse(sessionStorage.getItem(leftKey) ?? 'null');
      sessionStorage.removeItem(leftKey);
      if (left === null) return;
      input.times = new Map(left.times);
      input.led = new Set(left.led);
      input.errors.push(...left.errors);
      input.arrival = left.step;
      input.isContinued = true;
    } catch {
      // Without storage, or with what the page wrote there, it is the first page.
      return;
    }
  }

  /** A step that led to this page lasted until its first contentful paint, or else its load. */
  function noteArrival() {
    const { arrival } = input;
    if (arrival === null) return;
    input.arrival = null;
    const [paint] = performance.getEntriesByName('first-contentful-paint', 'paint');
    const endedAt = paint?.startTime ?? loadedAt() ?? performance.now();
    noteTime(arrival.name, Math.max(0, performance.timeOrigin + endedAt - arrival.at));
    if (arrival.isUnnamed) input.led.add(arrival.name);
  }

  function loadedAt() {
    const { loadEventEnd = 0 } = navigation();
    return loadEventEnd > 0 ? loadEventEnd : null;
  }

  /** @returns {{ loadEventEnd?: number, domContentLoadedEventEnd?: number }} */
  function navigation() {
    return /** @type {any} */ (performance.getEntriesByType('navigation')[0]) ?? {};
  }

  /**
   * Since when nothing has happened to a load that may never end, as with a picture that does not come; null
   * while a script of the page is awaited, which may only be large.
   */
  function stalledSince() {
    const { domContentLoadedEventEnd = 0 } = navigation();
    return domContentLoadedEventEnd > 0 ? Math.max(domContentLoadedEventEnd, lastEntryAt) : null;
  }

  /** Asked four times a second, a page that let so much time pass had something to do. */
  const busyMs = 1000;

  let settledAskedAt = performance.now();
  let entriesSeen = 0;

  function isSettled() {
    const now = performance.now();
    // Not every browser tells of long tasks; one that asked seldom was busy.
    if (look !== undefined && now - settledAskedAt > busyMs) noteEntry();
    settledAskedAt = now;
    // Of frames and workers, which no observer of the page tells of.
    if (head !== undefined && head.entries.length > entriesSeen) noteEntry();
    entriesSeen = head?.entries.length ?? 0;
    const doneAt = entriesOf(`mark:${doneMark}`)[0]?.startTime;
    // A page cannot have meant the effects of this input.
    const saysItself = !input.awaited && (awaitsDone || doneAt !== undefined);
    return saysItself ? now - (doneAt ?? Infinity) > doneQuietMs : isWithoutEvents(now);
  }

  /** @param {number} now */
  function isWithoutEvents(now) {
    const { quietMs, longestMs } = patience;
    const loadMs = loadedAt();
    if (loadMs === null) return isStalled(now);
    const from = Math.max(loadMs, input.endedAt ?? 0);
    if (now - from > longestMs) return true;
    // What it waited for may be seen a frame later.
    const workedAt = look?.workedAt() ?? 0;
    return look?.isBusy() !== true && now - Math.max(from, lastEntryAt, workedAt) > quietMs;
  }

  /** @param {number} now */
  function isStalled(now) {
    return now - (stalledSince() ?? now) > Math.min(stalledMs, patience.longestMs);
  }

  /** Tells whether missing values have had enough time. */
  function isLate() {
    const now = performance.now();
    const loadMs = loadedAt();
    return loadMs === null ? isStalled(now) : now - loadMs >= patience.longestMs;
  }

  function isInputOver() {
    return !input.awaited || input.endedAt !== null;
  }

  function isQuiet() {
    return isInputOver() && isSettled();
  }

  /** The state of a page before it is quiet. */
  function nextOf() {
    if (awaitsDone) return `performance.mark('${doneMark}')`;
    return loadedAt() === null ? 'the end of its load' : 'the page to become quiet';
  }

  /** How long the page waited for a request or timer; 0 where it went on as long as it was looked at. */
  function waitedThroughMs() {
    return performance.now() - lastEntryAt > patience.quietMs ? bridgedMs : 0;
  }

  const state = { input, entriesOf, loadedAt, noteEntry, isQuiet, isLate, isInputOver };
  const longestWaitMs = () => patience.longestMs;
  Object.defineProperty(globalThis, 'crossfarmQuiet', {
    value: { ...state, hasten, lookLong, expect, nextOf, longestWaitMs, waitedThroughMs },
  });
})();
