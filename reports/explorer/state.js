import { linkCase } from '../client/case-address.js';

/** The selection is part of the address, so that a view can be shared. */

const lists = /** @type {const} */ ([
  'family',
  'browser',
  'version',
  'driver',
  'os',
  'cores',
  'device',
]);

const texts = /** @type {const} */ (['benchmark', 'metric', 'run', 'largest', 'baseline']);

const statistics = ['median', 'mean', 'minimum'];

const averages = ['family', 'all'];

/** Prefix of benchmark parameters in the address, so that none is taken for a filter. */
const parameterPrefix = 'p.';

/** The address of a case's page names the case. */
const casePath = '/cases/';

/** @param {string} pathname @param {URLSearchParams} query */
function readCaseName(pathname, query) {
  if (!pathname.startsWith(casePath)) return query.get('case') ?? '';
  return decodeURIComponent(pathname.slice(casePath.length));
}

/** @param {Pick<Location, 'pathname' | 'search'>} address @returns {State} */
export function readState({ pathname, search }) {
  const query = new URLSearchParams(search);
  const ofCase = readCaseName(pathname, query);
  const statistic = query.get('statistic') ?? '';
  const values = Object.fromEntries(lists.map((list) => [list, query.getAll(list)]));
  const parameters = [...query]
    .filter(([key]) => key.startsWith(parameterPrefix))
    .map(([key, value]) => [key.slice(parameterPrefix.length), value]);
  return /** @type {State} */ ({
    benchmark: ofCase.split(' ')[0] || (query.get('benchmark') ?? ''),
    metric: query.get('metric') ?? '',
    case: ofCase,
    run: query.get('run') ?? '',
    baseline: query.get('baseline') ?? '',
    ...values,
    statistic: statistics.includes(statistic) ? statistic : 'median',
    largest: /^\d{1,9}$/.test(query.get('largest') ?? '') ? query.get('largest') : '',
    ...curvesOf(query),
    scale: query.get('scale') === 'linear' ? 'linear' : 'log',
    parameters: Object.fromEntries(parameters),
  });
}

/** @param {URLSearchParams} query */
function curvesOf(query) {
  const average = query.get('average') ?? '';
  return {
    average: averages.includes(average) ? average : '',
    together: query.get('together') === 'yes',
  };
}

/** The address of a state: what is as usual is left out. @param {State} state */
export function addressOf(state) {
  const query = new URLSearchParams();
  const isCase = state.case !== '';
  for (const key of texts) {
    if (state[key] !== '' && !(isCase && key === 'benchmark')) query.set(key, state[key]);
  }
  for (const list of lists) for (const value of state[list]) query.append(list, value);
  addDrawing(query, state);
  const text = query.toString();
  if (isCase) return linkCase(state.case, text);
  return text === '' ? '/explore' : `/explore?${text}`;
}

/**
 * The benchmark that is shown: the one that is named, else one that grows, else any.
 * @param {State} state @param {FilterValues} filters
 */
export function benchmarkOf(state, filters) {
  const { benchmarks } = filters;
  const newest = [...benchmarks].sort((a, b) => b.newestRun - a.newestRun);
  return (
    benchmarks.find(({ benchmark }) => benchmark === state.benchmark) ??
    newest.find(({ growthOver }) => growthOver !== null) ??
    newest[0]
  );
}

/** The metric that is shown: the one that is named, else the benchmark’s first. @param {State} state @param {Benchmark} benchmark */
export function metricOf(state, { metrics }) {
  return metrics.find(({ metric }) => metric === state.metric) ?? metrics[0];
}

/** The run that is shown; null where a case is shown over all of them. @param {State} state @param {Benchmark} benchmark */
export function runOf(state, { newestRun }) {
  if (state.case !== '') return null;
  return state.run === '' ? String(newestRun) : state.run;
}

/**
 * The query for the API. Of one case all runs are shown, of all cases one run.
 * @param {State} state @param {Benchmark} benchmark
 */
export function queryOf(state, benchmark) {
  const query = new URLSearchParams({ benchmark: benchmark.benchmark });
  const metric = metricOf(state, benchmark);
  if (metric !== undefined) query.set('metric', metric.metric);
  const run = runOf(state, benchmark);
  if (run === null) query.set('case', state.case);
  else query.set('run', run);
  for (const list of lists) for (const value of state[list]) query.append(list, value);
  return query;
}

/**
 * The query for a chart: the data that are asked for, and how they are drawn.
 * @param {State} state @param {Benchmark} benchmark @param {number} width
 */
export function viewOf(state, benchmark, width) {
  const query = queryOf(state, benchmark);
  addDrawing(query, state);
  if (state.largest !== '') query.set('largest', state.largest);
  query.set('width', String(width));
  return query;
}

/** Adds values other than the usual ones. @param {URLSearchParams} query @param {State} state */
function addDrawing(query, state) {
  if (state.statistic !== 'median') query.set('statistic', state.statistic);
  if (state.average !== '') query.set('average', state.average);
  if (state.together) query.set('together', 'yes');
  if (state.scale !== 'log') query.set('scale', state.scale);
  for (const [key, value] of Object.entries(state.parameters)) {
    if (value !== '') query.set(`${parameterPrefix}${key}`, value);
  }
}
