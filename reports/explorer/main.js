import { readFilters, readSummaries } from './api.js';
import { drawChart } from './chart.js';
import { byId, element } from './element.js';
import { drawFilters, foldFilters } from './filters.js';
import { followRuns } from './live.js';
import { chosen, notesOf } from './points.js';
import { addressOf, benchmarkOf, queryOf, readState } from './state.js';
import { drawTable } from './table.js';
import { counted, printable } from './text.js';

/** @type {FilterValues} */
let filters;

/** Ends a request whose answer is not wanted any more. */
let asking = new AbortController();

async function start() {
  foldFilters();
  filters = await readFilters();
  followRuns(byId('live'), filters.runs, () => {
    void again();
  });
  byId('filters').addEventListener('submit', (event) => {
    event.preventDefault();
  });
  addEventListener('popstate', () => {
    void show(readState(location.search));
  });
  await show(readState(location.search));
}

/** A run has ended: what can be chosen has changed, and maybe what is shown. */
async function again() {
  filters = await readFilters();
  await show(readState(location.search));
}

/**
 * Of what the address says now: several changes may come before the first is answered.
 * @param {(now: State) => State} update
 */
function change(update) {
  const state = update(readState(location.search));
  history.pushState(null, '', addressOf(state));
  void show(state);
}

/** @param {State} state */
async function show(state) {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const benchmark = benchmarkOf(state, filters);
  if (benchmark === undefined) {
    say('This farm has stored no run yet: npx farm run makes one.');
    return;
  }
  const query = queryOf(state, benchmark);
  byId('csv').setAttribute('href', `api/v1/summaries?${query}`);
  byId('results').setAttribute('aria-busy', 'true');
  try {
    const { summaries, complete } = await readSummaries(query, signal);
    if (signal.aborted) return;
    // Not at once: the change of a field may come while the focus is on its way to the next one.
    drawFilters(byId('filters'), { state, filters, change });
    draw(summaries, { state, benchmark, complete });
  } catch (error) {
    if (signal.aborted) return;
    drawFilters(byId('filters'), { state, filters, change });
    fail(error);
  } finally {
    if (!signal.aborted) byId('results').removeAttribute('aria-busy');
  }
}

/**
 * @param {Summary[]} summaries
 * @param {{ state: State; benchmark: Benchmark; complete: boolean }} options
 */
function draw(summaries, { state, benchmark, complete }) {
  const shown = chosen(summaries, state, benchmark);
  const what =
    state.case === ''
      ? `run ${state.run === '' ? String(benchmark.newestRun) : state.run}`
      : 'all runs';
  byId('title').textContent = printable(benchmark.title);
  say(
    shown.length === 0
      ? `Nothing in ${what} fits the filters.`
      : `${counted(shown.length, 'series', 'series')} of ${what}.`,
  );
  const notes = notesOf(shown, { state, complete });
  byId('notes').replaceChildren(
    ...(notes.length === 0
      ? []
      : [
          element('ul', { className: 'cautions' }, ...notes.map((note) => element('li', {}, note))),
        ]),
  );
  drawChart(byId('chart'), shown, { state, benchmark });
  drawTable(byId('table'), shown, {
    state,
    benchmark,
    showCase: (name) => change((now) => ({ ...now, case: name, parameters: {}, largest: '' })),
  });
}

/** @param {unknown} error */
function fail(error) {
  for (const id of ['notes', 'chart', 'table']) byId(id).replaceChildren();
  say(`This cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
}

/** @param {string} sentence */
function say(sentence) {
  byId('status').replaceChildren(document.createTextNode(sentence));
}

start().catch(fail);
