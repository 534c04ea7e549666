import { readChanges, readChart, readFilters, readFindings, readSummaries } from './api.js';
import { tellCase } from './case.js';
import { make } from '../client/element.js';
import { byId, showMarkup } from './element.js';
import { drawFilters, foldFilters } from './filters.js';
import { drawBaseline, drawFolds, indexFindings } from './findings.js';
import { watch } from './live.js';
import { chosen, notesOf } from './points.js';
import { addressOf, benchmarkOf, metricOf, queryOf, readState, runOf, viewOf } from './state.js';
import { drawTable } from './table.js';
import { printable } from '../client/printable.js';
import { counted } from './text.js';

/** @type {FilterValues} */
let filters;

/** Ends a request whose answer is not wanted any more. */
let asking = new AbortController();

async function start() {
  filters = await readFilters();
  byId('filters').addEventListener('submit', (event) => {
    event.preventDefault();
  });
  addEventListener('popstate', () => {
    void show(readState(location));
  });
  await show(readState(location));
  await watch({
    runs: byId('live'),
    joining: byId('joining'),
    ended: () => void again(),
  });
}

/** A run has ended: what can be chosen has changed, and maybe what is shown. */
async function again() {
  filters = await readFilters();
  await show(readState(location));
}

/**
 * Of what the address says now: several changes may come before the first is answered.
 * @param {(now: State) => State} update
 */
function change(update) {
  const state = update(readState(location));
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
    say('This farm has stored no run yet: npx crossfarm run makes one.');
    return;
  }
  const query = queryOf(state, benchmark);
  byId('csv').setAttribute('href', `api/v1/summaries?${query}`);
  byId('results').setAttribute('aria-busy', 'true');
  const isCase = state.case !== '';
  document.body.classList.toggle('of-case', isCase);
  byId('kicker').textContent = `crossfarm · ${isCase ? 'case' : 'explorer'}`;
  byId('explore').hidden = isCase && !filters.benchmarks.some(({ explorable }) => explorable);
  if (isCase) byId('explore').removeAttribute('aria-current');
  else byId('explore').setAttribute('aria-current', 'page');
  foldFilters(isCase);
  const told = isCase ? tellCase(state, signal) : Promise.resolve();
  // Awaited below, unless another choice came first.
  told.catch(() => undefined);
  if (!isCase) for (const id of ['place', 'found', 'trials']) byId(id).replaceChildren();
  try {
    const [{ summaries, complete }, { chart }] = await Promise.all([
      readSummaries(query, signal),
      readChart(viewOf(state, benchmark, byId('chart').clientWidth), signal),
    ]);
    if (signal.aborted) return;
    // Not at once: the change of a field may come while the focus is on its way to the next one.
    drawFilters(byId('filters'), { state, filters, change });
    showMarkup(byId('chart'), chart);
    const shown = draw(summaries, { state, benchmark, complete });
    await told;
    // Slow answers are requested after the first chart is drawn, and added to it.
    void tell(shown, { state, benchmark, signal });
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
  if (state.case === '') byId('title').textContent = printable(benchmark.title);
  say(
    shown.length === 0
      ? `Nothing in ${what} fits the filters.`
      : state.case === ''
        ? `${counted(shown.length, 'series', 'series')} of ${what}.`
        : `In ${counted(new Set(shown.map(({ run }) => run)).size, 'run')}: ${counted(shown.length, 'series', 'series')}.`,
  );
  const notes = notesOf(shown, { state, complete });
  byId('notes').replaceChildren(
    ...(notes.length === 0
      ? []
      : [make('ul', { className: 'cautions' }, ...notes.map((note) => make('li', {}, note)))]),
  );
  const fill = drawTable(byId('table'), shown, {
    state,
    benchmark,
  });
  return { summaries: shown, fill };
}

/** @typedef {{ summaries: Summary[]; fill: (index: FindingsIndex | null) => void }} Shown */
/** @typedef {{ state: State; benchmark: Benchmark; signal: AbortSignal }} Asking */

/** Shows the analysis of the current selection. @param {Shown} shown @param {Asking} asking */
async function tell(shown, asking) {
  const { state, benchmark, signal } = asking;
  const run = runOf(state, benchmark);
  if (run !== null) byId('changes').replaceChildren();
  else for (const id of ['ratios', 'folds']) byId(id).replaceChildren();
  if (shown.summaries.length === 0) return;
  try {
    if (run === null) await tellChanges(shown, asking);
    else await tellFindings(shown, asking, run);
  } catch (error) {
    if (signal.aborted) return;
    shown.fill(null);
    const why = error instanceof Error ? error.message : String(error);
    const place = byId(run === null ? 'changes' : 'ratios');
    place.replaceChildren(
      make('p', { className: 'soft' }, `What the analysis says cannot be shown: ${why}`),
    );
  }
}

/** @param {Shown} shown @param {Asking} asking @param {string} run */
async function tellFindings({ summaries, fill }, { state, benchmark, signal }, run) {
  const metric = metricOf(state, benchmark)?.metric ?? '';
  const wanted = { benchmark: benchmark.benchmark, metric, baseline: state.baseline };
  const findings = await readFindings(run, wanted, signal);
  if (signal.aborted) return;
  fill(indexFindings(findings));
  drawBaseline(byId('ratios'), findings, (baseline) => change((now) => ({ ...now, baseline })));
  drawFolds(byId('folds'), findings, summaries);
}

/** @param {Shown} shown @param {Asking} asking */
async function tellChanges({ summaries }, { state, benchmark, signal }) {
  const place = byId('changes');
  place.replaceChildren();
  if (new Set(summaries.map(({ run }) => run)).size < 2) return;
  place.replaceChildren(make('p', { className: 'soft' }, 'Searching the nights for changes …'));
  const view = viewOf(state, benchmark, byId('chart').clientWidth);
  const { changes, chart } = await readChanges(view, signal);
  if (signal.aborted) return;
  showMarkup(place, changes);
  if (chart !== null) showMarkup(byId('chart'), chart);
}

/** @param {unknown} error */
function fail(error) {
  for (const id of ['notes', 'chart', 'changes', 'ratios', 'table', 'folds']) {
    byId(id).replaceChildren();
  }
  say(`This cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
}

/** @param {string} sentence */
function say(sentence) {
  byId('status').replaceChildren(document.createTextNode(sentence));
}

start().catch(fail);
