import { readCase, readCaseTrials } from './api.js';
import { make } from '../client/element.js';
import { byId, name, showMarkup } from './element.js';
import { counted, dayAndTime, withUnit } from './text.js';
import { printable } from '../client/printable.js';

/** The page of a case: what one run says of it, before it is shown over all of them. */

/** The answer that is shown: a filter changes what is below it. */
let shown = '';

/**
 * Shows a case in the run that the address names, or in the newest.
 * @param {State} state @param {AbortSignal} signal
 */
export async function tellCase({ case: one, run }, signal) {
  const wanted = `${one}\n${run}`;
  if (wanted === shown && byId('found').childElementCount > 0) return;
  byId('title').textContent = printable(one);
  const answer = await readCase({ case: one, run }, signal);
  if (signal.aborted) return;
  shown = wanted;
  byId('title').textContent = printable(answer.heading ?? one);
  document.title = `${printable(one)} · crossfarm`;
  byId('place').replaceChildren(
    name(one),
    ' in ',
    make('a', { href: `/runs/${String(answer.run)}` }, `run ${String(answer.run)}`),
    `, ${dayAndTime(answer.startedAt)} UTC`,
  );
  showMarkup(byId('found'), answer.found);
  const trials = await readCaseTrials(one, answer.run, signal);
  if (!signal.aborted) byId('trials').replaceChildren(listOf(trials));
}

/** Every trial with its page, by browser. @param {ListedTrial[]} trials */
function listOf(trials) {
  const browsers = [...new Set(trials.map(({ deviceName }) => deviceName))];
  return make(
    'details',
    { className: 'fold' },
    make('summary', {}, `Pages of ${counted(trials.length, 'trial')}`),
    make(
      'dl',
      { className: 'facts' },
      ...browsers.flatMap((browser) => [
        make('dt', {}, name(browser)),
        make('dd', {}, ...trials.filter((one) => one.deviceName === browser).flatMap(linkTo)),
      ]),
    ),
  );
}

/** @param {ListedTrial} trial */
function linkTo({ trial, outcome, quarantine, values: [first] }) {
  const value = first === undefined ? outcome : withUnit(first.value, first.unit);
  const text = quarantine.length > 0 ? `${value} (excluded)` : value;
  return [make('a', { href: `/trials/${String(trial)}` }, text), ' '];
}
