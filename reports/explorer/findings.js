import { make } from '../client/element.js';
import { name } from './element.js';
import { counted, withUnit } from './text.js';

/** The analysis of the shown run, with the digits of the report; nothing is decided here. */

/** @param {{ targetId: string; caseName: string }} place @param {string} metric */
function keyOf({ targetId, caseName }, metric) {
  return [caseName, metric, targetId].join('\n');
}

/** @param {Summary} summary */
function keyOfSummary({ case: caseName, device: targetId, metric }) {
  return keyOf({ caseName, targetId }, metric);
}

/** @param {Findings} findings @returns {FindingsIndex} */
export function indexFindings({ baseline, rows, pairs }) {
  const cells = new Map(
    rows.flatMap(({ caseName, metric, cells: all }) =>
      all.flatMap((cell) =>
        cell.kind === 'measured'
          ? [/** @type {const} */ ([keyOf({ ...cell, caseName }, metric), cell])]
          : [],
      ),
    ),
  );
  const compared = new Map(pairs.map((pair) => [keyOf(pair.a, pair.metric), pair]));
  return {
    isBaseline: ({ device }) => device === baseline,
    measured: (summary) => cells.get(keyOfSummary(summary)) ?? null,
    pair: (summary) => compared.get(keyOfSummary(summary)) ?? null,
  };
}

/**
 * Describes a series against the baseline: verdict as symbol and word, ratio, and their evidence.
 * @param {FindingsIndex} index @param {Summary} summary @returns {(Node | string)[]}
 */
export function relation(index, summary) {
  if (index.isBaseline(summary)) return [make('span', { className: 'soft' }, 'baseline')];
  const pair = index.pair(summary);
  if (pair === null) return ['—'];
  const { verdict, ratio, interval, note } = pair.words;
  const behind = [interval, note].filter(Boolean).join(', ');
  return [
    make('b', { className: pair.verdict }, verdict),
    ` ${ratio}`,
    ...(behind === '' ? [] : [make('small', {}, behind)]),
  ];
}

/**
 * Draws, above the table, the choice of the baseline, and the meaning of the words.
 * @param {HTMLElement} place
 * @param {Findings} findings
 * @param {(baseline: string) => void} choose
 */
export function drawBaseline(place, findings, choose) {
  const found = findings.targets.filter(({ status }) => status === 'found');
  if (found.length < 2 || findings.pairs.length === 0) {
    place.replaceChildren();
    return;
  }
  const hadFocus = document.activeElement?.id === 'baseline';
  const select = make(
    'select',
    { id: 'baseline' },
    ...found.map(({ id, name: deviceName }) => {
      const label = deviceName === id ? id : `${deviceName} (${id})`;
      return make('option', { value: id }, label);
    }),
  );
  select.value = findings.baseline ?? '';
  select.addEventListener('change', () => choose(select.value));
  place.replaceChildren(
    make('label', { htmlFor: 'baseline' }, 'Ratios are set against ', select),
    make('p', { className: 'soft' }, meaningOf(findings)),
  );
  if (hadFocus) select.focus();
}

/** @param {Findings} findings */
function meaningOf({ margin, alpha, smallestBlocks }) {
  const percent = (/** @type {number} */ share) => `${Number((share * 100).toPrecision(3))}\u00a0%`;
  return `▲ faster or ▼ slower: the interval of the ratio excludes 1; = equivalent: it lies within ± ${percent(margin)}; ? undecided: neither, yet. A verdict takes ${counted(smallestBlocks, 'block')}, and all of them together are wrong with a probability of at most ${percent(alpha)}.`;
}

/**
 * Below the table: what failed, how the metric grows, and what to know of the run, each folded.
 * @param {HTMLElement} place
 * @param {Findings} findings
 * @param {Summary[]} shown
 */
export function drawFolds(place, findings, shown) {
  const names = new Map(shown.map(({ device, deviceName }) => [device, deviceName]));
  const label = (/** @type {string} */ device) => name(names.get(device) ?? device);
  place.replaceChildren(
    ...failures(findings, shown, label),
    ...growth(findings, label),
    ...cautions(findings),
  );
}

/** @param {string} title @param {import('../client/element.js').Child[]} content */
function fold(title, ...content) {
  return make('details', { className: 'fold' }, make('summary', {}, title), ...content);
}

/**
 * Of the cases and devices that are shown; a device that is missing skips all cases.
 * @param {Findings} findings @param {Summary[]} shown @param {(device: string) => Node} label
 */
function failures({ troubles, moreTroubles, run }, shown, label) {
  const places = new Set(shown.map((summary) => `${summary.device}\n${summary.case}`));
  const ofShown = troubles.filter((one) => places.has(`${one.targetId}\n${one.caseName}`));
  const others = troubles.length - ofShown.length + moreTroubles;
  if (ofShown.length + others === 0) return [];
  const trials = ofShown.reduce((sum, one) => sum + one.trials, 0);
  return [
    fold(
      trials === 0 ? 'Failures: none of what is shown' : `Failures: ${counted(trials, 'trial')}`,
      make('ul', {}, ...ofShown.map((one) => trouble(one, label))),
      others > 0 &&
        make(
          'p',
          { className: 'soft' },
          `Run ${String(run)} has ${counted(others, 'more entry', 'more entries')} of other cases and devices: `,
          make('a', { href: `api/v1/runs/${String(run)}/findings?limit=1` }, 'all of them'),
          '.',
        ),
    ),
  ];
}

/** @param {Trouble} trouble @param {(device: string) => Node} label */
function trouble({ kind, targetId, caseName, trials, code, message, remedy }, label) {
  return make(
    'li',
    {},
    make('b', { className: 'bad' }, `✗ ${kind}`),
    ` ${counted(trials, 'trial')} of `,
    name(caseName),
    ' on ',
    label(targetId),
    ` (${code}): `,
    make('code', {}, message),
    remedy !== '' && ` ${remedy}`,
  );
}

/** @param {Findings} findings @param {(device: string) => Node} label */
function growth({ growth: charts }, label) {
  const fitted = charts.filter(({ fits }) => fits.length > 0);
  if (fitted.length === 0) return [];
  const lines = fitted.flatMap(({ metric, over, by, fixed, fits, theory }) =>
    fits.map((fit) => {
      const said = theory.find((one) => one.by === fit.by);
      return make(
        'li',
        {},
        label(fit.targetId),
        by === '' ? '' : `, ${by}=${fit.by}`,
        fixed === '' ? '' : `, ${fixed}`,
        `: ${metric.toLowerCase()} `,
        make('b', {}, fit.words.perStep),
        ` for each step of ${over} (${fit.words.interval}, ${counted(fit.points, 'point')})`,
        said === undefined
          ? ''
          : `; in theory ${said.label} ${withUnit(said.perStep, '×').replace('\u00a0', '')}`,
      );
    }),
  );
  return [fold('Growth', make('ul', {}, ...lines))];
}

/** @param {Findings} findings */
function cautions({ cautions: all }) {
  if (all.length === 0) return [];
  const list = make('ul', {}, ...all.map((one) => make('li', {}, one)));
  return [fold(`What to know of this run (${String(all.length)})`, list)];
}
