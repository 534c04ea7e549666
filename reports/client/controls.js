import { keepInAddress } from './choice-address.js';
import { followAxes, setAxes } from './figures.js';
import { all, choiceForm, labelled, make } from './element.js';
import { printable } from './printable.js';
import { axisOver, pathsOf } from './strip.js';
import { formatRatioEstimate, ratioStep } from './number.js';
import { shiftOf } from './shift.js';

/** @import { CaseRow, Cell, Findings } from '../../harness/core/results/index.ts' */
/** @import { Embedded } from './main.js' */
/** @import { Axis } from './strip.js' */

/**
 * Controls of the comparison table: which cases, metrics and targets are shown, the baseline of the
 * ratios, and the axes, which the charts follow. Verdicts hold against the stated
 * baseline alone; against another target there is a ratio with the interval of one look, and it says so.
 */

/** @param {number} value */
function short(value) {
  return String(Number(value.toPrecision(3)));
}

/** @param {[value: string, text: string][]} options */
function choice(options) {
  const select = make('select');
  select.append(...options.map(([value, text]) => new Option(text, value)));
  return select;
}

/** @param {readonly number[]} values @returns {Axis} */
function linearAxisOver(values) {
  const most = Math.max(...values);
  return { from: Math.min(0, ...values), to: most > 0 ? most : 1, logarithmic: false };
}

/** The names of targets as the page shows them. @param {TableCase[]} table */
function namesIn(table) {
  return new Map(
    table.flatMap(({ lines }) =>
      lines.map(({ line, cell }) => [
        cell.targetId,
        line.querySelector('bdi')?.textContent ?? cell.targetId,
      ]),
    ),
  );
}

/** @param {Findings} findings @param {Map<string, string>} names */
function baselineChoice({ verdicts: { baselineTargetId, baselineRun } }, names) {
  const base = choice([]);
  if (baselineRun !== undefined) {
    base.append(new Option(`itself in run ${String(baselineRun)} (verdicts)`, ''));
  }
  for (const [id, name] of names) {
    base.append(new Option(id === baselineTargetId ? `${name} (verdicts)` : name, id));
  }
  base.value = baselineTargetId ?? '';
  return base;
}

/** A box for each target. @param {Map<string, string>} names */
function targetChoice(names) {
  const boxes = new Map(
    [...names.keys()].map((id) => [id, make('input', { type: 'checkbox', checked: true })]),
  );
  const labels = [...boxes].map(([id, box]) =>
    make('label', {}, box, make('bdi', {}, names.get(id) ?? id)),
  );
  return { boxes, targets: make('fieldset', {}, make('legend', {}, 'Browsers'), ...labels) };
}

/** @param {TableCase[]} table */
function fieldsOf(table) {
  const metrics = [...new Set(table.map(({ row }) => row.metric))];
  return {
    metrics,
    search: make('input', { type: 'search', placeholder: 'part of a name' }),
    metric: choice([['', 'all'], ...metrics.map((one) => pairOf(one, printable(one)))]),
    axis: choice([
      ['log', 'logarithmic'],
      ['linear', 'linear'],
    ]),
    count: make('output'),
  };
}

/** @param {string} value @param {string} text @returns {[string, string]} */
function pairOf(value, text) {
  return [value, text];
}

/** Puts the choices above the comparison table, if the page has one. @param {() => Promise<Embedded>} embedded */
export async function offerControls(embedded) {
  const summary = document.getElementById('comparison')?.parentElement ?? null;
  if (summary === null) return;
  const { findings } = await embedded();
  // The data of other reports have no rows.
  const table = casesOf(findings.rows ?? []);
  if (table.length === 0) return;
  const names = namesIn(table);
  const { metrics, search, metric, axis, count } = fieldsOf(table);
  const base = baselineChoice(findings, names);
  const { boxes, targets } = targetChoice(names);
  const form = choiceForm('What the comparison shows');
  form.append(
    labelled('Cases with', search),
    ...(metrics.length > 1 ? [labelled('Metric', metric)] : []),
    labelled('Compare with', base),
    labelled('Axes', axis),
    ...[targets, count],
  );
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    for (const { body, row, text } of table) {
      body.hidden = !text.includes(wanted) || (metric.value !== '' && metric.value !== row.metric);
    }
    const cases = table.filter(({ body }) => !body.hidden).length;
    count.textContent =
      cases === table.length ? '' : `${String(cases)} of ${String(table.length)} cases`;
  };
  const draw = () => {
    const isStated = base.value === (findings.verdicts.baselineTargetId ?? '');
    for (const one of table) {
      show(one, {
        hides: (target) => boxes.get(target)?.checked === false,
        against: isStated ? null : base.value,
        confidence: 1 - findings.verdicts.alpha,
        isLinear: axis.value === 'linear',
      });
    }
    for (const head of all('[data-baseline]', HTMLElement)) {
      const stated = head.dataset['baseline'] ?? '';
      head.textContent = isStated ? stated : (names.get(base.value) ?? base.value);
    }
  };
  // A keystroke does not redraw the charts: thousands of them take longer than a reader waits.
  form.addEventListener('input', ({ target }) => {
    if (target === axis) setAxes(axis.value === 'linear');
    else if (target === search || target === metric) filter();
    else draw();
  });
  summary.after(form);
  const shown = [...boxes].map(([id, box]) => [`browser.${id}`, box]);
  const fields = { cases: search, metric, with: base, axes: axis, ...Object.fromEntries(shown) };
  if (keepInAddress(form, fields)) {
    filter();
    draw();
    if (axis.value === 'linear') setAxes(true);
  }
  followAxes((linear) => {
    axis.value = linear ? 'linear' : 'log';
    draw();
  });
}

