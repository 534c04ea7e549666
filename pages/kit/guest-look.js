/**
 * Belongs to the look before the first trial, which is not timed: knows what a page still waits
 * for, because a quiet page need not have finished. A classic script, before all others of the
 * page.
 */
(() => {
  if ('crossfarmLook' in globalThis) return;
  /** Longer timers are not waited for, nor those of a page that sets more than `most.timers`. */
  const most = { delayMs: 10_000, timers: 200 };

  document.currentScript?.remove();
  // Earlier work of a page at a URL is not known.
  const sawItsBeginning = document.scripts.length === 0;

  let requests = 0;
  let timersSet = 0;
  /** @type {Set<unknown>} */
  const timers = new Set();
  let endedAt = -Infinity;

  function note() {
    endedAt = performance.now();
  }

  function answered() {
    requests -= 1;
    note();
  }

  const { fetch, setTimeout, clearTimeout, XMLHttpRequest } = globalThis;
  globalThis.fetch = (...args) => {
    requests += 1;
    const answer = fetch(...args);
    answer.then(answered, answered);
    return answer;
  };
  const { send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.send = function (/** @type {any} */ body) {
    send.call(this, body);
    requests += 1;
    /** @type {EventTarget} */ (this).addEventListener('loadend', answered, { once: true });
  };
  Object.assign(globalThis, {
    /** @type {(handler: any, delayMs?: number, ...args: unknown[]) => unknown} */
    setTimeout(handler, delayMs = 0, ...args) {
      timersSet += 1;
      const isAwaited =
        typeof handler === 'function' && delayMs <= most.delayMs && timersSet <= most.timers;
      if (!isAwaited) return setTimeout(handler, delayMs, ...args);
      const id = setTimeout(() => {
        timers.delete(id);
        note();
        handler.apply(globalThis, args);
      }, delayMs);
      timers.add(id);
      return id;
    },
    /** @param {any} id */
    clearTimeout(id) {
      timers.delete(id);
      clearTimeout(id);
    },
  });

  const value = {
    isBusy: () => requests > 0 || timers.size > 0,
    workedAt: () => endedAt,
    /** @param {number} sinceMs */
    hasWorked: (sinceMs) => !sawItsBeginning || value.isBusy() || endedAt >= sinceMs,
  };
  Object.defineProperty(globalThis, 'crossfarmLook', { value });
})();
