import { make } from '../client/element.js';
import { name } from './element.js';

/**
 * Benchmarks, each with its page to be opened by hand: it runs at once, shows its result, and has
 * fields for its parameters.
 * @param {HTMLElement} place @param {Openable[]} benchmarks @param {FilterValues} stored
 * @returns {boolean} whether there are any
 */
export function drawBenchmarks(place, benchmarks, stored) {
  const explorable = stored.benchmarks.filter((one) => one.explorable);
  const names = new Set(explorable.map(({ benchmark }) => benchmark));
  place.replaceChildren(
    make(
      'p',
      { className: 'soft' },
      'Each page runs at once with the parameters of its address, has fields for others, and stores nothing.',
    ),
    make(
      'ul',
      { className: 'benchmarks' },
      ...benchmarks.map((one) =>
        make('li', {}, make('b', {}, name(one.title)), ...described(one), links(one, names)),
      ),
    ),
  );
  return benchmarks.length > 0;
}

/** The first sentence; what else there is to know is folded. @param {Openable} benchmark */
function described({ title, description }) {
  const end = description.indexOf('. ') + 1;
  if (end === 0) return [make('p', {}, name(description))];
  return [
    make('p', {}, name(description.slice(0, end))),
    make(
      'details',
      {},
      make('summary', { 'aria-label': `More about ${title}` }, 'More'),
      make('p', {}, name(description.slice(end + 1))),
    ),
  ];
}

/** @param {Openable} benchmark @param {ReadonlySet<string>} explorable */
function links({ benchmark, title, parameters, url, tryUrl }, explorable) {
  const chosen = Object.entries(parameters).map(([key, value]) => `${key}=${String(value)}`);
  return make(
    'p',
    {},
    make(
      'a',
      { href: url, target: '_blank', rel: 'noopener', 'aria-label': `Open this page: ${title}` },
      'Open this page',
    ),
    ...(chosen.length === 0 ? [] : [' with ', make('code', {}, chosen.join(' '))]),
    ...(tryUrl === null
      ? []
      : [
          ' · ',
          make('a', { href: tryUrl, target: '_blank', rel: 'noopener' }, 'Draw its curves here'),
        ]),
    ...(explorable.has(benchmark)
      ? [
          ' · ',
          make(
            'a',
            {
              href: `/explore?${new URLSearchParams({ benchmark }).toString()}`,
              'aria-label': `Explore ${title}`,
            },
            'Explore',
          ),
        ]
      : []),
  );
}
