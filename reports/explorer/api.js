/** Rows of a page. More pages would take long to draw and longer to read. */
const pageLength = 500;
const mostPages = 4;

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function get(path, signal) {
  const options = {
    headers: { accept: 'application/json' },
    ...(signal === undefined ? {} : { signal }),
  };
  const ask = () => fetch(`/${path}`, options);
  // A connection that rested may be gone when it is used again: asking twice changes nothing.
  const response = await ask().catch((error) => {
    if (error instanceof TypeError) return ask();
    throw error;
  });
  const body = await response.json();
  if (response.ok) return body;
  throw new Error([body.detail, body.next].filter(Boolean).join(' '));
}

/** @returns {Promise<FilterValues>} */
export function readFilters() {
  return get('api/v1/filters');
}

/**
 * Reads all summaries that fit the query, up to a limit.
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @returns {Promise<{ summaries: Summary[]; complete: boolean }>}
 */
export async function readSummaries(query, signal) {
  /** @type {Summary[]} */
  const summaries = [];
  const asked = new URLSearchParams(query);
  asked.set('limit', String(pageLength));
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await get(`api/v1/summaries?${asked}`, signal);
    summaries.push(...answer.summaries);
    if (answer.next === null) return { summaries, complete: true };
    asked.set('cursor', answer.next);
  }
  return { summaries, complete: false };
}

/**
 * Findings of the analysis on one metric of a benchmark in a run.
 * @param {string} run
 * @param {{ benchmark: string; metric: string; baseline: string }} wanted
 * @param {AbortSignal} signal
 * @returns {Promise<Findings>}
 */
export async function readFindings(run, { benchmark, metric, baseline }, signal) {
  const asked = new URLSearchParams({ benchmark, metric, limit: String(pageLength) });
  if (baseline !== '') asked.set('baseline', baseline);
  const path = `api/v1/runs/${encodeURIComponent(run)}/findings`;
  /** @type {Findings} */
  const findings = await get(`${path}?${asked}`, signal);
  const [rows, pairs] = [[...findings.rows], [...findings.pairs]];
  let { next } = findings;
  for (let page = 1; page < mostPages && next !== null; page += 1) {
    asked.set('cursor', next);
    /** @type {Findings} */
    const more = await get(`${path}?${asked}`, signal);
    rows.push(...more.rows);
    pairs.push(...more.pairs);
    ({ next } = more);
  }
  return { ...findings, rows, pairs };
}

/**
 * The chart of a view, as markup.
 * @param {URLSearchParams} view
 * @param {AbortSignal} signal
 * @returns {Promise<{ chart: string }>}
 */
export function readChart(view, signal) {
  return get(`parts/chart?${view}`, signal);
}

/**
 * Reads the changes over the nights of a case, and the chart with its changes, which is null without any.
 * @param {URLSearchParams} view
 * @param {AbortSignal} signal
 * @returns {Promise<{ changes: string; chart: string | null }>}
 */
export function readChanges(view, signal) {
  return get(`parts/changes?${view}`, signal);
}

/**
 * Reads a case in a run, or in the newest, at a glance.
 * @param {{ case: string; run: string }} wanted @param {AbortSignal} signal
 * @returns {Promise<{ run: number; startedAt: string; heading: string | null; found: string }>}
 */
export function readCase({ case: name, run }, signal) {
  const asked = new URLSearchParams({ case: name });
  if (run !== '') asked.set('run', run);
  return get(`parts/case?${asked}`, signal);
}

/** Reads the trials of a case in a run. @param {string} name @param {number} run @param {AbortSignal} signal @returns {Promise<ListedTrial[]>} */
export async function readCaseTrials(name, run, signal) {
  const asked = new URLSearchParams({ case: name, run: String(run), limit: String(pageLength) });
  const { trials } = await get(`api/v1/trials?${asked}`, signal);
  return trials;
}

/** Runs that are going on: unchanged, the server need not look. @param {number} most @returns {Promise<{ id: number }[]>} */
export async function readRunning(most) {
  const { runs } = await get(`api/v1/runs?status=running&limit=${String(most)}`);
  return runs;
}

/** Reads the page where devices may join this farm; null if they may not. @returns {Promise<{ screen: string | null } | null>} */
export async function readJoining() {
  const { joining } = await get('api/v1/joining');
  return joining;
}

/** The newest runs, or those after a cursor. @param {number} limit @param {string | null} cursor @returns {Promise<RunList>} */
export function readRuns(limit, cursor) {
  const asked = new URLSearchParams({ limit: String(limit) });
  if (cursor !== null) asked.set('cursor', cursor);
  return get(`api/v1/runs?${asked}`);
}

/** @param {string} id @returns {Promise<Run>} */
export function readRun(id) {
  return get(`api/v1/runs/${encodeURIComponent(id)}`);
}

/** Reads the first screen of a run's report, as markup. @param {string} id @returns {Promise<{ heading: string | null; found: string }>} */
export function readRunPart(id) {
  return get(`parts/run?run=${encodeURIComponent(id)}`);
}

/** Reads the result of a run, which the server computes at the first request. @param {number} run @returns {Promise<Outcome>} */
export function readOutcome(run) {
  return get(`api/v1/runs/${String(run)}/outcome`);
}

/** Trials of a run in the order of its plan. @param {number} run @param {string | null} cursor @returns {Promise<{ trials: ListedTrial[]; next: string | null }>} */
export function readTrials(run, cursor) {
  const asked = new URLSearchParams({ run: String(run), limit: '100' });
  if (cursor !== null) asked.set('cursor', cursor);
  return get(`api/v1/trials?${asked}`);
}

/** Reads the changes over the nights of a suite, or of the newest run's suite, as markup. @param {string | null} suite @returns {Promise<{ changed: string | null }>} */
export function readChanged(suite) {
  const asked = new URLSearchParams(suite === null ? {} : { suite });
  return get(`parts/changed?${asked}`);
}

/** The newest nights. @returns {Promise<Night[]>} */
export async function readNights() {
  const { nights } = await get('api/v1/nights');
  return nights;
}

/** @param {string} id @returns {Promise<WholeNight>} */
export function readNight(id) {
  return get(`api/v1/nights/${encodeURIComponent(id)}`);
}

/** Reads the benchmarks whose pages are served, too. @returns {Promise<Openable[]>} */
export async function readOpenable() {
  const { benchmarks } = await get('api/v1/pages');
  return benchmarks;
}
