import { printable } from '../client/printable.js';
import { counted } from './text.js';

/** The choice of the summaries, and the notes for their chart. */

/** @param {Summary[]} summaries @param {State} state @param {Benchmark} benchmark */
export function chosen(summaries, state, { growthOver }) {
  return summaries.filter(({ parameters }) => {
    const n = growthOver === null ? null : Number(parameters[growthOver]);
    if (state.largest !== '' && n !== null && n > Number(state.largest)) return false;
    return Object.entries(state.parameters).every(
      ([parameter, value]) =>
        value === '' ||
        !(parameter in parameters) ||
        value.split(',').includes(String(parameters[parameter])),
    );
  });
}

/** @param {Summary} summary */
export function targetLabel({ deviceName, version, driver }) {
  // A build is called by its version.
  const isInName = version === null || deviceName.endsWith(` ${version}`);
  return printable(`${deviceName}${isInName ? '' : ` ${version}`}, ${driver}`);
}

/**
 * Sentences about data that the picture cannot show, or shows less well than it seems.
 * @param {Summary[]} summaries
 * @param {{ state: State; complete: boolean }} options
 */
export function notesOf(summaries, { state, complete }) {
  const notes = [];
  if (!complete) {
    notes.push(
      `Only the first ${counted(summaries.length, 'series', 'series')} could be read: narrow the filters to see the others.`,
    );
  }
  const missing = summaries.filter(({ statistics }) => statistics === null);
  const waiting = missing.filter(({ planned, notCompleted }) => planned > notCompleted);
  if (waiting.length > 0) {
    notes.push(
      `${counted(waiting.length, 'series has', 'series have')} no value yet: trials are planned and have not ended.`,
    );
  }
  if (missing.length > waiting.length) {
    notes.push(
      `${counted(missing.length - waiting.length, 'series has', 'series have')} no value: no trial completed.`,
    );
  }
  const spoilt = summaries.filter(({ fromQuarantined }) => fromQuarantined);
  if (spoilt.length > 0) {
    notes.push(
      `${counted(spoilt.length, 'series rests', 'series rest')} on excluded trials alone: the machine was busy, and the values do not count.`,
    );
  }
  const few = summaries.filter(({ statistics }) => (statistics?.confidence ?? 1) < 0.95);
  if (few.length > 0 && state.statistic === 'median') {
    notes.push(
      `${counted(few.length, 'interval covers', 'intervals cover')} less than 95 %: six trials are the fewest that can do better.`,
    );
  }
  if (state.statistic !== 'median') {
    notes.push(`A ${state.statistic} is shown without an interval: the farm has one for medians.`);
  }
  if (state.average !== '') {
    notes.push(
      'A mean over browsers counts each browser once, and has no interval: it describes those that were measured, and no other.',
    );
  }
  const nothing = summaries.filter(
    ({ statistics }) => statistics !== null && statistics[state.statistic] <= 0,
  );
  if (nothing.length > 0 && state.scale === 'log') {
    notes.push(
      `${counted(nothing.length, 'value is', 'values are')} not positive and cannot stand on a logarithmic scale; the table has them.`,
    );
  }
  return notes;
}
