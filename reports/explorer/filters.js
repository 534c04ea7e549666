import { make } from '../client/element.js';
import { byId, name } from './element.js';
import { dayAndTime } from './text.js';
import { benchmarkOf, metricOf } from './state.js';

/** Names of the first study for what it filtered by, and more. */
const checklists = /** @type {const} */ ([
  ['family', 'Browser family'],
  ['browser', 'Browser'],
  ['version', 'Version'],
  ['driver', 'Driver'],
  ['os', 'Operating system'],
  ['cores', 'Cores'],
  ['device', 'Device'],
]);

/** The least width at which the stylesheet shows the filters next to the results. */
const beside = '(min-width: 48.01rem)';

const wide = matchMedia(beside);

/** Of the page that is shown. @type {boolean | undefined} */
let folds;

/**
 * On a narrow screen, and on the page of a case, the results come first: the filters are one line until
 * they are asked for.
 * @param {boolean} isCase
 */
export function foldFilters(isCase) {
  if (folds === isCase) return;
  const fold = () => {
    byId('filters-box').toggleAttribute('open', wide.matches && folds !== true);
  };
  if (folds === undefined) wide.addEventListener('change', fold);
  folds = isCase;
  fold();
}

/** @param {State} state */
function titleOf(state) {
  const lists = checklists.filter(([key]) => state[key].length > 0).length;
  const parameters = Object.values(state.parameters).filter((value) => value !== '').length;
  const others = [state.case === '' ? state.run : '', state.largest].filter(
    (value) => value !== '',
  ).length;
  const chosen = lists + parameters + others;
  return chosen === 0 ? 'Filters' : `Filters (${String(chosen)} set)`;
}

/**
 * Draws the form for a state. `change` gets every change of it, and applies it to the current state.
 * @param {HTMLElement} form
 * @param {{ state: State; filters: FilterValues; change(update: (now: State) => State): void }} options
 */
export function drawFilters(form, { state, filters, change }) {
  const benchmark = benchmarkOf(state, filters);
  if (benchmark === undefined) {
    form.replaceChildren();
    return;
  }
  byId('filters-title').textContent = titleOf(state);
  const focused = document.activeElement?.id;
  const open = new Set([...form.querySelectorAll('details[open]')].map((details) => details.id));
  form.replaceChildren(
    ...choices(state, filters, { benchmark, change }),
    ...checklists.map(([key, title]) =>
      checklist({ key, title, values: valuesOf(key, filters), state, change, open }),
    ),
    make(
      'p',
      {},
      make(
        'button',
        { type: 'button', id: 'clear', onclick: () => change(cleared) },
        'Clear filters',
      ),
    ),
  );
  if (focused !== undefined && focused !== '') document.getElementById(focused)?.focus();
}

/** @param {State} state @returns {State} */
function cleared(state) {
  const none = { family: [], browser: [], version: [], driver: [], os: [], cores: [], device: [] };
  return { ...state, ...none, largest: '', parameters: {}, run: '', case: '', baseline: '' };
}

/**
 * @param {(typeof checklists)[number][0]} key
 * @param {FilterValues} filters
 * @returns {{ value: string; label: string }[]}
 */
function valuesOf(key, filters) {
  /** @param {readonly (string | number)[]} values */
  const plain = (values) => values.map((value) => ({ value: String(value), label: String(value) }));
  switch (key) {
    case 'family':
      return plain(filters.families);
    case 'browser':
      return plain(filters.browsers);
    case 'version':
      return versionsOf(filters);
    case 'driver':
      return plain(filters.drivers);
    case 'os':
      return plain(filters.operatingSystems);
    case 'cores':
      return plain(filters.cores);
    case 'device':
      return plain(filters.devices);
  }
}

