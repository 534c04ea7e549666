import { element, name } from './element.js';
import { counted, dayAndTime } from './text.js';

/** A browser opens six connections to one host, and the page needs some itself. */
const mostFollowed = 3;

/**
 * Follows the runs that are going on, until each has ended.
 * @param {HTMLElement} place
 * @param {NamedRun[]} runs
 * @param {(run: number) => void} ended
 */
export function followRuns(place, runs, ended) {
  const running = runs.filter(({ status }) => status === 'running').slice(0, mostFollowed);
  place.replaceChildren();
  place.hidden = running.length === 0;
  for (const { run } of running) place.append(follow(run, ended));
}

/** @param {number} run @param {(run: number) => void} ended */
function follow(run, ended) {
  const bar = element('progress', { max: 1, value: 0 });
  bar.setAttribute('aria-label', `Progress of run ${String(run)}`);
  const words = element('p', {}, `Run ${String(run)} …`);
  const box = element('div', { className: 'running' }, words, bar);
  const events = new EventSource(`api/v1/runs/${String(run)}/events`);
  events.addEventListener('progress', (event) => {
    /** @type {Progress} */
    const progress = JSON.parse(event.data);
    const { planned, completed, failed, timedOut, skipped } = progress.counts;
    const done = completed + failed + timedOut + skipped;
    bar.max = Math.max(1, planned);
    bar.value = done;
    words.replaceChildren(...sentence(progress, done));
    if (progress.status === 'running') return;
    events.close();
    ended(run);
  });
  events.addEventListener('error', () => {
    // A stream that was refused, or whose server has gone, is not asked for again.
    if (events.readyState !== EventSource.CLOSED) return;
    words.append(' It cannot be followed any more: open the page anew.');
  });
  return box;
}

/** @param {Progress} progress @param {number} done */
function sentence({ run, status, counts, recent }, done) {
  const bad = counts.failed + counts.timedOut;
  const [last] = recent;
  const state = status === 'running' ? 'is going on' : `has been ${status}`;
  return [
    `Run ${String(run)} ${status === 'finished' ? 'has finished' : state}: ${String(done)} of ${counted(counts.planned, 'trial')}${bad > 0 ? `, ${String(bad)} of them failed or timed out` : ''}. `,
    ...(last === undefined
      ? []
      : [
          'Last: ',
          name(last.case),
          ' on ',
          name(last.device),
          `, ${dayAndTime(last.startedAt)} UTC.`,
        ]),
  ];
}
