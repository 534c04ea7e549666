import { readChanged } from './api.js';
import { element, name } from './element.js';
import { sparkline } from './sparkline.js';
import { counted, dayAndTime, withUnit } from './text.js';

/** What changed over the nights: the newest changes, each with its course. */

const mostCards = 6;

/**
 * @param {HTMLElement} place
 * @param {string | null} wanted the suite; the newest run's when null
 * @returns {Promise<boolean>} whether there is something to show
 */
export async function drawCards(place, wanted) {
  const { suite, nights, notSearched, series } = await readChanged(wanted);
  if (notSearched !== null || nights < 2) return false;
  const changed = series
    .flatMap((one) => one.changes.slice(-1).map((change) => ({ one, change })))
    .sort((a, b) => b.change.startedAt.localeCompare(a.change.startedAt));
  const said =
    changed.length === 0
      ? 'no level changed'
      : `${counted(changed.length, 'series', 'series')} changed`;
  place.replaceChildren(
    element('p', { className: 'soft' }, `${counted(nights, 'run')} of `, name(suite), `: ${said}.`),
    element(
      'div',
      { className: 'cards' },
      ...changed.slice(0, mostCards).map(({ one, change }) => card(one, change)),
    ),
  );
  return true;
}

/** @param {ChangedSeries} series @param {Change} change */
function card(series, change) {
  const { targetId: device, unit, course } = series;
  return element(
    'article',
    { className: 'change-card' },
    element(
      'h3',
      {},
      element(
        'a',
        { href: `/cases/${encodeURIComponent(series.caseName)}` },
        name(series.caseName),
      ),
    ),
    element('p', {}, name(device), ', ', name(series.metricTitle)),
    element(
      'p',
      {},
      element('b', { className: verdictOf(series, change) }, change.words.ratio),
      change.state === 'suspect' ? ' (a suspect: younger than six runs)' : '',
      `: ${withUnit(change.before, unit)} → ${withUnit(change.after, unit)}, since `,
      element('a', { href: `/runs/${String(change.run)}` }, dayAndTime(change.startedAt)),
    ),
    sparkline(
      course.map(({ median }) => median),
      course.findIndex(({ run }) => run === change.run),
    ),
    element('details', {}, element('summary', {}, 'Its runs as a table'), table(series)),
  );
}

/** @param {ChangedSeries} series @param {Change} change */
function verdictOf({ direction }, { ratio }) {
  return ratio > 1 === (direction === 'lower') ? 'slower' : 'faster';
}

/** @param {ChangedSeries} series */
function table({ course, unit, metricTitle }) {
  return element(
    'table',
    {},
    element('caption', { className: 'unseen' }, `Medians of ${metricTitle} run by run`),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, 'Run'),
        element('th', { scope: 'col', className: 'n' }, 'Median'),
      ),
    ),
    element(
      'tbody',
      {},
      ...course.map(({ run, startedAt, median }) =>
        element(
          'tr',
          {},
          element(
            'th',
            { scope: 'row' },
            element('a', { href: `/runs/${String(run)}` }, dayAndTime(startedAt)),
          ),
          element('td', { className: 'n' }, withUnit(median, unit)),
        ),
      ),
    ),
  );
}
