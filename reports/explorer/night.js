import { readNight } from './api.js';
import { make } from '../client/element.js';
import { byId, name } from './element.js';
import { runLink, statuses } from './nights.js';
import { head } from './runs.js';
import { dayAndTime } from './text.js';

/** A night on its own: why it ended as it did. */

const id = decodeURIComponent(location.pathname.split('/').pop() ?? '');

async function start() {
  const night = await readNight(id);
  const [mark, word] = statuses[night.status];
  const day = dayAndTime(night.startedAt);
  document.title = `Night ${day} · crossfarm`;
  byId('title').textContent = `Night of ${day} UTC: ${word}`;
  byId('status').textContent = night.headline ?? '';
  byId('facts').replaceChildren(
    make(
      'dl',
      { className: 'facts' },
      make('dt', {}, 'Outcome'),
      make('dd', {}, make('span', { className: `night ${night.status}` }, mark), ` ${word}`),
      make('dt', {}, 'Ended'),
      make('dd', {}, night.finishedAt === null ? '—' : `${dayAndTime(night.finishedAt)} UTC`),
      make('dt', {}, 'Suite'),
      make('dd', {}, name(night.suite)),
      make('dt', {}, 'Run'),
      make('dd', {}, runLink(night.run), ...reportOf(night)),
    ),
  );
  byId('parts').replaceChildren(
    ...list(
      'Why it is not fine',
      night.reasons.map(({ text }) => text),
    ),
    ...list('What is new', night.changes),
    ...list(
      'New anomalies',
      night.anomalies.map(({ id, title }) =>
        make('a', { href: `/findings/${encodeURIComponent(id)}` }, name(`${id}: ${title}`)),
      ),
    ),
    ...devices(night),
    ...steps(night),
  );
}

/** @param {WholeNight} night */
function reportOf({ night, run, hasReport }) {
  const href = hasReport
    ? `/nights/${encodeURIComponent(night)}/report`
    : run !== null && `/report?run=${String(run)}`;
  return href === false ? [] : [' · ', make('a', { href }, 'Report')];
}

/** @param {string} title @param {readonly (string | Node)[]} texts */
function list(title, texts) {
  if (texts.length === 0) return [];
  return [
    make('h2', {}, title),
    make(
      'ul',
      {},
      ...texts.map((text) => make('li', {}, typeof text === 'string' ? name(text) : text)),
    ),
  ];
}

/** @param {WholeNight} night */
function devices({ devices: all }) {
  if (all.length === 0) return [];
  const rows = all.map((one) => [
    one.device,
    one.browser === null ? '—' : `${one.browser} ${one.version ?? ''}`,
    one.because === null ? one.state : `${one.state}: ${one.because}`,
    `${String(one.counting)} of ${String(one.tried)}`,
  ]);
  return table('Devices', ['Device', 'Browser', 'State', 'Cells that count'], rows);
}

/** @param {WholeNight} night */
function steps({ steps: all }) {
  if (all.length === 0) return [];
  const rows = all.map((one) => [
    one.step,
    one.because === null ? one.outcome : `${one.outcome}: ${one.because}`,
    `${(one.ms / 1000).toLocaleString('en', { maximumFractionDigits: 1 })} s`,
  ]);
  return table('Steps', ['Step', 'Outcome', 'Took'], rows);
}

/** @param {string} title @param {string[]} columns @param {string[][]} rows */
function table(title, columns, rows) {
  return [
    make('h2', {}, title),
    make(
      'div',
      { className: 'scroll' },
      make(
        'table',
        {},
        make('caption', { className: 'unseen' }, title),
        head(columns),
        make(
          'tbody',
          {},
          ...rows.map(([first = '', ...others]) =>
            make(
              'tr',
              {},
              make('th', { scope: 'row' }, name(first)),
              ...others.map((text) => make('td', {}, name(text))),
            ),
          ),
        ),
      ),
    ),
  ];
}

start().catch((error) => {
  byId('status').textContent = error instanceof Error ? error.message : String(error);
});
