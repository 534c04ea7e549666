import { readChanges } from './api.js';
import { element, name } from './element.js';
import { targetsOf, targetKey } from './points.js';
import { counted, dayAndTime, withUnit } from './text.js';

/** A case is in few suites; each is searched separately. */
const mostSuites = 3;

/** Nights on either side of a settled change. */
const settledNights = 6;

/**
 * The farm's own search of the nights, of every suite that the shown runs are of.
 * @param {Summary[]} shown
 * @param {{ case: string; metric: string; runs: readonly NamedRun[]; signal: AbortSignal }} options
 * @returns {Promise<Changes[]>}
 */
export async function searchNights(shown, { case: one, metric, runs, signal }) {
  const seen = new Set(shown.map(({ run }) => run));
  const suites = new Set(runs.filter(({ run }) => seen.has(run)).map(({ suite }) => suite));
  const wanted = [...suites].slice(0, mostSuites);
  return Promise.all(wanted.map((suite) => readChanges({ suite, case: one, metric }, signal)));
}

/**
 * Changes of the devices that are shown, with the colour of each.
 * @param {Changes[]} searched @param {Summary[]} shown @returns {MarkedChange[]}
 */
export function marksOf(searched, shown) {
  const targets = targetsOf(shown);
  return searched.flatMap(({ suite, series }) =>
    series.flatMap(({ targetId: device, unit, changes }) =>
      changes.flatMap((change) => {
        const first = shown.find((one) => one.run === change.run && one.device === device);
        if (first === undefined) return [];
        const target = targets.findIndex(({ key }) => key === targetKey(first));
        return [{ ...change, suite, unit, target, label: targets[target]?.label ?? device }];
      }),
    ),
  );
}

/**
 * @param {HTMLElement} place
 * @param {Changes[]} searched
 * @param {MarkedChange[]} marks
 */
export function drawChanges(place, searched, marks) {
  place.replaceChildren(
    element('h2', {}, 'Changes over the nights'),
    ...searched.map((one) => element('p', { className: 'soft' }, ...sentence(one))),
    ...(marks.length === 0
      ? []
      : [
          element(
            'p',
            { className: 'soft' },
            'A dashed line in the chart is the first run after a change. A suspect is younger than six runs, and no verdict.',
          ),
          table(marks),
        ]),
  );
}

/** @param {Changes} searched */
function sentence({ suite, nights, notSearched, series }) {
  if (notSearched !== null) return [notSearched];
  const changes = series.reduce((sum, one) => sum + one.changes.length, 0);
  const found = changes === 0 ? 'no level changed' : counted(changes, 'change');
  const few = nights < 2 * settledNights;
  const why = series.find((one) => one.notSearched !== null)?.notSearched ?? null;
  return [
    name(suite),
    `, medians of ${counted(nights, 'run')}: ${found}.`,
    few
      ? ` A settled change has ${String(settledNights)} runs on either side, which so few cannot have.`
      : '',
    why === null ? '' : ` Not all could be searched: ${why}.`,
  ];
}

/** @param {MarkedChange[]} marks */
function table(marks) {
  const titles = [
    'Target',
    'After / before',
    'From … to',
    'Since',
    'What changed with it',
    'State',
  ];
  const newestFirst = [...marks].sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  return element(
    'div',
    { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Table of changes' },
    element(
      'table',
      {},
      element('caption', {}, 'Changes of level, by the farm’s own search'),
      element(
        'thead',
        {},
        element('tr', {}, ...titles.map((title) => element('th', { scope: 'col' }, title))),
      ),
      element('tbody', {}, ...newestFirst.map(row)),
    ),
  );
}

/** @param {MarkedChange} mark */
function row({ label, words, before, after, unit, run, startedAt, cause, state }) {
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, name(label)),
    element('td', {}, element('b', {}, words.ratio)),
    element('td', {}, `${withUnit(before, unit)} … ${withUnit(after, unit)}`),
    element('td', {}, `${dayAndTime(startedAt).slice(0, 10)}, run ${String(run)}`),
    element('td', {}, name(cause)),
    element('td', {}, state),
  );
}