/** Two browsers may have a version of one name, which the filter cannot distinguish. @param {FilterValues} filters */
function versionsOf({ versions }) {
  /** @type {Map<string, string[]>} */
  const browsers = new Map();
  for (const { browser, version } of versions) {
    browsers.set(version, [...(browsers.get(version) ?? []), browser]);
  }
  return [...browsers].map(([value, names]) => ({ value, label: `${names.join(', ')} ${value}` }));
}

/**
 * @param {{
 *   key: (typeof checklists)[number][0];
 *   title: string;
 *   values: { value: string; label: string }[];
 *   state: State;
 *   change(update: (now: State) => State): void;
 *   open: Set<string>;
 * }} options
 */
function checklist({ key, title, values, state, change, open }) {
  const chosen = new Set(state[key]);
  const boxes = values.map(({ value, label }, index) => {
    const id = `${key}-${String(index)}`;
    const box = make('input', { type: 'checkbox', id, checked: chosen.has(value) });
    box.addEventListener('change', () => {
      change((now) => {
        const others = now[key].filter((one) => one !== value);
        return { ...now, [key]: box.checked ? [...others, value] : others };
      });
    });
    return make('label', { htmlFor: id }, box, ' ', name(label));
  });
  const id = `list-${key}`;
  const details = make(
    'details',
    { id, open: open.has(id) || chosen.size > 0 },
    make('summary', { id: `${id}-title` }, title, chosen.size > 0 && ` (${String(chosen.size)})`),
    make('fieldset', {}, make('legend', { className: 'unseen' }, title), ...boxes),
  );
  return details;
}

/**
 * @param {State} state @param {FilterValues} filters
 * @param {{ benchmark: Benchmark; change(update: (now: State) => State): void }} options
 */
function choices(state, filters, { benchmark, change }) {
  const metric = metricOf(state, benchmark);
  return [
    select('benchmark', 'Benchmark', {
      value: benchmark.benchmark,
      options: filters.benchmarks.map((one) => [one.benchmark, one.title]),
      choose: (value) =>
        change((now) => ({
          ...now,
          benchmark: value,
          metric: '',
          case: '',
          run: '',
          parameters: {},
        })),
    }),
    select('metric', 'Metric', {
      value: metric?.metric ?? '',
      options: benchmark.metrics.map((one) => [one.metric, `${one.metricTitle} (${one.unit})`]),
      choose: (value) => change((now) => ({ ...now, metric: value })),
    }),
    state.case === ''
      ? runSelect(state, filters, { benchmark, change })
      : make(
          'p',
          {},
          'All runs of one case. ',
          make(
            'button',
            {
              type: 'button',
              id: 'all-cases',
              onclick: () => change((now) => ({ ...now, case: '', run: '' })),
            },
            'Show all cases of a run',
          ),
        ),
    select('statistic', 'Statistic', {
      value: state.statistic,
      options: [
        ['median', 'Median of the trials'],
        ['mean', 'Mean of the trials'],
        ['minimum', 'Minimum of the trials'],
      ],
      choose: (value) =>
        change((now) => ({ ...now, statistic: /** @type {StatisticName} */ (value) })),
    }),
    ...curveSelects(state, benchmark, change),
    ...parameterSelects(state, benchmark, change),
    ...largestInput(state, benchmark, change),
    scaleSelect(state, change),
  ];
}

/** @param {State} state @param {(update: (now: State) => State) => void} change */
function scaleSelect(state, change) {
  return select('scale', 'Scale', {
    value: state.scale,
    options: [
      ['log', 'Logarithmic'],
      ['linear', 'Linear'],
    ],
    choose: (value) => change((now) => ({ ...now, scale: value === 'linear' ? 'linear' : 'log' })),
  });
}

