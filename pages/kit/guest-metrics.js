/**
 * Reads the numbers of a page that is not ours. The adapter of a page of a folder imports it
 * (`guest.js`), and the farm evaluates it in a page at a URL: it is a classic script, and comes late.
 */
(() => {
  /** @typedef {import('../protocol.d.ts').GuestReader} GuestReader */
  /** @typedef {import('../protocol.d.ts').GuestMetric} GuestMetric */

  /** A page has ended repeating after this multiple of the longest gap between two ends. */
  const repeatedGaps = 4;

  /** Gaps that end a group of layout shifts, and the longest group (web.dev/articles/cls). */
  const shiftGroup = { gapMs: 1000, longestMs: 5000 };

  /** A task is long from here on; what is beyond blocks the user. */
  const longTaskMs = 50;

  /** Browsers report no shorter event, except the first (W3C Event Timing). */
  const eventMs = 16;

  /** Of one trial, with their ends: they go into a message of 1 MiB. */
  const mostValues = 10_000;

  /** One interaction of fifty is left out (web.dev/articles/inp). */
  const interactionsPerOutlier = 50;

  let largestPaintMs = /** @type {number | null} */ (null);
  let blockedMs = 0;
  let score = 0;
  let group = { fromMs: 0, lastMs: -Infinity, sum: 0 };

  /**
   * The record of `guest-head.js` since the page began; nothing in a page at a URL.
   * @type {import('../protocol.d.ts').GuestHead | undefined}
   */
  const head = /** @type {any} */ (globalThis).crossfarmHead;

  const { crossfarmEntries, crossfarmValues, crossfarmQuiet } = /** @type {any} */ (globalThis);
  const { valueOf, numbersIn } = crossfarmValues;
  const { input, loadedAt, noteEntry } = crossfarmQuiet;
  const { isQuiet, isLate, isInputOver, nextOf, longestWaitMs, waitedThroughMs } = crossfarmQuiet;
  /** @type {(key: string) => import('../protocol.d.ts').GuestEntry[]} */
  const entriesOf = crossfarmQuiet.entriesOf;

  const timed = head?.timed ?? [];

  const supported = new Set(globalThis.PerformanceObserver?.supportedEntryTypes ?? []);

  /**
   * @param {string} type
   * @param {(entry: any) => void} note
   * @param {object} [options]
   */
  function observe(type, note, options = {}) {
    if (!supported.has(type)) return;
    const observer = new PerformanceObserver((list) => {
      noteEntry();
      list.getEntries().forEach(note);
    });
    observer.observe({ type, buffered: true, ...options });
  }

  observe('largest-contentful-paint', (entry) => {
    largestPaintMs = entry.startTime;
  });
  observe('longtask', (entry) => {
    blockedMs += Math.max(0, entry.duration - longTaskMs);
  });
  observe('layout-shift', (entry) => {
    if (entry.hadRecentInput) return;
    const { startTime, value } = entry;
    const goesOn =
      startTime - group.lastMs < shiftGroup.gapMs &&
      startTime - group.fromMs < shiftGroup.longestMs;
    group = goesOn
      ? { ...group, lastMs: startTime, sum: group.sum + value }
      : { fromMs: startTime, lastMs: startTime, sum: value };
    score = Math.max(score, group.sum);
  });
  /** A key that is held makes many. */
  const mostEvents = 50;

  /** @type {Map<number, { ms: number, events: object[] }>} The longest event of each interaction, and the first ones. */
  const interactions = new Map();
  for (const type of ['event', 'first-input']) {
    observe(type, noteEvent, { durationThreshold: eventMs });
  }

  /** @param {any} entry */
  function noteEvent(entry) {
    const { interactionId = 0, name, startTime, duration, processingStart, processingEnd } = entry;
    if (interactionId === 0) return;
    const { ms = 0, events = [] } = interactions.get(interactionId) ?? {};
    if (events.length < mostEvents || duration > ms) {
      // Weak, so that what the page removes can leave its memory.
      const target = entry.target ? new WeakRef(entry.target) : undefined;
      events.push({ name, startTime, duration, processingStart, processingEnd, target });
    }
    interactions.set(interactionId, { ms: Math.max(duration, ms), events });
  }

  for (const type of ['measure', 'mark']) observe(type, () => undefined);

  /** The first errors of the page, limited in number and length. */
  const mostErrors = { count: 5, length: 200 };

  /** @type {string[]} Of all pages to which the input has led. */
  const errors = input.errors;

  /** @param {string} text */
  function noteError(text) {
    // The page's server has another port in each trial, and the error is the same.
    const named = text.replaceAll(`${location.origin}/`, '');
    const short = named.replace(/\s+/g, ' ').slice(0, mostErrors.length);
    if (errors.length < mostErrors.count && !errors.includes(short)) errors.push(short);
  }

  /** @param {any} event */
  function onFault({ type, reason, message, filename, lineno, target }) {
    if (type === 'unhandledrejection') {
      noteError(`a promise was rejected: ${String(reason)}`);
    } else if (message !== undefined) {
      const file = String(filename).split('/').at(-1);
      noteError(`${message}${file ? ` (${file}:${lineno})` : ''}`);
    } else if (target?.localName !== undefined) {
      const address = target.src || target.href;
      const what = address ? nameOf(address) : `what its ${target.localName} asks for`;
      noteError(`${what} could not be loaded`);
    }
  }

  /**
   * A file of the page's own server by its path: the farm's server has another port each time.
   * @param {string} address
   */
  function nameOf(address) {
    if (!URL.canParse(address)) return address;
    const { origin, pathname } = new URL(address);
    return origin === location.origin ? pathname.slice(1) : address;
  }

  /** @type {{ crossfarmFaults?: readonly Event[] }} Of a page at a URL, where the driver can come first. */
  const { crossfarmFaults = [] } = /** @type {any} */ (globalThis);
  (head?.faults ?? crossfarmFaults).forEach(onFault);
  for (const type of ['error', 'unhandledrejection']) {
    // Those of elements do not bubble.
    globalThis.addEventListener?.(type, onFault, true);
  }

  let resourceBytes = 0;
  // Not by the list of entries, which ends.
  observe('resource', ({ name, transferSize }) => {
    if (!isFarms(name)) resourceBytes += transferSize;
  });

  /**
   * The adapter and what it says to the farm are no part of a page that the farm serves.
   * @param {string} address
   */
  function isFarms(address) {
    const { origin, pathname } = new URL(address);
    const isOfFolder = head !== undefined && origin === globalThis.location.origin;
    return isOfFolder && pathname.startsWith('/.crossfarm/');
  }

  /**
   * @param {string} expression
   * @param {string | undefined} key
   */
  function numbersOf(expression, key) {
    const value = valueOf(expression, isLate);
    return numbersIn(key === undefined ? value : Object(value)[key]);
  }

  /**
   * A page may measure backwards: no time is below 0.
   * @param {readonly number[] | null} durations
   */
  function possible(durations) {
    return durations?.every((one) => one >= 0) === true ? [...durations] : null;
  }

  /** @param {number | null} value */
  function whenQuiet(value) {
    return isQuiet() && value !== null ? [value] : null;
  }

  /**
   * When the values ended that `readAll` gave, by metric, in milliseconds since 1970; of durations
   * alone, which `bench` and measures are.
   * @param {readonly GuestMetric[]} metrics
   * @param {Readonly<Record<string, readonly number[]>>} values
   */
  function endsOf(metrics, values) {
    /** @type {Record<string, number[]>} */
    const found = {};
    for (const { metric, reader } of metrics) {
      const { length = 0 } = values[metric] ?? {};
      if (length === 0 || (reader.by !== 'bench' && reader.by !== 'measure')) continue;
      const entries = reader.by === 'bench' ? timed : measured(reader.name);
      // The main thread's waits are no worker's, and means have no one end.
      if (entries.length > roomOf(metrics) || entries.some(({ elsewhere }) => elsewhere)) continue;
      const ends = entries.slice(0, length).map(({ endedAt }) => performance.timeOrigin + endedAt);
      // A page may have led to another since.
      if (ends.length === length) found[metric] = ends;
    }
    markWindow(found, values);
    return found;
  }

  /** More are one stretch. */
  const mostMarks = 1000;

  /**
   * Shows in a trace of the browser what was timed; made after it, so that nothing is inside. It is
   * the whole life of the page where the values are no durations with an end.
   * @param {Readonly<Record<string, readonly number[]>>} ends
   * @param {Readonly<Record<string, readonly number[]>>} values
   */
  function markWindow(ends, values) {
    const stretches = Object.entries(ends).flatMap(([metric, all]) =>
      all.map((endedAt, i) => {
        const end = Math.max(0, endedAt - performance.timeOrigin);
        return { start: Math.max(0, end - (values[metric]?.[i] ?? 0)), end };
      }),
    );
    const now = performance.now();
    const few = stretches.length > 0 && stretches.length <= mostMarks;
    const start = Math.min(now, ...stretches.slice(0, 1).map((one) => one.start));
    const whole = { start: stretches.length === 0 ? 0 : start, end: now };
    try {
      for (const one of few ? stretches : [whole]) performance.measure('timed window', one);
    } catch {
      // Browsers that are too old for it make no such mark.
      return;
    }
  }

  /** @param {string} name */
  function measured(name) {
    const entries = entriesOf(`measure:${name}`);
    return entries.map(({ startTime, duration, elsewhere = false }) => ({
      duration,
      elsewhere,
      endedAt: startTime + duration,
    }));
  }

  /**
   * The first durations of what a page repeats. One that repeats until some time is over may make
   * fewer: it has ended when far more time has passed than it has ever taken from one to the next.
   * @param {readonly { duration: number, endedAt: number }[]} entries
   * @param {number} times
   */
  function repeated(entries, times) {
    const durations = entries.map(({ duration }) => duration);
    if (entries.length >= times) return durations.slice(0, times);
    const ends = entries.map(({ endedAt }) => endedAt);
    const gaps = ends.map((end, index) => end - (ends[index - 1] ?? 0));
    // The delay of the first says something only where it is the only one.
    const longest = gaps
      .slice(gaps.length > 1 ? 1 : 0)
      .reduce((most, gap) => Math.max(most, gap), 0);
    const sinceMs = performance.now() - (ends.at(-1) ?? Infinity);
    return isQuiet() && sinceMs > Math.min(repeatedGaps * longest, longestWaitMs())
      ? durations
      : null;
  }

  /** @param {string} name */
  function paintMs(name) {
    if (name === 'largest-contentful-paint') return largestPaintMs;
    return performance.getEntriesByName(name, 'paint')[0]?.startTime ?? null;
  }

  /** Response headers and bodies of the page and everything that it has loaded. */
  function transferredKb() {
    const [navigation] = performance.getEntriesByType('navigation');
    const { transferSize } = /** @type {{ transferSize?: number }} */ (navigation ?? {});
    const bytes = (transferSize ?? NaN) - (head?.bytes ?? 0) + resourceBytes;
    return Number.isNaN(bytes) ? null : bytes / 1e3;
  }

  /** Chromium alone tells, in steps (MDN: performance.memory). */
  function heapMb() {
    const { memory } = /** @type {{ memory?: { usedJSHeapSize: number } }} */ (performance);
    return memory === undefined ? null : memory.usedJSHeapSize / 1e6;
  }

  /** Interaction to next paint: the longest interaction, without outliers of many. */
  function interactionMs() {
    const longest = Array.from(interactions.values(), ({ ms }) => ms).sort((a, b) => b - a);
    const { interactionCount = longest.length } = /** @type {any} */ (performance);
    const found = longest[Math.floor(interactionCount / interactionsPerOutlier)];
    // Interactions too short for a report, in a browser that reports others: half of that.
    return found ?? (interactionCount > 0 && supported.has('event') ? eventMs / 2 : null);
  }

  /**
   * How a reader reads, by its kind: null until it has a value.
   * @type {{ [By in GuestReader['by']]: (reader: Extract<GuestReader, { by: By }>) => number[] | null }}
   */
  const readers = {
    bench: ({ times = 1 }) => repeated(timed, times),
    measure: ({ name, times = 1 }) => possible(repeated(measured(name), times)),
    mark: ({ name }) => numbersIn(entriesOf(`mark:${name}`)[0]?.startTime),
    global: ({ name, key }) => numbersOf(name, key),
    expression: ({ expression, key }) => numbersOf(expression, key),
    load: () => whenQuiet(loadedAt()),
    paint: ({ name }) => whenQuiet(paintMs(name)),
    'layout-shift': () => whenQuiet(supported.has('layout-shift') ? score : null),
    'long-tasks': () => whenQuiet(supported.has('longtask') ? blockedMs : null),
    transferred: () => whenQuiet(transferredKb()),
    heap: () => whenQuiet(heapMb()),
    interaction: () => whenQuiet(interactionMs()),
    step: ({ name }) => (isInputOver() ? (input.times.get(name) ?? null) : null),
  };

  /** Values that a quiet page may never get; every other reader waits for its value. */
  const mayLack = new Set([
    ...['paint', 'layout-shift', 'long-tasks', 'transferred', 'heap', 'interaction', 'step'],
  ]);

  /**
   * @param {GuestReader} reader
   * @returns {number[] | null} null until it has a value
   */
  function read(reader) {
    return /** @type {(one: GuestReader) => number[] | null} */ (readers[reader.by])(reader);
  }

  /**
   * The values of all metrics; null until each that is not optional has one. An optional one is
   * waited for until the page is quiet.
   * @param {readonly GuestMetric[]} metrics
   * @returns {Record<string, number[]> | null}
   */
  function readAll(metrics) {
    if (!isInputOver()) return missing('the end of its input');
    const quiet = isQuiet();
    // Where probes alone have something to see, they see the page until it is quiet.
    if (metrics.length === 0 && !quiet) return missing(nextOf());
    /** @type {Record<string, number[]>} */
    const values = {};
    for (const one of metrics) {
      const found = read(one.reader);
      if (found !== null) values[one.metric] = means(found, roomOf(metrics));
      else if (mayCome(one, quiet)) {
        return missing(one.optional === true && !quiet ? nextOf() : said(one.reader));
      }
    }
    return values;
  }

  /** @param {readonly unknown[]} metrics */
  function roomOf(metrics) {
    return Math.max(10, Math.floor(mostValues / metrics.length));
  }

  /**
   * Most values of a metric that a result has room for; more are averaged in groups, in their order.
   * @param {number[]} values
   * @param {number} room
   */
  function means(values, room) {
    const size = Math.ceil(values.length / room);
    if (size < 2) return values;
    const groups = Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
      values.slice(index * size, (index + 1) * size),
    );
    return groups.map((group) => group.reduce((sum, one) => sum + one, 0) / group.length);
  }

  /**
   * Tells whether missing values are still waited for.
   * @param {GuestMetric} metric
   * @param {boolean} quiet
   */
  function mayCome({ optional = false, withinMs = 0 }, quiet) {
    return !optional || !quiet || performance.now() < (loadedAt() ?? 0) + withinMs;
  }

  let waitsFor = 'its load';

  /**
   * @param {string} what
   * @returns {null}
   */
  function missing(what) {
    waitsFor = what;
    return null;
  }

  /** @param {any} reader */
  function said({ by, name, expression, key }) {
    if (!isQuiet() && (by === 'load' || mayLack.has(by))) return nextOf();
    const what = by === 'global' || by === 'expression' ? 'a number from' : by;
    return [what, name ?? expression, key].filter((part) => part !== undefined).join(' ');
  }

  /** Limits of what a page offers: number of things, length of their names. */
  const most = { names: 180, length: 80 };

  /**
   * The page's own measures: how often `bench` was timed, and each measure and mark was made; and of
   * each of the readers how many numbers it gives, or its record by key. Null until the page is
   * quiet and each reader has a value.
   * @param {readonly GuestReader[]} readers
   * @returns {Record<string, number> | null}
   * @throws the page's first error, if a reader has no value once it has had time enough
   */
  function discover(readers) {
    const records = readers.map(offered);
    if (records.includes(null) && errors[0] !== undefined && isLate()) throw new Error(errors[0]);
    const lacking = readers[records.indexOf(null)];
    if (lacking !== undefined) return missing(said(lacking));
    if (!isQuiet()) return missing(nextOf());
    /** @type {Map<string, number>} */
    const found = new Map();
    const count = (/** @type {string} */ name, times = 1) => {
      if (name.length > most.length || (!found.has(name) && found.size >= most.names)) return;
      found.set(name, (found.get(name) ?? 0) + times);
    };
    // First what was asked for: a page may make hundreds of marks.
    records.forEach((keys, index) => keys?.forEach((key) => count(`${String(index)}:${key}`)));
    if (timed.length > 0) count('bench', timed.length);
    for (const name of input.led) count(`step:${name}`);
    const waitedMs = Math.ceil(waitedThroughMs());
    if (waitedMs > 0) count('quiet', waitedMs);
    countEntries(count);
    return Object.fromEntries(found);
  }

  /**
   * Counts the measures and marks, and how long after the load each was there: later loads are waited
   * for as long. A time below 0 is not valid.
   * @param {(name: string, times: number) => void} count
   */
  function countEntries(count) {
    /** @type {Map<string, import('../protocol.d.ts').GuestEntry[]>} */
    const made = crossfarmEntries.all();
    for (const [key, entries] of made) {
      const isPossible = entries.every(({ duration }) => duration >= 0);
      count(isPossible ? key : `below 0:${key}`, entries.length);
    }
    for (const [key, entries] of made) {
      const ends = entries.map(({ startTime, duration }) => startTime + duration);
      const lateMs = Math.ceil((ends.at(-1) ?? 0) - (loadedAt() ?? 0));
      if (lateMs > 0 && key.startsWith('measure:')) count(`late:${key}`, lateMs);
    }
  }

  /**
   * @param {GuestReader} reader
   * @returns {string[] | null} the keys of its record, `''` for a number; null while it is neither
   */
  function offered(reader) {
    if (mayLack.has(reader.by)) return isQuiet() ? [''] : null;
    if (reader.by === 'load' && loadedAt() === null && isLate()) {
      throw new Error('its load does not end: something that it asks for does not come');
    }
    if (reader.by !== 'global' && reader.by !== 'expression') return read(reader) && [''];
    const value = valueOf(reader.by === 'global' ? reader.name : reader.expression, isLate);
    if (numbersIn(value) !== null) return [''];
    const keys = Object.keys(Object(value)).filter((key) => numbersIn(value[key]) !== null);
    return keys.length > 0 ? keys : null;
  }

  const { hasten, lookLong, expect } = crossfarmQuiet;
  const value = { timed, input, errors, hasten, lookLong, expect, readAll, endsOf, discover };
  Object.defineProperty(globalThis, 'crossfarmGuest', {
    value: { ...value, interactions, waitsFor: () => waitsFor },
  });
})();
