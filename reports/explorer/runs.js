import { readOutcome, readRuns } from './api.js';
import { make } from '../client/element.js';
import { name } from './element.js';
import { dayAndTime } from './text.js';

/** The list of runs with their results, and a choice of some to compare. */

/** A run of more trials takes seconds to analyse: its result stands on its page. */
const mostCells = 1_000;

/** A report of more runs is hard to read. */
const mostCompared = 4;

const pageLength = 20;

/**
 * @param {HTMLElement} place @param {RunList} list
 * @param {boolean} mayAnalyse not while trials are measured on this machine, which it would disturb
 */
export function drawRuns(place, list, mayAnalyse) {
  const chosen = new Set([...place.querySelectorAll('input:checked')].map((one) => valueOf(one)));
  const body = make('tbody');
  const compare = compareButton(body);
  const more = make('button', { type: 'button' }, 'Show more runs');
  const add = (/** @type {RunList} */ { runs, next }) => {
    const rows = runs.map((run) => rowOf(run, chosen));
    body.append(...rows.map(({ row }) => row));
    more.hidden = next === null;
    more.onclick = () => void readRuns(pageLength, next).then(add);
    void fill(rows, mayAnalyse);
  };
  body.addEventListener('change', compare.update);
  place.replaceChildren(
    make(
      'div',
      { className: 'scroll' },
      make(
        'table',
        { className: 'stacked runs' },
        make('caption', {}, 'The newest first; times are UTC. Choose two or more to compare them.'),
        head(['Compare', 'Run', 'Began', 'What it found', 'Trials', 'Report']),
        body,
      ),
    ),
    make('p', { className: 'actions' }, compare.button, more),
  );
  add(list);
  compare.update();
}

/** @param {Element} box */
function valueOf(box) {
  return box instanceof HTMLInputElement ? box.value : '';
}

/** @param {string[]} titles */
export function head(titles) {
  return make(
    'thead',
    {},
    make('tr', {}, ...titles.map((title) => make('th', { scope: 'col' }, title))),
  );
}

/** @param {HTMLElement} body */
function compareButton(body) {
  const button = make('button', { type: 'button' });
  const chosen = () => [...body.querySelectorAll('input:checked')].map(valueOf);
  const update = () => {
    const { length } = chosen();
    button.disabled = length < 2 || length > mostCompared;
    button.textContent =
      length < 2
        ? 'Compare: choose two runs'
        : length > mostCompared
          ? `Compare: choose ${String(mostCompared)} at most`
          : `Compare ${String(length)} runs`;
  };
  button.addEventListener('click', () => {
    // The older run comes first: it is what the newer one is compared with.
    const runs = chosen().sort((one, other) => Number(one) - Number(other));
    location.assign(`/report?${runs.map((run) => `run=${run}`).join('&')}`);
  });
  return { button, update };
}

/** @param {Run} run */
export function isRunning({ status }) {
  return status === 'running';
}

/** @param {Run} run @param {ReadonlySet<string>} chosen */
function rowOf(run, chosen) {
  const id = String(run.id);
  const found = make('td', { className: 'found', 'data-label': 'Found' }, ...unread(run));
  const box = make('input', { type: 'checkbox', value: id, checked: chosen.has(id) });
  box.setAttribute('aria-label', `Compare run ${id}`);
  const row = make(
    'tr',
    {},
    make('td', { 'data-label': 'Compare' }, box),
    make('th', { scope: 'row' }, make('a', { href: `/runs/${id}` }, `${id} · `, name(run.name))),
    make('td', { 'data-label': 'Began' }, dayAndTime(run.startedAt)),
    found,
    make('td', { 'data-label': 'Trials' }, ...trialsOf(run)),
    make(
      'td',
      { 'data-label': 'Report' },
      make('a', { href: `/report?run=${id}`, 'aria-label': `Report of run ${id}` }, 'Report'),
    ),
  );
  return { run, row, found };
}

/** @param {Run} run @returns {(Node | string)[]} */
export function trialsOf({ counts, status }) {
  const { planned, completed, failed, timedOut, skipped } = counts;
  const notes = [
    ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : []),
    ...(timedOut > 0 ? [`${timedOut.toLocaleString('en')} timed out`] : []),
    ...(skipped > 0 ? [`${skipped.toLocaleString('en')} skipped`] : []),
    ...(status === 'interrupted' ? ['interrupted'] : []),
  ];
  return [
    completed === planned
      ? planned.toLocaleString('en')
      : `${completed.toLocaleString('en')} of ${planned.toLocaleString('en')}`,
    ...(notes.length === 0 ? [] : [make('small', {}, `, ${notes.join(', ')}`)]),
  ];
}

/**
 * Shows the result of each run, one after the other.
 * @param {{ run: Run; found: HTMLElement }[]} rows @param {boolean} mayAnalyse
 */
async function fill(rows, mayAnalyse) {
  for (const { run, found } of rows) {
    if (isRunning(run) || run.counts.planned > mostCells || !found.isConnected) continue;
    const outcome = mayAnalyse ? await readOutcome(run.id).catch(() => null) : null;
    found.replaceChildren(...(outcome === null ? ['—'] : chipsOf(outcome)));
  }
}

/** Instead of what it found. @param {Run} run @returns {(Node | string)[]} */
function unread(run) {
  if (isRunning(run)) return ['It is going on.'];
  if (run.counts.planned <= mostCells) return ['…'];
  return [make('span', { className: 'soft' }, 'stands on its page')];
}

/** The verdicts of a run as words with their number, and its finding. @param {Outcome} outcome @returns {Node[]} */
function chipsOf({ headline, faster, slower, equivalent, undecided }) {
  const chips = /** @type {const} */ ([
    ['slower', slower, 'slower'],
    ['faster', faster, 'faster'],
    ['equivalent', equivalent, 'the same'],
    ['undecided', undecided, 'undecided'],
  ]).filter(([, count]) => count > 0);
  const list = make(
    'span',
    { className: 'chips' },
    ...chips.map(([verdict, count, word]) =>
      make('b', { className: `chip ${verdict}` }, `${String(count)} ${word}`),
    ),
  );
  const nothing = headline === null && chips.length === 0;
  return [
    ...(headline === null ? [] : [make('bdi', { className: 'headline' }, headline)]),
    nothing ? make('span', { className: 'soft' }, 'nothing to compare') : list,
  ];
}
