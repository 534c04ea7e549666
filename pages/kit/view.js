/**
 * The view for a person. All text goes through `textContent`: the query string is not trusted.
 *
 * @import { Parameters, TrialError, TrialResult } from '../protocol.d.ts'
 * @import { Phase } from './execution.js'
 * @import { Parameter } from './parameters.js'
 */

/** @type {Record<Phase, string>} */
const phases = {
  load: 'Loading…',
  prepare: 'Preparing…',
  'warm-up': 'Warming up…',
  timed: 'Timing… on the main thread the page stands still meanwhile.',
  check: 'Checking the value…',
  finish: 'Finishing…',
};

/** Fills the elements `status`, `form`, `case` and `result` of the page. */
export function openView() {
  const status = part('status', 'p');
  status.setAttribute('role', 'status');
  const form = part('form', 'div');
  const shown = part('case', 'p');
  const result = part('result', 'div');
  return {
    /** @param {string} text */
    say(text) {
      status.textContent = text;
    },
    /** @param {Phase} phase */
    showPhase(phase) {
      status.textContent = phases[phase];
    },
    /** @param {Parameters} parameters */
    showCase(parameters) {
      const values = Object.entries(parameters).map(([name, value]) => `${name}=${String(value)}`);
      shown.textContent = values.join(' ');
    },
    /** @param {Pick<TrialError, 'phase' | 'message'>} error */
    showError({ phase, message }) {
      status.textContent = `Failed (${phase}). ${message}`;
      status.className = 'failed';
    },
    /** @param {TrialResult} found */
    showResult(found) {
      status.textContent = 'Done.';
      result.replaceChildren(...describeResult(found));
    },
    /**
     * @param {readonly Parameter[]} parameters
     * @param {URLSearchParams} query
     */
    showForm(parameters, query) {
      form.replaceChildren(parameterForm(parameters, query));
    },
  };
}

/**
 * The element with this id, made at the end of `main` if it is missing.
 * @param {string} id
 * @param {string} tag
 */
function part(id, tag) {
  const found = document.getElementById(id);
  if (found) return found;
  const made = element(tag);
  made.id = id;
  (document.querySelector('main') ?? document.body).append(made);
  return made;
}

/**
 * @param {TrialResult['steadyState']} found
 * @returns {string[][]}
 */
function steadyFacts(found) {
  if (found === undefined) return [];
  const { firstMs, steadyAfterMs } = found;
  return [
    ['First call', `${firstMs.toPrecision(3)} ms`],
    ['Steady after', steadyAfterMs === null ? 'not reached' : `${steadyAfterMs.toFixed(0)} ms`],
  ];
}

/** @param {TrialResult} result */
function describeResult({ samples, repeats, steadiness, steadyState, clock, counters, host }) {
  const [first, ...also] = samples;
  if (!first) return [element('p', 'No samples.')];
  const sorted = inOrder(first.timed);
  const show = (/** @type {number} */ value) =>
    `${value.toFixed(decimals(clock.granuleUs / 1000 / repeats))} ${first.unit}`;
  const facts = [
    ['Shortest', show(sorted[0] ?? NaN)],
    ['Longest', show(sorted.at(-1) ?? NaN)],
    ['Timed iterations', String(sorted.length)],
    ['Repeats in each', String(repeats)],
    ['Course', steadiness],
    ...steadyFacts(steadyState),
    ...also.map(({ metric, unit, timed }) => [
      metric,
      `${String(median(inOrder(timed)))} ${unit} median`,
    ]),
    ['Clock granule', `${String(clock.granuleUs)} µs`],
    ['Cross-origin isolated', clock.isolated ? 'yes' : 'no: the clock is coarser than it need be'],
    ...Object.entries(counters).map(([name, count]) => [name, count.toLocaleString('en')]),
    ['Browser', host.userAgent],
    ['Cores, as it says', String(host.hardwareConcurrency ?? 'it does not say')],
  ];
  const all = element('details', element('summary', 'All samples, in order'));
  all.append(element('p', first.timed.map(show).join(', ')));
  return [
    element('p', element('strong', show(median(sorted))), ` median ${first.metric}`),
    element(
      'table',
      ...facts.map(([name = '', text = '']) =>
        element('tr', element('th', name), element('td', text)),
      ),
    ),
    all,
  ];
}

/**
 * @param {readonly Parameter[]} parameters
 * @param {URLSearchParams} query
 */
function parameterForm(parameters, query) {
  const form = element('form');
  for (const parameter of parameters) {
    const value = query.get(parameter.name) ?? String(parameter.default);
    form.append(element('label', `${parameter.name} `, input(parameter, value)), ' ');
  }
  form.append(element('button', 'Run'));
  return form;
}

/**
 * @param {Parameter} parameter
 * @param {string} value
 */
function input(parameter, value) {
  if (parameter.kind === 'choice') {
    const options = parameter.values.map((one) => element('option', String(one)));
    const select = /** @type {HTMLSelectElement} */ (element('select', ...options));
    select.name = parameter.name;
    select.value = value;
    return select;
  }
  const field = /** @type {HTMLInputElement} */ (element('input'));
  field.type = 'number';
  field.name = parameter.name;
  field.min = String(parameter.minimum);
  field.max = String(parameter.maximum);
  field.value = value;
  return field;
}

/**
 * @param {string} tag
 * @param {(Node | string)[]} children
 */
function element(tag, ...children) {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}

/** @param {readonly number[]} values */
function inOrder(values) {
  return [...values].sort((a, b) => a - b);
}

/**
 * @param {readonly number[]} sorted
 */
function median(sorted) {
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? NaN) + upper) / 2 : upper;
}

/**
 * Decimals that a resolution supports: 0.005 ms supports three.
 * @param {number} resolution
 */
function decimals(resolution) {
  return Math.min(9, Math.max(0, Math.ceil(-Math.log10(resolution))));
}
