import { linkCase } from '../client/case-address.js';
import { make } from '../client/element.js';
import { name } from './element.js';
import { relation } from './findings.js';
import { targetLabel } from './points.js';
import { counted, dayAndTime, withUnit } from './text.js';

/** More rows than these are shown when they are asked for. */
const firstRows = 100;

/**
 * Draws the table at once; ratios and verdicts are filled in when they are known.
 * @param {HTMLElement} place
 * @param {Summary[]} summaries
 * @param {{ state: State; benchmark: Benchmark }} options
 * @returns {(index: FindingsIndex | null) => void} fills in the findings of the analysis; null without them
 */
export function drawTable(place, summaries, { state, benchmark }) {
  /** @type {((index: FindingsIndex | null) => void)[]} */
  const fillers = [];
  /** @type {FindingsIndex | null | undefined} */
  let known;
  if (summaries.length === 0) {
    place.replaceChildren();
    return () => {};
  }
  const sorted = [...summaries].sort(inOrder(benchmark));
  const body = make('tbody');
  const row = (/** @type {Summary} */ summary) => {
    const { line, fill } = rowOf(summary, state);
    fillers.push(fill);
    if (known !== undefined) fill(known);
    return line;
  };
  body.append(...sorted.slice(0, firstRows).map(row));
  const rest = sorted.slice(firstRows);
  const more = make('button', { type: 'button' }, `Show ${counted(rest.length, 'more row')}`);
  more.addEventListener('click', () => {
    const added = rest.map(row);
    body.append(...added);
    added[0]?.querySelector('a')?.focus();
    more.remove();
  });
  const caption = `${counted(summaries.length, 'series', 'series')}, with the ${state.statistic} of the trials`;
  place.replaceChildren(
    make(
      'div',
      { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Table of all series' },
      make('table', {}, make('caption', {}, caption), make('thead', {}, headings(state)), body),
    ),
    ...(rest.length > 0 ? [more] : []),
  );
  return (index) => {
    known = index;
    for (const fill of fillers) fill(index);
  };
}

/** @param {State} state */
function headings({ statistic, case: one }) {
  const ofRun = one === '';
  const titles = [
    ofRun ? 'Case' : 'Run',
    'Browser',
    statistic[0]?.toUpperCase() + statistic.slice(1),
    'Interval of the median',
    ...(ofRun ? ['Against the baseline'] : []),
    'Trials',
  ];
  return make('tr', {}, ...titles.map((title) => make('th', { scope: 'col' }, title)));
}

/** @param {Summary} summary @param {State} state */
function rowOf(summary, state) {
  const { statistics, unit } = summary;
  const ofRun = state.case === '';
  const head = ofRun
    ? name(summary.case)
    : `${String(summary.run)} · ${dayAndTime(summary.runStartedAt)}`;
  const value = statistics === null ? null : statistics[state.statistic];
  // On a narrow screen each row is a block of lines, and each line says what it is.
  const shown = make(
    'td',
    { className: 'n', 'data-label': state.statistic },
    withUnit(value, unit),
  );
  const interval = make(
    'td',
    { className: 'n', 'data-label': 'interval of the median' },
    intervalOf(summary),
  );
  const against = make('td', { className: 'against', 'data-label': 'against the baseline' }, '…');
  const line = make(
    'tr',
    {},
    make(
      'th',
      { scope: 'row' },
      make('a', { href: linkCase(summary.case, `run=${String(summary.run)}`) }, head),
    ),
    make('td', {}, name(targetLabel(summary))),
    shown,
    interval,
    ofRun && against,
    make(
      'td',
      { className: 'trials', 'data-label': 'trials' },
      String(summary.trials),
      leftOut(summary),
    ),
  );
  return { line, fill: fillerOf(summary, state, { shown, interval, against }) };
}

/**
 * @param {Summary} summary
 * @param {State} state
 * @param {{ shown: HTMLElement; interval: HTMLElement; against: HTMLElement }} cells
 * @returns {(index: FindingsIndex | null) => void}
 */
function fillerOf(summary, { statistic }, { shown, interval, against }) {
  return (index) => {
    against.replaceChildren(...(index === null ? ['—'] : relation(index, summary)));
    const words = index?.measured(summary)?.words;
    if (words === undefined || summary.trials < 2) return;
    // The digits that the report gives it, which knows the clock.
    if (statistic === 'median') {
      shown.textContent = words.centre;
      shown.classList.toggle('several', words.centre.includes(' or '));
    }
    const sure = words.onlySure === null ? '' : ` (${words.onlySure})`;
    interval.textContent = `${words.interval}${sure}`;
  };
}

/** @param {Summary} summary */
function intervalOf({ statistics, trials, unit }) {
  if (statistics === null) return '—';
  if (trials < 2) return 'one trial has none';
  const { low, high, confidence } = statistics;
  return `${withUnit(low, unit)} … ${withUnit(high, unit)} (${(confidence * 100).toFixed(0)} %)`;
}

/** Trials that do not count. @param {Summary} summary */
function leftOut({ quarantined, notCompleted, fromQuarantined, planned, trials }) {
  const waiting = planned - trials - notCompleted - (fromQuarantined ? 0 : quarantined);
  const parts = [
    fromQuarantined && 'all excluded',
    !fromQuarantined && quarantined > 0 && counted(quarantined, 'excluded', 'excluded'),
    notCompleted > 0 && counted(notCompleted, 'not completed', 'not completed'),
    waiting > 0 && counted(waiting, 'without outcome or value', 'without outcome or value'),
  ].filter(Boolean);
  return parts.length > 0 && make('small', {}, parts.join(', '));
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
function rank(parameter, { parameters }) {
  const value = parameters[parameter.name];
  const isPlaced = parameter.kind === 'choice' && value !== undefined;
  return isPlaced ? parameter.values.indexOf(value) : Number(value);
}
