import { all, make } from './element.js';
import { formatRatioEstimate, ratioStep } from './number.js';
import { shiftOf } from './shift.js';
import { pathsOf } from './strip.js';

/** @import { CaseRow, Cell } from '../../harness/results/index.ts' */
/** @import { Axis } from './strip.js' */
/** @typedef {Extract<Cell, { kind: 'measured' }>} MeasuredCell */

/**
 * A case of the comparison table with its data.
 * @typedef {object} TableCase
 * @property {HTMLTableSectionElement} body
 * @property {CaseRow} row
 * @property {TableLine[]} lines
 * @property {Element | null} ends where the axis of its dots is said
 * @property {string} span what is said there by the page
 * @property {string} text what a search finds it by
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
export function casesOf(rows) {
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
export function measuredIn({ cell }) {
  return cell.kind === 'measured' ? [cell] : [];
}

/** Draws the trials of a line again. @param {TableLine} line @param {Axis} axis */
export function redraw({ line, cell }, axis) {
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
 * Says what a line is beside another cell, in one look; null is the stated baseline, of which the page
 * has said it, and undefined a case without the chosen one.
 * @param {TableLine} line
 * @param {Cell | null | undefined} other
 * @param {number} wanted confidence
 */
export function relate({ cell, relation, said }, other, wanted) {
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
