/**
 * Runs before the first script of a page at a URL, where the driver can put it there: keeps the
 * errors that the page has before the farm looks into it. A classic script.
 */
(() => {
  /** @type {Event[]} */
  const value = [];
  Object.defineProperty(globalThis, 'crossfarmFaults', { value });
  for (const type of ['error', 'unhandledrejection']) {
    // Those of elements do not bubble.
    addEventListener(type, (event) => value.length < 50 && value.push(event), true);
  }
})();
