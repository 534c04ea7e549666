/**
 * Listens to the measures and marks of a page that is not ours: asked for later, those would be gone that
 * the page has cleared. A classic script, as `guest-metrics.js`, which comes after it.
 */
(() => {
  /**
   * The record of `guest-head.js` since the page began; nothing in a page at a URL.
   * @type {import('../protocol.d.ts').GuestHead | undefined}
   */
  const head = /** @type {any} */ (globalThis).crossfarmHead;

  /** @typedef {import('../protocol.d.ts').GuestEntry} Entry */

  /** @type {Map<string, Entry[]>} Measures and marks, by type and name. */
  const made = new Map();

  /** @param {readonly Entry[]} list */
  function keep(list) {
    for (const entry of list) {
      const key = `${entry.entryType}:${entry.name}`;
      const same = made.get(key);
      if (same === undefined) made.set(key, [entry]);
      else same.push(entry);
    }
  }

  /** @type {PerformanceObserver | undefined} */
  let listener = head?.listener;
  let kept = 0;
  if (listener === undefined && globalThis.PerformanceObserver !== undefined) {
    listener = new PerformanceObserver((list) => keep(list.getEntries()));
    for (const type of ['measure', 'mark']) listener.observe({ type, buffered: true });
  }

  /** Every entry so far, by type and name. */
  function all() {
    const fresh = listener?.takeRecords() ?? [];
    if (head === undefined) {
      keep(fresh);
    } else {
      for (const entry of fresh) head.entries.push(entry);
      keep(head.entries.slice(kept));
      kept = head.entries.length;
    }
    return made;
  }

  Object.defineProperty(globalThis, 'crossfarmEntries', { value: { all } });
})();
