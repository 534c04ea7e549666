import { make } from '../client/element.js';
import { head } from './runs.js';
import { dayAndTime } from './text.js';

/** The calendar of nights: a column for each week, a cell for each day, and a table of them all. */

/** Each has a separate letter: a colour is never the only difference. */
export const statuses = /** @type {const} */ ({
  fine: ['✓', 'fine'],
  attention: ['!', 'wants attention'],
  red: ['✗', 'red'],
  'broken-off': ['—', 'broken off'],
  running: ['…', 'going on'],
});

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const dayMs = 86_400_000;

/** About half a year: more columns would not fit next to each other. */
const mostWeeks = 26;

/** @param {HTMLElement} place @param {Night[]} nights @param {boolean} isEmpty @returns {boolean} whether there is something to show */
export function drawCalendar(place, nights, isEmpty) {
  if (nights.length === 0) {
    place.replaceChildren(
      make(
        'p',
        { className: 'soft' },
        'No night has been measured: ',
        make('code', {}, 'npx crossfarm nightly install --at 02:30'),
        ' begins with the next one.',
      ),
    );
    return !isEmpty;
  }
  const legend = Object.values(statuses).map(([mark, word]) => `${mark} ${word}`);
  place.replaceChildren(
    make('p', { className: 'soft' }, legend.join(' · ')),
    make('div', { className: 'scroll' }, calendarOf(nights)),
    make(
      'details',
      { className: 'fold' },
      make('summary', {}, 'All nights as a table'),
      tableOf(nights),
    ),
  );
  return true;
}

/** Days since 1970, in UTC. @param {string} iso */
function dayOf(iso) {
  return Math.floor(Date.parse(`${iso.slice(0, 10)}T00:00:00Z`) / dayMs);
}

/** 1970 began on a Thursday. @param {number} day */
function weekOf(day) {
  return Math.floor((day + 3) / 7);
}

/** @param {Night[]} nights the newest first */
function calendarOf(nights) {
  // Of several nights of one day the newest stands for it; the table has the others.
  const byDay = new Map([...nights].reverse().map((night) => [dayOf(night.startedAt), night]));
  const days = [...byDay.keys()];
  const last = weekOf(Math.max(...days));
  const first = Math.max(weekOf(Math.min(...days)), last - mostWeeks + 1);
  const weeks = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return make(
    'table',
    { className: 'calendar' },
    make('caption', { className: 'unseen' }, 'Nights by day of the week, a column for each week'),
    make(
      'thead',
      {},
      make('tr', {}, make('td'), ...weeks.map((week, i) => heading(week, weeks[i - 1]))),
    ),
    make(
      'tbody',
      {},
      ...weekdays.map((weekday, i) =>
        make(
          'tr',
          {},
          make('th', { scope: 'row' }, weekday),
          ...weeks.map((week) => dayCell(byDay.get(week * 7 - 3 + i))),
        ),
      ),
    ),
  );
}

/** The month, where it begins. @param {number} week @param {number | undefined} before */
function heading(week, before) {
  const monthOf = (/** @type {number} */ one) =>
    new Date((one * 7 - 3) * dayMs).toLocaleString('en', { month: 'short', timeZone: 'UTC' });
  const day = new Date((week * 7 - 3) * dayMs).toISOString().slice(0, 10);
  const month = monthOf(week);
  const isNew = before === undefined || monthOf(before) !== month;
  return make(
    'th',
    { scope: 'col' },
    make('span', { className: 'unseen' }, `Week of ${day}`),
    isNew && make('span', { 'aria-hidden': 'true' }, month),
  );
}

/** @param {Night | undefined} night */
function dayCell(night) {
  if (night === undefined) return make('td');
  const [mark, word] = statuses[night.status];
  const label = `${night.startedAt.slice(0, 10)}: ${word}`;
  return make(
    'td',
    {},
    make(
      'a',
      {
        href: hrefOf(night),
        className: `night ${night.status}`,
        title: label,
        'aria-label': label,
      },
      mark,
    ),
  );
}

/** @param {Night} night */
function hrefOf({ night }) {
  return `/nights/${encodeURIComponent(night)}`;
}

/** @param {Night[]} nights */
function tableOf(nights) {
  return make(
    'div',
    { className: 'scroll' },
    make(
      'table',
      {},
      make('caption', {}, 'The newest first; times are UTC'),
      head(['Night', 'Outcome', 'Suite', 'Run']),
      make(
        'tbody',
        {},
        ...nights.map((night) =>
          make(
            'tr',
            {},
            make(
              'th',
              { scope: 'row' },
              make('a', { href: hrefOf(night) }, dayAndTime(night.startedAt)),
            ),
            make('td', {}, statuses[night.status][1]),
            make('td', {}, make('bdi', {}, night.suite)),
            make('td', {}, runLink(night.run)),
          ),
        ),
      ),
    ),
  );
}

/** @param {number | null} run */
export function runLink(run) {
  if (run === null) return '—';
  return make('a', { href: `/runs/${String(run)}` }, `Run ${String(run)}`);
}
