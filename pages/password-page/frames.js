/**
 * Sees every frame that the page draws, and how far apart they are. A frame is the moment in which
 * its callback runs: what blocks the thread delays it.
 *
 * @typedef {object} Frames
 * @property {() => void} begin Forgets the gaps so far.
 * @property {() => Promise<void>} next Resolves in the next frame, when the gap before it counts.
 * @property {() => number} longestMs The longest gap since `begin`.
 * @property {() => void} end
 */

/** A page draws 60 frames a second; one that is hidden, none. */
const patienceMs = 20_000;

/**
 * @typedef {object} Screen
 * @property {(draw: () => void) => number} requestAnimationFrame
 * @property {(id: number) => void} cancelAnimationFrame
 * @property {() => number} now
 */

/**
 * The screen of this page; null in a worker and in a runtime, which have none.
 * @returns {Screen | null}
 */
export function findScreen() {
  if (typeof document === 'undefined') return null;
  return {
    requestAnimationFrame: (draw) => requestAnimationFrame(draw),
    cancelAnimationFrame: (id) => cancelAnimationFrame(id),
    now: () => performance.now(),
  };
}

/**
 * @param {Screen} screen
 * @returns {Frames}
 */
export function watchFrames(screen) {
  let last = screen.now();
  let longest = 0;
  /** @type {(() => void)[]} */
  let waiting = [];
  let request = screen.requestAnimationFrame(draw);
  function draw() {
    const time = screen.now();
    longest = Math.max(longest, time - last);
    last = time;
    request = screen.requestAnimationFrame(draw);
    const called = waiting;
    waiting = [];
    for (const call of called) call();
  }
  return {
    begin: () => (longest = 0),
    next: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          const seconds = String(patienceMs / 1000);
          reject(new Error(`No frame was drawn within ${seconds} s: is the page hidden?`));
        }, patienceMs);
        waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
    longestMs: () => longest,
    end: () => screen.cancelAnimationFrame(request),
  };
}
