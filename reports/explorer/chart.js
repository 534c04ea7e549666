import { element, name } from './element.js';
import { curvesOf } from './curves.js';
import { counted, dayAndTime, printable, withUnit } from './text.js';

/** Colours that the stylesheet has; more targets than these share them, and differ by symbol. */
const colours = 10;

const symbols = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross', 'wye'];

/** More panels or rows than these are not looked at. */
const mostPanels = 24;
const mostRows = 60;

/** Pixels. A panel that is alone takes all the room that there is, up to what is easily read. */
const usualWidth = 420;
const widest = 900;
const narrowest = 240;

/** @param {HTMLElement} place @param {number} panels */
function widthFor(place, panels) {
  const room = place.clientWidth === 0 ? usualWidth : place.clientWidth;
  return Math.max(narrowest, Math.min(room, panels === 1 ? widest : usualWidth));
}

/**
 * @param {HTMLElement} place
 * @param {Summary[]} summaries
 * @param {{ state: State; benchmark: Benchmark; changes?: MarkedChange[] }} options
 */
export function drawChart(place, summaries, { state, benchmark, changes = [] }) {
  const { panels: all, curves } = curvesOf(summaries, state, benchmark);
  const panels = new Map(
    [...all].flatMap(([panel, points]) => {
      const own = points.filter(({ value }) => state.scale === 'linear' || value > 0);
      return own.length === 0 ? [] : [/** @type {const} */ ([panel, own])];
    }),
  );
  const [first] = [...panels.values()].flat();
  if (first === undefined) {
    place.replaceChildren();
    return;
  }
  const ends =
    panels.size > 1 && state.scale === 'log' ? endsOf([...panels.values()].flat()) : null;
  const shown = [...panels].slice(0, mostPanels);
  const hidden = panels.size - shown.length;
  const width = widthFor(place, shown.length);
  const title = `${first.summary.metricTitle} (${first.summary.unit}), ${wordsOf(state)}${panels.size > 1 ? (ends === null ? '; each panel has its own axis' : '; all panels have one axis') : ''}`;
  place.replaceChildren(
    element(
      'figure',
      {},
      element('figcaption', {}, element('h2', {}, title)),
      legend(curves),
      element(
        'div',
        { className: shown.length === 1 ? 'panels single' : 'panels' },
        ...shown.map(([panel, own]) =>
          drawPanel(panel, own, { state, benchmark, targets: curves, width, changes, ends }),
        ),
      ),
      hidden > 0 &&
        element(
          'p',
          { className: 'soft' },
          `${counted(hidden, 'panel is', 'panels are')} not drawn: narrow the filters, or read the table.`,
        ),
    ),
  );
}

/** @param {State} state */
function wordsOf({ statistic, average }) {
  const trials = `${statistic} of the trials`;
  if (average === '') return trials;
  return `mean over ${average === 'all' ? 'all browsers' : 'browsers of a family'} of the ${trials}`;
}

/** @param {Target[]} targets */
function legend(targets) {
  return element(
    'ul',
    { className: 'legend' },
    ...targets.map(({ label }, index) => element('li', {}, swatch(index), name(label))),
  );
}

/** The very mark of the chart. @param {number} index */
function swatch(index) {
  const drawn = Plot.plot({
    width: 14,
    height: 14,
    margin: 0,
    axis: null,
    x: { domain: [0, 1] },
    y: { domain: [0, 1] },
    marks: [
      Plot.dot([[0.5, 0.5]], {
        fill: colourOf(index),
        symbol: /** @type {any} */ (symbolOf(index)),
        r: 4.5,
      }),
    ],
  });
  const svg = picture(drawn);
  svg.setAttribute('aria-hidden', 'true');
  return svg;
}

/** @param {number} index */
function colourOf(index) {
  return `var(--c${String(index % colours)})`;
}

/** @param {number} index */
function symbolOf(index) {
  return symbols[index % symbols.length] ?? 'circle';
}

/** Ends of the axis that all panels share, so that their heights can be compared. @param {Point[]} points @returns {[number, number]} */
function endsOf(points) {
  const values = points.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  const positive = values.filter((value) => value > 0);
  return [Math.min(...positive) / 1.1, Math.max(...positive) * 1.1];
}

