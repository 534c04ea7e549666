import { element, name } from './element.js';
import { targetLabel } from './points.js';
import { counted, dayAndTime, withUnit } from './text.js';

/** More rows than these are shown when they are asked for. */
const firstRows = 100;

/**
 * @param {HTMLElement} place
 * @param {Summary[]} summaries
 * @param {{ state: State; benchmark: Benchmark; showCase(name: string): void }} options
 */
export function drawTable(place, summaries, { state, benchmark, showCase }) {
  if (summaries.length === 0) {
    place.replaceChildren();
    return;
  }
  const sorted = [...summaries].sort(inOrder(benchmark));
  const body = element('tbody');
  const row = (/** @type {Summary} */ summary) => rowOf(summary, state, showCase);
  body.append(...sorted.slice(0, firstRows).map(row));
  const rest = sorted.slice(firstRows);
  const more = element('button', { type: 'button' }, `Show ${counted(rest.length, 'more row')}`);
  more.addEventListener('click', () => {
    const added = rest.map(row);
    body.append(...added);
    added[0]?.querySelector('button')?.focus();
    more.remove();
  });
  const caption = `${counted(summaries.length, 'series', 'series')}, with the ${state.statistic} of the trials`;
  place.replaceChildren(
    element(
      'div',
      { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Table of all series' },
      element(
        'table',
        {},
        element('caption', {}, caption),
        element('thead', {}, headings(state)),
        body,
      ),
    ),
    ...(rest.length > 0 ? [more] : []),
  );
}

/** @param {State} state */
function headings({ statistic, case: one }) {
  const titles = [
    one === '' ? 'Case' : 'Run',
    'Target',
    statistic[0]?.toUpperCase() + statistic.slice(1),
    'Interval of the median',
    'Trials',
    'Left out',
    ...(one === '' ? ['All runs'] : []),
  ];
  return element('tr', {}, ...titles.map((title) => element('th', { scope: 'col' }, title)));
}

/** @param {Summary} summary @param {State} state @param {(name: string) => void} showCase */
function rowOf(summary, state, showCase) {
  const { statistics, unit } = summary;
  const head =
    state.case === ''
      ? name(summary.case)
      : `${String(summary.run)} · ${dayAndTime(summary.runStartedAt)}`;
  const value = statistics === null ? null : statistics[state.statistic];
  const button = element('button', { type: 'button' }, 'over time');
  button.setAttribute('aria-label', `${summary.case} over time`);
  button.addEventListener('click', () => showCase(summary.case));
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, head),
    element('td', {}, name(targetLabel(summary))),
    element('td', { className: 'n' }, withUnit(value, unit)),
    element('td', { className: 'n' }, intervalOf(summary)),
    element('td', { className: 'n' }, String(summary.trials)),
    element('td', {}, leftOut(summary)),
    state.case === '' && element('td', {}, button),
  );
}

/** @param {Summary} summary */
function intervalOf({ statistics, trials, unit }) {
  if (statistics === null) return '—';
  if (trials < 2) return 'one trial has none';
  const { low, high, confidence } = statistics;
  return `${withUnit(low, unit)} … ${withUnit(high, unit)} (${(confidence * 100).toFixed(0)} %)`;
}

/** @param {Summary} summary */
function leftOut({ quarantined, notCompleted, fromQuarantined, planned, trials }) {
  const waiting = planned - trials - notCompleted - (fromQuarantined ? 0 : quarantined);
  const parts = [
    fromQuarantined && 'none: all are quarantined, and shown all the same',
    !fromQuarantined && quarantined > 0 && counted(quarantined, 'quarantined', 'quarantined'),
    notCompleted > 0 && counted(notCompleted, 'not completed', 'not completed'),
    waiting > 0 && counted(waiting, 'without outcome or value', 'without outcome or value'),
  ].filter(Boolean);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

/** By run, then by parameters in declared order, then by device. @param {Benchmark} benchmark */
function inOrder({ parameters }) {
  return (/** @type {Summary} */ a, /** @type {Summary} */ b) => {
    if (a.run !== b.run) return b.run - a.run;
    for (const parameter of parameters) {
      const [one, other] = [rank(parameter, a), rank(parameter, b)];
      if (one !== other) return one - other;
    }
    return a.device < b.device ? -1 : 1;
  };
}

/** @param {Parameter} parameter @param {Summary} summary */
function rank({ name: key, values }, { parameters }) {
  const value = parameters[key];
  return values === undefined || value === undefined ? Number(value) : values.indexOf(value);
}
