import { followAxes, setAxes } from './axes.js';
import { all, choiceForm, labelled, make } from './element.js';
import { axisOver } from './strip.js';
import { casesOf, measuredIn, redraw, relate } from './table-lines.js';

/** @import { Findings } from '../../harness/results/index.ts' */
/** @import { Embedded } from './main.js' */
/** @import { Axis } from './strip.js' */
/** @import { TableCase } from './table-lines.js' */

/**
 * Controls of the comparison table: which cases, metrics and targets are shown, the baseline of the
 * ratios, and the axes, which the charts follow. Verdicts hold against the stated
 * baseline alone; against another target there is a ratio with the interval of one look, and it says so.
 */

/** In the data a name may hold what cannot be seen. @param {string} text */
function visible(text) {
  return text.replace(/[^\P{C}\n]/gu, '');
}

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
  return { boxes, targets: make('fieldset', {}, make('legend', {}, 'Targets'), ...labels) };
}

/** @param {TableCase[]} table */
function fieldsOf(table) {
  const metrics = [...new Set(table.map(({ row }) => row.metric))];
  return {
    metrics,
    search: make('input', { type: 'search', placeholder: 'part of a name' }),
    metric: choice([['', 'all'], ...metrics.map((one) => pairOf(one, visible(one)))]),
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
  // A keystroke draws no chart anew: thousands of them take longer than a reader waits.
  form.addEventListener('input', ({ target }) => {
    if (target === axis) setAxes(axis.value === 'linear');
    else if (target === search || target === metric) filter();
    else draw();
  });
  summary.after(form);
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

/** What a case unfolds to has a part for each target. @param {HTMLElement} body @param {(target: string) => boolean} hides */
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
  const chosen = `${short(axis.from)} to ${short(axis.to)} ${visible(row.unit)}`;
  if (ends !== null) ends.textContent = isAsDrawn ? span : chosen;
}