/**
 * @param {string} panel @param {Point[]} points
 * @param {{
 *   state: State;
 *   benchmark: Benchmark;
 *   targets: Target[];
 *   width: number;
 *   changes: MarkedChange[];
 *   ends: [number, number] | null;
 * }} options
 */
function drawPanel(panel, points, { state, benchmark, targets, width, changes, ends }) {
  const overRuns = state.case !== '';
  const { growthOver } = benchmark;
  const drawn = overRuns
    ? drawCurves(points, {
        state,
        width,
        changes,
        ends,
        x: (point) => new Date(point.summary.runStartedAt),
        label: 'run',
      })
    : growthOver === null
      ? drawRows(points, state, width)
      : drawCurves(points, {
          state,
          width,
          changes: [],
          ends,
          x: (point) => Number(point.summary.parameters[growthOver]),
          label: growthOver,
        });
  const svg = picture(drawn);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', describe(panel, points, targets));
  return element(
    'div',
    { className: 'panel' },
    element('p', { className: 'panel-name' }, name(panel)),
    svg,
  );
}

/** Text alternative of a panel: the table below has every value. @param {string} panel @param {Point[]} points @param {Target[]} targets */
function describe(panel, points, targets) {
  const names = targets.filter((_, index) => points.some(({ target }) => target === index));
  const values = points.map(({ value }) => value);
  const unit = points[0]?.summary.unit ?? '';
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return printable(
    `${panel}: ${counted(points.length, 'value')} of ${names.map(({ label }) => label).join('; ')}, from ${withUnit(least, unit)} to ${withUnit(most, unit)}. The table below has each.`,
  );
}

/** Over a wider stretch a chart has ticks at whole numbers alone. */
const mostBetween = 8;

/** Whole numbers, where they lie so near to each other that ticks would fall between them. @param {readonly { x: unknown }[]} rows */
function wholeTicks(rows) {
  const values = rows.map(({ x }) => (typeof x === 'number' ? x : NaN));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (!values.every(Number.isInteger) || !(most - least <= mostBetween)) return {};
  const ticks = Array.from({ length: most - least + 1 }, (_, index) => least + index);
  return { ticks, tickFormat: String };
}

/**
 * @param {Point[]} points
 * @param {{
 *   state: State;
 *   width: number;
 *   x(point: Point): number | Date;
 *   label: string;
 *   changes: MarkedChange[];
 *   ends: [number, number] | null;
 * }} options
 */
function drawCurves(points, { state, width, x, label, changes, ends }) {
  const rows = rowsOf(points, x).sort((a, b) => Number(a.x) - Number(b.x));
  const withInterval = rows.filter(({ low }) => low !== null && (state.scale !== 'log' || low > 0));
  return Plot.plot({
    ...frame(state, points, ends),
    width,
    height: width > usualWidth ? 400 : 300,
    x: { label: printable(label), grid: false, nice: true, ...wholeTicks(rows) },
    marks: [
      Plot.ruleX(changes.map(ruleOf), { x: 'x', stroke: 'colour', title: 'title', ...dashed }),
      Plot.link(withInterval, { x: 'x', y1: 'low', y2: 'high', stroke: 'colour', ...interval }),
      Plot.lineY(rows, { x: 'x', y: 'value', z: 'target', stroke: 'colour', strokeWidth: 1.75 }),
      ...dots(rows, { x: 'x', y: 'value' }),
    ],
  });
}

const dashed = { strokeDasharray: '5 4', strokeWidth: 1.5 };

/** Where a level changed: the first run after it. @param {MarkedChange} change */
function ruleOf({ startedAt, target, label, words, cause, state }) {
  const title = printable(`${label}: ${words.ratio} (${state}), ${cause}`);
  return { x: new Date(startedAt), colour: colourOf(target), title };
}

/** Pixels that a letter of a tick takes, about. */
const letter = 6;

