import { findRuntime } from '../kit/host-facts.js';

/**
 * Keeps threads from taking the machine down: they are watched while they start, and ended when
 * memory gets short or time is over. A page cannot see how much memory is free, so there the number
 * of threads at once is bounded instead.
 *
 * @import { RuntimeProcess } from '../kit/host-facts.js'
 */

/** At once, in a browser. 100 is what was published; Chromium gives each worker a heap of some megabytes. */
export const mostAtOnceInPages = 200;

/** Memory that is left to all other programs of the machine. */
const keptBytes = 1024 * 2 ** 20;

/** No runtime was seen to start a thread with less, so more than the free memory holds need not be tried. */
const leastBytesPerThread = 2 * 2 ** 20;

const lookEveryMs = 20;
const longestMs = 60_000;

/**
 * Free memory in bytes: of the machine, or, where the runtime knows of a narrower limit (Node.js
 * 22), of that; null in a browser.
 * @param {RuntimeProcess & { availableMemory?: () => number } | null} runtime
 * @returns {(() => number) | null}
 */
export function findFreeMemory(runtime = findRuntime()) {
  const os = runtime?.getBuiltinModule?.('node:os');
  if (os === undefined) return null;
  return () => Math.min(Number(os.freemem()), runtime?.availableMemory?.() ?? Infinity);
}

/**
 * @typedef {object} Wanted
 * @property {number} threads
 * @property {string} order
 * @property {(() => number) | null} freeMemory
 */

/**
 * @param {Wanted} wanted
 * @throws {Error} when this many threads should not even be tried.
 */
export function refuseTooMany({ threads, order, freeMemory }) {
  const atOnce = order === 'parallel' ? threads : 1;
  if (freeMemory === null) {
    if (atOnce <= mostAtOnceInPages) return;
    throw new Error(
      `${String(atOnce)} threads at once were not tried: a page cannot see how much memory is free, and starts ${String(mostAtOnceInPages)} at most.`,
    );
  }
  const free = freeMemory();
  if (atOnce * leastBytesPerThread <= free - keptBytes) return;
  throw new Error(
    `Out of memory: ${String(atOnce)} threads at once were not tried, because ${megabytes(free)} are free and ${megabytes(keptBytes)} are kept for the machine.`,
  );
}

/**
 * Watches memory and time until `stop` is called.
 *
 * @param {(() => number) | null} freeMemory
 * @param {{ longestMs?: number, keptBytes?: number }} [limits]
 * @returns {{ trouble: Promise<never>, stop: () => void }} `trouble` rejects with the reason
 */
export function watch(freeMemory, limits = {}) {
  const { longestMs: longest = longestMs, keptBytes: kept = keptBytes } = limits;
  /** @type {(reason: Error) => void} */
  let report = () => {};
  /** @type {Promise<never>} */
  const trouble = new Promise((_, reject) => {
    report = reject;
  });
  trouble.catch(() => {}); // The caller awaits it while threads run; after that nobody has to.
  const end = performance.now() + longest;
  const timer = setInterval(() => {
    const free = freeMemory?.() ?? Infinity;
    if (free < kept) {
      report(
        new Error(
          `out of memory: ${megabytes(free)} were left, and ${megabytes(kept)} are kept for the machine`,
        ),
      );
    }
    if (performance.now() > end) report(new Error(`no more within ${String(longest / 1000)} s`));
  }, lookEveryMs);
  return { trouble, stop: () => clearInterval(timer) };
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${String(Math.round(bytes / 2 ** 20))} MiB`;
}
