/**
 * The farm puts this before everything else in an external page: no more than has to be there
 * before the page's first script, because all of it is a part of the page's load. It asks for
 * nothing until the page has loaded; then it fetches the adapter, `guest.js`. The server writes it
 * into the page, or a driver has it run before the page.
 */
(() => {
  // Null where a driver has it run.
  const own = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  const { origin, pathname, search, hash } = location;
  const bytes = own?.outerHTML.length ?? 0;
  const given = own === null ? 'the token of the trial' : own.dataset['trial'];
  own?.remove();
  const token = self === top ? given : undefined;
  // On another machine the token stands in the address, and the page must see the one it has without.
  const told = /[?&]trial=[\w-]+$/;
  if (told.test(search)) history.replaceState(null, '', pathname + search.replace(told, '') + hash);

  /** @type {import('../protocol.d.ts').TimedStretch[]} */
  const timed = [];
  /** @type {number | null} */
  let startedAt = null;
  /** Functions by which a page may time itself; without the farm they exist and do nothing. */
  Object.assign(globalThis, {
    bench: {
      start() {
        startedAt = performance.now();
      },
      stop() {
        const now = performance.now();
        if (startedAt === null) throw new Error('bench.stop() was called before bench.start().');
        timed.push({ duration: now - startedAt, endedAt: now });
        startedAt = null;
      },
      done() {
        performance.mark('crossfarm:done');
      },
    },
  });
  if (token === undefined) {
    tellPage();
    return;
  }

  /** @type {Event[]} */
  const faults = [];
  // Listened to, because a page may clear what it has measured.
  /** @type {import('../protocol.d.ts').GuestHead['entries']} */
  const entries = [];
  const observer = new PerformanceObserver((list) => {
    // One by one: of 65,536 arguments WebKit takes none.
    for (const entry of list.getEntries()) entries.push(entry);
  });
  for (const type of ['measure', 'mark']) observer.observe({ type, buffered: true });
  const value = { token, bytes, timed, faults, entries, listener: observer };
  Object.defineProperty(globalThis, 'crossfarmHead', { value });
  for (const type of ['error', 'unhandledrejection']) {
    // Those of elements do not bubble.
    addEventListener(type, (event) => faults.length < 50 && faults.push(event), true);
  }
  // Workers tell what they measure (`guest-worker.js`); a page without any is spared the channel.
  onFirstUse('Worker', heardWorker);
  onFirstUse('SharedWorker', heardWorker);
  // The farm writes the listener into scripts of its folder, and the page into those of its blobs.
  const listener = 'the text of guest-worker.js';
  const strictBeginning =
    /^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*(?:'use strict'|"use strict")\s*(?:[;}\n]|$)/;
  /** @type {WeakSet<Blob>} */
  const strict = new WeakSet();
  onFirstUse('Blob', (Blob) => {
    return new Proxy(Blob, {
      construct(target, parts, newTarget) {
        const blob = Reflect.construct(target, parts, newTarget);
        const first = parts[0]?.[0];
        if (typeof first === 'string' && strictBeginning.test(first)) strict.add(blob);
        return blob;
      },
    });
  });
  /** @type {Map<string, { blob: any, heardAt?: string }>} By the URL that the page has. */
  const blobs = new Map();
  const { createObjectURL, revokeObjectURL } = URL;
  Object.assign(URL, {
    /** @param {any} blob */
    createObjectURL(blob) {
      const url = createObjectURL(blob);
      blobs.set(url, { blob });
      return url;
    },
    /** @param {string} url */
    revokeObjectURL(url) {
      revokeObjectURL(url);
      const heardAt = blobs.get(url)?.heardAt;
      if (heardAt !== undefined) revokeObjectURL(heardAt);
      blobs.delete(url);
    },
  });
  // Browsers keep 250 of these for who comes later.
  performance.setResourceTimingBufferSize(5000);

  /**
   * Replaces a global when the page first asks for it.
   * @param {string} name
   * @param {(own: any) => unknown} replace
   */
  function onFirstUse(name, replace) {
    const global = /** @type {any} */ (globalThis);
    const own = global[name];
    if (own === undefined) return;
    /** @param {unknown} value */
    function set(value) {
      Object.defineProperty(global, name, { value, configurable: true, writable: true });
    }
    function get() {
      set(replace(own));
      return global[name];
    }
    Object.defineProperty(global, name, { configurable: true, get, set });
  }

  /** @param {any} Worker */
  function heardWorker(Worker) {
    new BroadcastChannel('crossfarm').onmessage = hear;
    return new Proxy(Worker, {
      construct: (target, [url, ...rest], newTarget) =>
        Reflect.construct(target, [heard(url), ...rest], newTarget),
    });
  }

  /** @param {MessageEvent<[name: string, startedAt: number, durationMs: number][]>} message */
  function hear({ data }) {
    for (const [name, startedAt, duration] of data) {
      const startTime = startedAt - performance.timeOrigin;
      entries.push({ entryType: 'measure', name, startTime, duration, elsewhere: true });
    }
  }

  /**
   * Where a script of a blob has the listener before it. A page with trusted types admits no other URL.
   * @param {any} url
   */
  function heard(url) {
    const made = typeof url === 'string' || url instanceof URL ? blobs.get(String(url)) : undefined;
    if (made === undefined) return url;
    const { blob } = made;
    const before = (strict.has(blob) ? "'use strict';" : ';') + listener + ' ';
    made.heardAt ??= createObjectURL(new Blob([before, blob], { type: blob.type }));
    return made.heardAt;
  }

  /** Measures of a frame of the page belong to the page, in the page's time. */
  function tellPage() {
    // Null in a frame of another origin.
    /** @type {import('../protocol.d.ts').GuestHead | undefined} */
    const page = frameElement === null ? undefined : /** @type {any} */ (top).crossfarmHead;
    if (page === undefined) return;
    const laterMs = performance.timeOrigin - /** @type {Window} */ (top).performance.timeOrigin;
    new PerformanceObserver((list) => {
      for (const { entryType, name, startTime, duration } of list.getEntries()) {
        page.entries.push({ entryType, name, startTime: startTime + laterMs, duration });
      }
    }).observe({ type: 'measure', buffered: true });
  }

  const adapt = () => import(`${origin}/.crossfarm/kit/guest.js`);
  // Short work that a page begins when it has loaded is left alone.
  addEventListener('load', () => setTimeout(adapt, 100));
  setTimeout(adapt, 1000);
})();
