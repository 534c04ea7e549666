import { readRun, readRunPart, readTrials } from './api.js';
import { linkCase } from '../client/case-address.js';
import { make } from '../client/element.js';
import { byId, name, showMarkup } from './element.js';
import { watchRun } from './live.js';
import { head, trialsOf } from './runs.js';
import { printable } from '../client/printable.js';
import { unbroken } from '../client/number.js';
import { dayAndTime, withUnit } from './text.js';

/** A run on its own: what it measured, what it found, its trials. */

const id = location.pathname.split('/').pop() ?? '';

async function start() {
  byId('kicker').textContent = `crossfarm · run ${id}`;
  document.title = `Run ${id} · crossfarm`;
  const run = await readRun(id);
  byId('title').textContent = printable(run.name);
  await show(run);
  if (run.status !== 'running') return;
  let seen = '';
  watchRun(byId('live'), run.id, {
    ended: () => void readRun(id).then(show),
    news({ status, stage }) {
      // Its own farm looks after each block, and a picture of the same blocks would be the same.
      const now = JSON.stringify([stage?.blocks, stage?.looked]);
      if (status !== 'running' || now === seen) return;
      seen = now;
      void showFound();
    },
  });
}

/** @param {Run} run */
async function show(run) {
  byId('facts').replaceChildren(links(run), facts(run));
  foldTrials(run);
  if (run.status !== 'running') byId('status').textContent = 'Reading what it found …';
  await showFound();
  byId('status').textContent = '';
}

/** Shows the first screen of its report, in which this page's title is the finding. */
async function showFound() {
  const { heading, found } = await readRunPart(id);
  if (heading !== null) {
    byId('title').textContent = unbroken(printable(heading));
    // The tab shows it while its reader does something else.
    document.title = `${printable(heading)} · run ${id} · crossfarm`;
  }
  showMarkup(byId('found'), found);
}

/** @param {Run} run */
function links(run) {
  const number = String(run.id);
  return make(
    'p',
    { className: 'actions' },
    make('a', { href: `/report?run=${number}` }, 'Report'),
    make('a', { href: `/explore?run=${number}` }, 'Explore'),
    make('a', { href: `/api/v1/runs/${number}/cells` }, 'Its plan as JSON'),
  );
}

/** @param {Run} run */
function facts(run) {
  const { machine } = run;
  const rows = /** @type {const} */ ([
    ['Run', run.name],
    ['Suite', run.suite],
    ['Began', `${dayAndTime(run.startedAt)} UTC`],
    ['Ended', run.finishedAt === null ? 'It is going on.' : `${dayAndTime(run.finishedAt)} UTC`],
    // Of a run that goes on its progress says it.
    ...(run.finishedAt === null ? [] : [['Trials', trialsOf(run).map(textOf).join('')]]),
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

/** The list of its trials, which is read when it is opened. @param {Run} run */
function foldTrials(run) {
  const list = byId('list');
  list.hidden = false;
  const open = () => {
    if (list.hasAttribute('open')) void drawTrials(run);
  };
  list.ontoggle = open;
  open();
}

/** @param {Run} run */
async function drawTrials(run) {
  const body = make('tbody');
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
    more.hidden = next === null;
    more.onclick = () => void add(next);
  };
  await add(null);
  if (group === '') {
    const none = make('p', { className: 'soft' }, 'No trial of it has ended.');
    byId('trials').replaceChildren(none);
    return;
  }
  byId('trials').replaceChildren(
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
      make('a', { href: linkCase(one) }, name(one)),
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
