import { element, name } from './element.js';

/**
 * Benchmarks, each with its page to be opened by hand: it runs at once, shows its result, and has
 * fields for its parameters.
 * @param {HTMLElement} place @param {Openable[]} benchmarks @returns {boolean} whether there are any
 */
export function drawBenchmarks(place, benchmarks) {
  place.replaceChildren(
    element(
      'p',
      { className: 'soft' },
      'Each page runs at once with the parameters of its address, has fields for others, and stores nothing.',
    ),
    element(
      'ul',
      { className: 'benchmarks' },
      ...benchmarks.map((one) =>
        element('li', {}, element('b', {}, name(one.title)), ...described(one), links(one)),
      ),
    ),
  );
  return benchmarks.length > 0;
}

/** The first sentence; what else there is to know is folded. @param {Openable} benchmark */
function described({ title, description }) {
  const end = description.indexOf('. ') + 1;
  if (end === 0) return [element('p', {}, name(description))];
  return [
    element('p', {}, name(description.slice(0, end))),
    element(
      'details',
      {},
      element('summary', { 'aria-label': `More about ${title}` }, 'More'),
      element('p', {}, name(description.slice(end + 1))),
    ),
  ];
}

/** @param {Openable} benchmark */
function links({ benchmark, title, parameters, url, tryUrl }) {
  const chosen = Object.entries(parameters).map(([key, value]) => `${key}=${String(value)}`);
  return element(
    'p',
    {},
    element(
      'a',
      { href: url, target: '_blank', rel: 'noopener', 'aria-label': `Open this page: ${title}` },
      'Open this page',
    ),
    ...(chosen.length === 0 ? [] : [' with ', element('code', {}, chosen.join(' '))]),
    ...(tryUrl === null
      ? []
      : [
          ' · ',
          element('a', { href: tryUrl, target: '_blank', rel: 'noopener' }, 'Draw its curves here'),
        ]),
    ' · ',
    element(
      'a',
      {
        href: `/explore?${new URLSearchParams({ benchmark }).toString()}`,
        'aria-label': `Explore ${title}`,
      },
      'Explore',
    ),
  );
}
