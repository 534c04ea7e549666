import { readOutcome, readRun, readTrials } from './api.js';
import { make } from '../client/element.js';
import { byId, name } from './element.js';
import { watchRun } from './live.js';
import { chipsOf, head, trialsOf } from './runs.js';
import { printable } from '../client/printable.js';
import { dayAndTime, withUnit } from './text.js';

/** A run on its own: what it measured, what it found, its trials. */

const id = location.pathname.split('/').pop() ?? '';

async function start() {
  byId('kicker').textContent = `crossfarm · run ${id}`;
  document.title = `Run ${id} · crossfarm`;
  const run = await show();
  if (run.status === 'running') watchRun(byId('live'), run.id, () => void show());
}

async function show() {
  const run = await readRun(id);
  byId('title').textContent = printable(run.name);
  byId('facts').replaceChildren(facts(run));
  byId('facts').prepend(links(run, await drawTrials(run)));
  // The analysis of a run that goes on would disturb its trials.
  if (run.status !== 'running') {
    byId('outcome').replaceChildren(make('p', { className: 'soft' }, 'Reading what it found …'));
    const outcome = await readOutcome(run.id);
    byId('outcome').replaceChildren(make('p', {}, ...chipsOf(outcome)));
  }
  return run;
}

/** @param {Run} run @param {string} benchmark */
function links(run, benchmark) {
  const number = String(run.id);
  const explored = new URLSearchParams({ benchmark, run: number });
  return make(
    'p',
    { className: 'actions' },
    make('a', { href: `/report?run=${number}` }, 'Report'),
    make('a', { href: `/explore?${explored.toString()}` }, 'Explore'),
    make('a', { href: `/api/v1/runs/${number}/cells` }, 'Its plan as JSON'),
  );
}

/** @param {Run} run */
function facts(run) {
  const { machine } = run;
  const rows = /** @type {const} */ ([
    ['Suite', run.suite],
    ['Began', `${dayAndTime(run.startedAt)} UTC`],
    ['Ended', run.finishedAt === null ? 'It is going on.' : `${dayAndTime(run.finishedAt)} UTC`],
    ['Trials', trialsOf(run).map(textOf).join('')],
    ['Machine', `${machine.hostname}: ${machine.cpuModel}, ${machine.system}`],
  ]);
  return make(
    'dl',
    { className: 'facts' },
    ...rows.flatMap(([label, text]) => [make('dt', {}, label), make('dd', {}, name(text))]),
    make('dt', {}, 'Repeats it'),
    make('dd', {}, make('code', {}, run.command)),
  );
}

/** @param {Node | string} part */
function textOf(part) {
  return typeof part === 'string' ? part : (part.textContent ?? '');
}

/** The benchmark of its first trial; empty where none has ended. @param {Run} run */
async function drawTrials(run) {
  const body = make('tbody');
  let benchmark = '';
  const more = make('button', { type: 'button' }, 'Show more trials');
  let group = '';
  const add = async (/** @type {string | null} */ cursor) => {
    const { trials, next } = await readTrials(run.id, cursor);
    for (const trial of trials) {
      const own = `${trial.deviceName}\n${trial.case}`;
      if (own !== group) body.append(groupOf(trial));
      group = own;
      body.append(rowOf(trial));
    }
    benchmark ||= trials[0]?.benchmark ?? '';
    more.hidden = next === null;
    more.onclick = () => void add(next);
  };
  await add(null);
  if (group === '') {
    const none = make('p', { className: 'soft' }, 'No trial of it has ended.');
    byId('trials').replaceChildren(make('h2', {}, 'Trials'), none);
    return benchmark;
  }
  byId('trials').replaceChildren(
    make('h2', {}, 'Trials'),
    make(
      'div',
      { className: 'scroll' },
      make(
        'table',
        { className: 'stacked trials-list' },
        make('caption', {}, 'By device and case'),
        head(['Trial', 'Block', 'Outcome', 'Value']),
        body,
      ),
    ),
    more,
  );
  return benchmark;
}

/** The common properties of the trials below it. @param {ListedTrial} trial */
function groupOf({ deviceName, case: one }) {
  return make(
    'tr',
    { className: 'group' },
    make(
      'th',
      { scope: 'rowgroup', colSpan: 4 },
      name(deviceName),
      ' · ',
      make('a', { href: `/cases/${encodeURIComponent(one)}` }, name(one)),
    ),
  );
}

/** @param {ListedTrial} trial */
function rowOf(trial) {
  const [first] = trial.values;
  const isQuarantined = trial.quarantine.length > 0;
  return make(
    'tr',
    {},
    make(
      'th',
      { scope: 'row' },
      make('a', { href: `/trials/${String(trial.trial)}` }, `Trial ${String(trial.trial)}`),
    ),
    make('td', { 'data-label': 'Block' }, String(trial.block)),
    make(
      'td',
      { className: trial.outcome === 'completed' ? '' : 'bad' },
      isQuarantined ? 'disturbed' : trial.outcome,
    ),
    make('td', {}, first === undefined ? '—' : withUnit(first.value, first.unit)),
  );
}

start().catch((error) => {
  byId('status').textContent = error instanceof Error ? error.message : String(error);
});
