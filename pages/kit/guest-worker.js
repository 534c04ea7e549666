/**
 * The farm puts this before the script of a worker of an external page: it reports to the page what
 * the worker measures. A worker that measures nothing is as it was. The farm writes it into the
 * script.
 */
{
  const { measure } = performance;
  /** @type {[name: string, startedAt: number, durationMs: number][]} */
  let fresh = [];
  /** @type {BroadcastChannel | undefined} */
  let page;
  // At once, because a page may end its worker as soon as that has answered; of many, when the task ends.
  let told = 0;
  const tell = () => {
    page ??= new BroadcastChannel('crossfarm');
    page.postMessage(fresh);
    fresh = [];
    told += 1;
  };
  /** @param {Parameters<typeof measure>} args */
  performance.measure = (...args) => {
    const entry = measure.apply(performance, args);
    fresh.push([entry.name, performance.timeOrigin + entry.startTime, entry.duration]);
    if (told < 20) tell();
    else if (fresh.length === 1) queueMicrotask(tell);
    return entry;
  };
}