/** A benchmark that grows over nothing: a row for each case. @param {Point[]} points @param {State} state @param {number} width */
function drawRows(points, state, width) {
  const cases = [...new Set(points.map(({ summary }) => printable(summary.case)))];
  const shown = new Set(cases.slice(0, mostRows));
  const rows = rowsOf(points, (point) => printable(point.summary.case)).filter(({ x }) =>
    shown.has(String(x)),
  );
  const { y: scale, ...around } = frame(state, points);
  const withInterval = rows.filter(({ low }) => low !== null && (state.scale !== 'log' || low > 0));
  const room = Math.min(260, Math.round(width * 0.45));
  const longest = Math.floor((room - 12) / letter);
  return Plot.plot({
    ...around,
    width,
    height: 70 + shown.size * 26,
    marginLeft: room,
    x: scale,
    y: {
      label: null,
      domain: [...shown],
      type: 'point',
      tickFormat: (/** @type {string} */ one) => shortCase(one, longest),
    },
    marks: [
      Plot.link(withInterval, { y: 'x', x1: 'low', x2: 'high', stroke: 'colour', ...interval }),
      ...dots(rows, { x: 'value', y: 'x' }),
    ],
  });
}

/** A case without the name of its benchmark, which all rows have, and no longer than there is room. @param {string} text @param {number} longest */
function shortCase(text, longest) {
  const parameters = text.includes(' ') ? text.slice(text.indexOf(' ') + 1) : text;
  return parameters.length <= longest ? parameters : `${parameters.slice(0, longest - 1)}…`;
}

const interval = { strokeWidth: 4, strokeOpacity: 0.35 };

/** @param {Point[]} points @param {(point: Point) => number | Date | string} x */
function rowsOf(points, x) {
  return points.map((point) => ({
    x: x(point),
    value: point.value,
    low: point.low,
    high: point.high,
    target: point.target,
    colour: colourOf(point.target),
    symbol: symbolOf(point.target),
    title: titleOf(point),
  }));
}

/** @param {Point} point */
function titleOf({ summary, value }) {
  const { deviceName, version, run, runStartedAt, trials, unit } = summary;
  const target = version === null ? deviceName : `${deviceName} ${version}`;
  return printable(
    `${summary.case}, ${target}, run ${String(run)} of ${dayAndTime(runStartedAt)}: ${withUnit(value, unit)}, ${counted(trials, 'trial')}`,
  );
}

/** One mark for each symbol: a varying symbol would get its own scale. @param {ReturnType<typeof rowsOf>} rows @param {{ x: string; y: string }} place */
function dots(rows, place) {
  const used = symbols.filter((symbol) => rows.some((row) => row.symbol === symbol));
  return used.map((symbol) =>
    Plot.dot(
      rows.filter((row) => row.symbol === symbol),
      { ...place, fill: 'colour', symbol: /** @type {any} */ (symbol), r: 3.5, title: 'title' },
    ),
  );
}

/** @param {State} state @param {Point[]} points @param {[number, number] | null} [ends] */
function frame(state, points, ends = null) {
  const unit = printable(points[0]?.summary.unit ?? '');
  return {
    className: 'plot',
    marginLeft: 60,
    marginBottom: 40,
    color: { type: /** @type {const} */ ('identity') },
    y: {
      type: state.scale,
      label: unit,
      grid: true,
      nice: ends === null,
      tickFormat: tick,
      ...(ends !== null && { domain: ends, ...logTicks(ends) }),
    },
  };
}

/**
 * Few enough for each to have its label; otherwise Plot labels powers of ten alone, and may show one
 * or none. @param {[number, number]} ends
 */
function logTicks([least, most]) {
  const first = Math.floor(Math.log10(least));
  const powers = Array.from(
    { length: Math.ceil(Math.log10(most)) - first + 1 },
    (_, index) => first + index,
  );
  for (const factors of [[1], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
    const ticks = powers
      .flatMap((power) => factors.map((factor) => factor * 10 ** power))
      .filter((value) => value >= least && value <= most);
    if (ticks.length >= 3 && ticks.length <= 9) return { ticks };
  }
  return {};
}

/** @param {number} value */
function tick(value) {
  return value === 0 || (value >= 0.001 && value < 1e6)
    ? String(Number(value.toPrecision(4)))
    : value.toExponential(0);
}

/**
 * The picture that Plot drew, without its style element, because the page’s policy allows only the
 * page’s own stylesheet, and without names of groups of marks, which are no elements to be named.
 * @param {Element} drawn
 */
function picture(drawn) {
  for (const style of drawn.querySelectorAll('style')) style.remove();
  for (const group of drawn.querySelectorAll('[aria-label]')) group.removeAttribute('aria-label');
  return drawn;
}
