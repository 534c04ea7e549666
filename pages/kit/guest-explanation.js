/**
 * Asks the browser itself why the values of a page that is not ours are as they are. A classic
 * script, as `guest-metrics.js`; it runs after the window, so that it is not measured.
 *
 * The parts of a paint and of an interaction are those of web-vitals 6
 * (github.com/GoogleChrome/web-vitals, src/attribution/onLCP.ts and onINP.ts).
 */
(() => {
  /** @typedef {import('../protocol.d.ts').Explanation} Explanation */
  /** @typedef {import('../protocol.d.ts').GuestMetric} GuestMetric */

  /** Limits of an explanation: characters of its texts, scripts of a frame, entries that are read. */
  const most = { selector: 100, name: 80, source: 120, url: 1000, scripts: 3, entries: 10_000 };

  /** Events whose next paint is this near were in one frame: the browser rounds to 8 ms. */
  const sameFrameMs = 8;

  /** Browsers deliver entries that they have kept at once, or a task later. */
  const deliveryMs = 100;

  /** The longest wait for the text of a script, in which a line is counted. */
  const scriptMs = 1000;
  const longestScript = 8_000_000;

  /** @type {import('../protocol.d.ts').GuestHead | undefined} */
  const head = /** @type {any} */ (globalThis).crossfarmHead;

  /**
   * The browser's own class, as the head found it before a script of the page could replace it.
   * @type {typeof PerformanceObserver | undefined}
   */
  const Observer = /** @type {any} */ (
    head?.listener?.constructor ?? globalThis.PerformanceObserver
  );

  /** @param {string} type */
  function isSupported(type) {
    return Observer?.supportedEntryTypes?.includes(type) === true;
  }

  /**
   * The entries of a type that the browser has kept.
   * @param {string} type
   * @returns {Promise<any[]>}
   */
  async function keptEntries(type) {
    if (Observer === undefined || !isSupported(type)) return [];
    let observer = /** @type {PerformanceObserver | undefined} */ (undefined);
    const delivered = new Promise((resolve) => {
      observer = new Observer((list) => resolve(list.getEntries()));
      observer.observe({ type, buffered: true });
      setTimeout(resolve, deliveryMs, []);
    });
    const atOnce = observer?.takeRecords() ?? [];
    const entries = atOnce.length > 0 ? atOnce : /** @type {any[]} */ (await delivered);
    observer?.disconnect();
    return entries.slice(0, most.entries);
  }

  /**
   * @param {unknown} text
   * @param {number} length
   */
  function shorten(text, length) {
    // No control characters, and no marks that turn the direction of writing.
    return String(text)
      .replace(/[\s\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ')
      .trim()
      .slice(0, length);
  }

  /**
   * The path of an element below the body, as web-vitals writes it: `#go`, or `main>img.hero`.
   * @param {any} element
   */
  function selectorOf(element) {
    let selector = partOf(element);
    for (let node = element; !node.id;) {
      node = node.parentNode;
      if (node?.nodeType !== 1 || node.localName === 'body') break;
      const longer = `${partOf(node)}>${selector}`;
      if (longer.length > most.selector) break;
      selector = longer;
    }
    return shorten(selector, most.selector);
  }

  /** @param {any} element */
  function partOf({ id, localName, classList = [] }) {
    return id ? `#${id}` : [localName, ...[...classList].sort()].join('.');
  }

  /**
   * A file of the page's own server by its path, any other with its host; without queries, which
   * may hold secrets.
   * @param {unknown} address
   */
  function nameOf(address) {
    const text = String(address);
    if (text === '' || !URL.canParse(text)) return shorten(text, most.source);
    const { protocol, host, origin, pathname } = new URL(text);
    if (!/^https?:$/.test(protocol)) return protocol;
    return shorten(origin === location.origin ? pathname.slice(1) : host + pathname, most.source);
  }

  /** @param {unknown} ms */
  function duration(ms) {
    return typeof ms === 'number' && ms > 0 && ms < 1e9 ? ms : 0;
  }

  /**
   * From the navigation to a paint: until the first byte of the page, until the browser asks for what
   * is painted, until that has arrived, and until it is seen.
   * @param {number} paintMs
   * @returns {Promise<Partial<Explanation>>}
   */
  async function explainPaint(paintMs) {
    const paints = await keptEntries('largest-contentful-paint');
    const entry = paints.findLast(({ startTime }) => isNear(startTime, paintMs));
    if (entry === undefined) return { lacks: 'the browser has not kept what it painted' };
    const { url } = entry;
    const element = entry.element ? selectorOf(entry.element) : entry.id ? `#${entry.id}` : '';
    return {
      parts: partsOfPaint(paintMs, url ? performance.getEntriesByName(url, 'resource')[0] : null),
      ...(element !== '' && { element: shorten(element, most.selector) }),
      ...(url && { resource: nameOf(url) }),
      ...(await frameWithin(0, paintMs)),
    };
  }

  /**
   * @param {number} paintMs
   * @param {any} resource of a picture or other file; text has none
   */
  function partsOfPaint(paintMs, resource) {
    const [navigation = {}] = /** @type {any[]} */ (performance.getEntriesByType('navigation'));
    const { responseStart = 0, activationStart = 0 } = navigation;
    const { requestStart = 0, startTime = 0, responseEnd = 0 } = resource ?? {};
    const firstByte = Math.min(paintMs, Math.max(0, responseStart - activationStart));
    const asked = (requestStart || startTime) - activationStart;
    const requested = Math.min(paintMs, Math.max(firstByte, asked));
    const received = Math.min(paintMs, Math.max(requested, responseEnd - activationStart));
    return {
      firstByte,
      loadDelay: requested - firstByte,
      loadDuration: received - requested,
      renderDelay: paintMs - received,
    };
  }

  /**
   * From an event to the next paint: until its handlers run, while they do, and until it is seen.
   * @param {number} longestMs
   * @returns {Promise<Partial<Explanation>>}
   */
  async function explainInteraction(longestMs) {
    const { interactions } = /** @type {any} */ (globalThis).crossfarmGuest;
    const found = [...interactions.values()].find(({ ms }) => ms === longestMs);
    if (found === undefined) return { lacks: 'the browser tells of no interaction so short' };
    const longest = found.events.find((/** @type {any} */ one) => one.duration === longestMs);
    const paintedAt = longest.startTime + longest.duration;
    const events = found.events.filter((/** @type {any} */ one) =>
      isNear(one.startTime + one.duration, paintedAt, sameFrameMs),
    );
    const starts = events.map((/** @type {any} */ one) => one.processingStart);
    const ends = events.map((/** @type {any} */ one) => one.processingEnd);
    const began = Math.min(paintedAt, Math.max(longest.startTime, Math.min(...starts)));
    // A dialogue, such as that of alert(), is answered after the paint.
    const ended = Math.min(paintedAt, Math.max(began, ...ends));
    // Events of one click have the same duration: the one whose handlers ran longest says more.
    const [busiest] = [...events].sort(
      (/** @type {any} */ one, /** @type {any} */ other) => handledMs(other) - handledMs(one),
    );
    const target = events
      .map((/** @type {any} */ one) => one.target?.deref())
      .find((/** @type {unknown} */ one) => one !== undefined);
    const element = target === undefined ? '' : selectorOf(target);
    return {
      parts: {
        inputDelay: began - longest.startTime,
        processing: ended - began,
        presentation: paintedAt - ended,
      },
      event: shorten(busiest.name, most.name),
      ...(element !== '' && { element }),
      ...(await frameWithin(longest.startTime, ended)),
    };
  }

  /** @param {any} event */
  function handledMs({ processingStart, processingEnd }) {
    return processingEnd - processingStart;
  }

  /**
   * @param {number} one
   * @param {number} other
   * @param {number} within
   */
  function isNear(one, other, within = 0.1) {
    return Math.abs(one - other) <= within;
  }

  /**
   * The longest animation frame of a stretch of time, with the scripts that ran longest in it.
   * @param {number} fromMs
   * @param {number} toMs
   * @returns {Promise<Pick<Explanation, 'frame' | 'lacksFrame'>>}
   */
  async function frameWithin(fromMs, toMs) {
    if (!isSupported('long-animation-frame')) {
      return { lacksFrame: 'this browser does not tell of them' };
    }
    const all = await keptEntries('long-animation-frame');
    const frames = all.filter(
      (one) => one.startTime <= toMs && one.startTime + one.duration >= fromMs,
    );
    const [longest] = frames.toSorted((one, other) => other.duration - one.duration);
    if (longest === undefined) return {};
    const scripts = [...longest.scripts]
      .filter(({ sourceURL }) => !isFarms(sourceURL))
      .sort((one, other) => other.duration - one.duration)
      .slice(0, most.scripts);
    return {
      frame: {
        ms: duration(longest.duration),
        blockedMs: duration(longest.blockingDuration),
        frames: frames.length,
        scripts: await Promise.all(scripts.map(describeScript)),
      },
    };
  }

  /** @param {unknown} address */
  function isFarms(address) {
    return String(address).startsWith(`${location.origin}/.crossfarm/`);
  }

  /** @param {any} script */
  async function describeScript(script) {
    const {
      sourceURL = '',
      sourceCharPosition = -1,
      sourceFunctionName = '',
      invoker = '',
    } = script;
    const place = await placeOf(String(sourceURL), sourceCharPosition);
    return {
      ms: duration(script.duration),
      layoutMs: duration(script.forcedStyleAndLayoutDuration),
      name: shorten(sourceFunctionName, most.name),
      source: nameOf(sourceURL),
      ...place,
      // The invoker of a script that is loaded is its address.
      invoker: /^https?:/.test(invoker) ? '' : shorten(invoker, most.name),
    };
  }

  /** @type {Map<string, Promise<string | null>>} */
  const texts = new Map();

  /**
   * The place of a character of a script of the page's own server; null where that is not known. Of a
   * script in the document the browser counts from the beginning of the script.
   * @param {string} address
   * @param {number} position
   */
  async function placeOf(address, position) {
    if (!(position >= 0) || address === location.href.replace(/#.*$/, '')) return null;
    if (!URL.canParse(address) || new URL(address).origin !== location.origin) return null;
    const text = texts.get(address) ?? textOf(address);
    texts.set(address, text);
    const before = (await text)?.slice(0, position);
    if (before === undefined) return null;
    const lines = before.split('\n');
    const place = { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
    return address.length > most.url ? place : { ...place, url: address };
  }

  /**
   * @param {string} address
   * @returns {Promise<string | null>}
   */
  async function textOf(address) {
    try {
      const signal = AbortSignal.timeout(scriptMs);
      const answer = await fetch(address, { cache: 'force-cache', signal });
      if (!answer.ok) return null;
      const text = await answer.text();
      return text.length > longestScript ? null : text;
    } catch {
      // The page's policy forbids it, or its server is slow: the name of the script says enough.
      return null;
    }
  }

  /**
   * How a metric is explained, by its name for `--measure` and the reader that this name has.
   * @type {Readonly<Record<string, { by: string, name?: string, explain: (value: number) => Promise<Partial<Explanation>> }>>}
   */
  const explainers = {
    lcp: { by: 'paint', name: 'largest-contentful-paint', explain: explainPaint },
    inp: { by: 'interaction', explain: explainInteraction },
    load: { by: 'load', explain: (loadMs) => frameWithin(0, loadMs) },
    tbt: { by: 'long-tasks', explain: () => frameWithin(0, Infinity) },
  };

  /**
   * Explains the values that `readAll` gave; nothing for a metric that no browser explains.
   * @param {readonly GuestMetric[]} metrics
   * @param {Readonly<Record<string, readonly number[]>>} values
   * @returns {Promise<Explanation[]>}
   */
  async function explain(metrics, values) {
    const found = await Promise.all(
      metrics.map(async ({ metric, reader }) => {
        const explainer = Object.hasOwn(explainers, metric) ? explainers[metric] : undefined;
        const value = values[metric]?.[0];
        const { by, name } = /** @type {{ by: string, name?: string }} */ (reader);
        if (value === undefined || explainer?.by !== by || explainer.name !== name) return [];
        try {
          return [{ metric, ...(await explainer.explain(value)) }];
        } catch {
          // The page has replaced what it is read with.
          return [{ metric, lacks: 'the page does not let it be read' }];
        }
      }),
    );
    return found.flat();
  }

  /** @type {{ explanations: Explanation[] | null } | undefined} */
  let asked;

  /**
   * The same for a question that is asked again until it has an answer.
   * @param {readonly GuestMetric[]} metrics
   * @param {Readonly<Record<string, readonly number[]>>} values
   */
  function answer(metrics, values) {
    if (asked === undefined) {
      const pending = { explanations: /** @type {Explanation[] | null} */ (null) };
      asked = pending;
      void explain(metrics, values).then((explanations) => {
        pending.explanations = explanations;
      });
    }
    return asked.explanations;
  }

  Object.defineProperty(globalThis, 'crossfarmExplanation', { value: { explain, answer } });
})();
