/**
 * A signal that aborts when the time is over. Chromium before 103 and Node.js before 16.14 have no
 * `AbortSignal.timeout`.
 *
 * @param {number} ms
 * @returns {AbortSignal}
 */
export function deadlineSignal(ms) {
  if ('timeout' in AbortSignal) return AbortSignal.timeout(ms);
  const controller = new AbortController();
  setTimeout(() => {
    controller.abort();
  }, ms);
  return controller.signal;
}
