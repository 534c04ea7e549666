/**
 * The adapter of pages that are not ours: the farm inserts it before everything else in them. It
 * speaks the trial protocol in the page's place, and reads its result in the way that the suite
 * says. It is a classic script, because it must run before the page's own scripts, and asks
 * the farm synchronously for the same reason: when the page begins, its window has begun.
 */
(() => {
  /** @typedef {import('../protocol.d.ts').GuestTask} GuestTask */

  const { href, pathname, search, hash } = location;
  const token = /[?&]trial=([\w-]+)$/.exec(search)?.[1];

  // The page must see the address that it has without the farm.
  history.replaceState(null, '', pathname + search.replace(/[?&]trial=[\w-]+$/, '') + hash);

  const { timed, input, errors, hasten, readAll, endsOf, discover } = /** @type {any} */ (
    globalThis
  ).crossfarmGuest; // `guest-metrics.js`, which stands before this script.
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
    },
  });

  if (token === undefined) return;

  /**
   * @param {string} what
   * @param {unknown} [message] with one it is a POST
   */
  function ask(what, message) {
    const request = new XMLHttpRequest();
    request.open(message === undefined ? 'GET' : 'POST', `/trial/${token}/${what}`, false);
    request.setRequestHeader('content-type', 'application/json');
    request.send(message === undefined ? null : JSON.stringify(message));
    if (request.status === 200) return request.responseText;
    throw new Error(`The farm refused "${what}": ${request.responseText}`);
  }

  /** @type {import('../protocol.d.ts').Assignment} */
  const assignment = JSON.parse(ask('assignment'));
  const { guest, measurement } = assignment;
  const isSmokeTest = 'fast' in measurement;
  // Each look costs the page time in which it is measured; of a smoke test that does not matter.
  const pollMs = isSmokeTest ? 50 : 250;
  if (isSmokeTest) hasten();
  if (guest === undefined) {
    ask('error', {
      phase: 'load',
      message: 'The assignment says nothing of a page that is not ours.',
    });
    return;
  }

  if (guest.awaitsInput === true) input.await();

  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  /** Looks as soon as the page has timed something: what it does afterwards is no part of that. */
  const timings = new PerformanceObserver(look);
  if (guest.begin === undefined) watch();
  else addEventListener('load', () => setTimeout(begin, 0, guest.begin), { once: true });

  function watch() {
    ask('window', { mark: 'start' });
    timer = setInterval(look, pollMs);
    timings.observe({ type: 'measure' });
  }

  function stopLooking() {
    clearInterval(timer);
    timings.disconnect();
  }

  /** @param {string} expression */
  function begin(expression) {
    watch();
    try {
      (0, eval)(`(${expression})`);
    } catch (error) {
      stopLooking();
      ask('error', { phase: 'timed', message: `What begins the page threw: ${String(error)}` });
    }
  }

  function look() {
    try {
      const { metrics, discover: wanted } = /** @type {GuestTask} */ (guest);
      const offers = wanted === undefined ? undefined : discover(wanted);
      const values = offers === null ? null : readAll(metrics);
      if (values === null) return;
      stopLooking();
      ask('window', { mark: 'end' });
      void report(values, {
        endedAt: endsOf(metrics, values),
        ...(offers && { offers, errors }),
      });
    } catch (error) {
      stopLooking();
      ask('error', { phase: 'timed', message: String(error) });
    }
  }

  /**
   * @param {Readonly<Record<string, number[]>>} values
   * @param {Pick<import('../protocol.d.ts').TrialResult, 'endedAt' | 'offers' | 'errors'>} more
   */
  async function report(values, more) {
    const { openTrial } = await import('./trial.js');
    const trial = openTrial(href);
    try {
      const { describeGuest } = await import('./guest-result.js');
      await trial?.finish(describeGuest(/** @type {GuestTask} */ (guest), values, more));
    } catch (error) {
      await trial?.fail({ phase: 'finish', message: String(error) });
    }
  }
})();