/**
 * `against` is null for the stated baseline.
 * @typedef {object} Choice
 * @property {(target: string) => boolean} hides
 * @property {string | null} against
 * @property {number} confidence
 * @property {boolean} isLinear
 */

/**
 * Hides the parts of an unfolded case that belong to hidden devices. @param {HTMLElement} body
 * @param {(target: string) => boolean} hides
 */
function hideParts(body, hides) {
  for (const part of all('[data-of]', HTMLElement, body)) {
    part.hidden = hides(part.dataset['of'] ?? '');
  }
}

/** @param {TableCase} table @param {Choice} choice */
function show({ body, row, lines, ends, span }, { hides, against, confidence, isLinear }) {
  for (const { line, cell } of lines) line.hidden = hides(cell.targetId);
  hideParts(body, hides);
  const other = against === null ? null : row.cells.find(({ targetId }) => targetId === against);
  for (const line of lines) relate(line, other, confidence);
  const seen = lines.filter(({ line }) => !line.hidden);
  const values = seen
    .flatMap(measuredIn)
    .flatMap((cell) => [...cell.values, ...(cell.quarantined ?? []), cell.low, cell.high]);
  const axis = isLinear && values.length > 0 ? linearAxisOver(values) : axisOver(values);
  if (axis === null) return;
  for (const line of seen) redraw(line, axis);
  const isAsDrawn = !isLinear && seen.length === lines.length;
  const chosen = `${short(axis.from)} to ${short(axis.to)} ${printable(row.unit)}`;
  if (ends !== null) ends.textContent = isAsDrawn ? span : chosen;
}

/** @typedef {Extract<Cell, { kind: 'measured' }>} MeasuredCell */

/**
 * A case of the comparison table with its data.
 * @typedef {object} TableCase
 * @property {HTMLTableSectionElement} body
 * @property {CaseRow} row
 * @property {TableLine[]} lines
 * @property {Element | null} ends where the axis of its dots is said
 * @property {string} span what is said there by the page
 * @property {string} text searched text
 */

/**
 * One target of it; `said` is what the page says of its relation to the stated baseline.
 * @typedef {object} TableLine
 * @property {HTMLTableRowElement} line
 * @property {Cell} cell
 * @property {HTMLTableCellElement | undefined} relation
 * @property {ChildNode[]} said
 */

/** The cases of the table, each with its data. @param {readonly CaseRow[]} rows @returns {TableCase[]} */
function casesOf(rows) {
  return rows.flatMap((row, index) => {
    const body = document.getElementById(`row-${String(index + 1)}`);
    if (!(body instanceof HTMLTableSectionElement)) return [];
    const [head, ...lines] = all('tr', HTMLTableRowElement, body);
    const ends = body.querySelector('[data-axis]');
    return [
      {
        body,
        row,
        ends,
        lines: lines.flatMap((line, i) => lineOf(line, row.cells[i])),
        span: ends?.textContent ?? '',
        text: (head?.textContent ?? '').toLowerCase(),
      },
    ];
  });
}

/** @param {HTMLTableRowElement} line @param {Cell | undefined} cell @returns {TableLine[]} */
function lineOf(line, cell) {
  if (cell === undefined) return [];
  const relation = line.cells[2];
  return [{ line, cell, relation, said: [...(relation?.childNodes ?? [])] }];
}

/** @param {TableLine} line @returns {MeasuredCell[]} */
function measuredIn({ cell }) {
  return cell.kind === 'measured' ? [cell] : [];
}

/** Draws the trials of a line again. @param {TableLine} line @param {Axis} axis */
function redraw({ line, cell }, axis) {
  if (cell.kind !== 'measured') return;
  const { quarantined: hollow = [], fromQuarantined, ...strip } = cell;
  const values = fromQuarantined === true ? [] : cell.values;
  const { band, middle, dots, rings } = pathsOf(
    { ...strip, median: cell.centre, values, hollow },
    axis,
  );
  const paths = line.querySelector('svg.s')?.children ?? [];
  for (const [i, path] of [band, middle, dots, rings].entries()) paths[i]?.setAttribute('d', path);
}

/**
 * Compares a line with another cell, in one look; null is the stated baseline, of which the page
 * has said it, and undefined a case without the chosen one.
 * @param {TableLine} line
 * @param {Cell | null | undefined} other
 * @param {number} wanted confidence
 */
function relate({ cell, relation, said }, other, wanted) {
  if (relation === undefined || cell.kind !== 'measured') return;
  if (other === null) relation.replaceChildren(...said);
  else if (other === undefined || other.kind !== 'measured') relation.replaceChildren('—');
  else if (other === cell) relation.replaceChildren(make('span', {}, 'compared with'));
  else {
    const { ratio, note } = against(cell, other, wanted);
    relation.replaceChildren(make('b', {}, ratio), make('small', {}, note));
  }
}

/** No verdict is made of it. @param {MeasuredCell} cell @param {MeasuredCell} other @param {number} wanted */
function against(cell, other, wanted) {
  if (![...cell.values, ...other.values].every((value) => value > 0)) {
    return { ratio: '—', note: 'a value of 0 has no ratio' };
  }
  const found = shiftOf(cell.values, other.values, wanted);
  const interval = 'why' in found ? { low: found.ratio, high: found.ratio } : found;
  const shown = formatRatioEstimate({ ...found, ...interval }, ratioStep(cell, other));
  const note = 'why' in found ? found.why : shown.interval;
  return { ratio: shown.ratio, note: `${note}, one look, no verdict` };
}