/** @param {State} state @param {Benchmark} benchmark @param {(update: (now: State) => State) => void} change */
function curveSelects(state, { growthOver }, change) {
  const together = select('together', 'Charts', {
    value: state.together ? 'yes' : '',
    options: [
      ['', 'One for each case'],
      ['yes', 'All curves in one'],
    ],
    choose: (value) => change((now) => ({ ...now, together: value === 'yes' })),
  });
  return [
    select('average', 'Curves', {
      value: state.average,
      options: [
        ['', 'One for each browser'],
        ['family', 'Mean of each browser family'],
        ['all', 'Mean of all browsers'],
      ],
      choose: (value) =>
        change((now) => ({ ...now, average: /** @type {State['average']} */ (value) })),
    }),
    ...(growthOver === null || state.case !== '' ? [] : [together]),
  ];
}

/**
 * @param {State} state @param {FilterValues} filters
 * @param {{ benchmark: Benchmark; change(update: (now: State) => State): void }} options
 */
function runSelect(state, { runs }, { benchmark, change }) {
  const options = runs.map(({ run, suite, status, startedAt }) => [
    String(run),
    `${String(run)} · ${dayAndTime(startedAt)} · ${suite}${status === 'finished' ? '' : ` (${status})`}`,
  ]);
  const known = state.run === '' || options.some(([value]) => value === state.run);
  return select('run', 'Run (night)', {
    value: state.run,
    options: [
      ['', `Newest with this benchmark (${String(benchmark.newestRun)})`],
      ...(known ? [] : [[state.run, `Run ${state.run}`]]),
      ...options,
    ],
    choose: (value) => change((now) => ({ ...now, run: value })),
  });
}

/** @param {State} state @param {Benchmark} benchmark @param {(update: (now: State) => State) => void} change */
function parameterSelects(state, { parameters, growthOver }, change) {
  return parameters
    .filter((one) => one.kind === 'choice')
    .filter(({ name: parameter }) => parameter !== growthOver)
    .map(({ name: parameter, values }) => {
      const id = `p-${parameter}`;
      const choose = (/** @type {string} */ value) =>
        change((now) => ({ ...now, parameters: { ...now.parameters, [parameter]: value } }));
      const options = values.map((value) => [String(value), String(value)]);
      const value = state.parameters[parameter] ?? '';
      if (values.length > 2) return severalOf(id, parameter, { value, options, choose });
      return select(id, parameter, { value, options: [['', 'All'], ...options], choose });
    });
}

/**
 * A list of which several can be chosen; none means all.
 * @param {string} id @param {string} title
 * @param {{ value: string; options: string[][]; choose(value: string): void }} facts
 */
function severalOf(id, title, { value, options, choose }) {
  const made = make(
    'select',
    { id, multiple: true, size: Math.min(options.length, 4) },
    ...options.map(([one = '']) => make('option', { value: one }, one)),
  );
  const chosen = new Set(value.split(','));
  for (const option of made.options) option.selected = chosen.has(option.value);
  made.addEventListener('change', () => {
    choose([...made.selectedOptions].map((option) => option.value).join(','));
  });
  return make('label', { htmlFor: id }, `${title} (none: all)`, made);
}

/** @param {State} state @param {Benchmark} benchmark @param {(update: (now: State) => State) => void} change */
function largestInput(state, { growthOver }, change) {
  if (growthOver === null) return [];
  const input = make('input', {
    type: 'number',
    id: 'largest',
    min: '0',
    value: state.largest,
    placeholder: 'all',
  });
  input.addEventListener('change', () => {
    const largest = /^\d{1,9}$/.test(input.value) ? input.value : '';
    change((now) => ({ ...now, largest }));
  });
  return [make('label', { htmlFor: 'largest' }, `Largest ${growthOver}`, input)];
}

/**
 * @param {string} id @param {string} title
 * @param {{ value: string; options: string[][]; choose(value: string): void }} facts
 */
function select(id, title, { value, options, choose }) {
  const made = make(
    'select',
    { id },
    ...options.map(([one = '', label = one]) => make('option', { value: one }, label)),
  );
  made.value = value;
  made.addEventListener('change', () => choose(made.value));
  return make('label', { htmlFor: id }, title, made);
}
