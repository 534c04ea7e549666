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

  /** @type {{ isBusy: () => boolean, hasWorked: (sinceMs: number) => boolean } | undefined} */
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

  /** Input of the farm as of a person: when the page is quiet, and before its values are read. */
  const input = {
    awaited: false,
    /** @type {number | null} */
    endedAt: null,
    painted: false,
    /** Says that there will be some. */
    await() {
      input.awaited = true;
      return true;
    },
    isDue: () => input.awaited && isSettled(),
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
    /** @type {Map<string, number[]>} Milliseconds from each named step to the next paint. */
    times: new Map(),
    /** @type {AbortController | null} Of the step that is to come. */
    armed: null,
    /**
     * Times the next event of a type until what it does has been painted.
     * @param {string} name
     * @param {'click' | 'keydown'} type
     */
    time(name, type) {
      input.armed?.abort();
      const armed = new AbortController();
      input.armed = armed;
      const armedAt = performance.now();
      const listening = { capture: true, once: true, signal: armed.signal };
      const begin = (/** @type {Event} */ { timeStamp }) => {
        const began = Math.min(performance.now(), Math.max(armedAt, timeStamp));
        requestAnimationFrame(() => {
          // A message of a frame comes when that has been painted.
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => {
            const before = input.times.get(name) ?? [];
            input.times.set(name, [...before, performance.now() - began]);
            port1.close();
          };
          port2.postMessage(null);
        });
      };
      addEventListener(type, begin, listening);
      return true;
    },
    /** @returns whether this is still the page that it began in */
    end() {
      input.endedAt = performance.now();
      return input.awaited;
    },
  };

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
    return look?.isBusy() !== true && now - Math.max(from, lastEntryAt) > quietMs;
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
