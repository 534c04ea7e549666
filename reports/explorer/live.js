import { readJoining, readRunning } from './api.js';
import { make } from '../client/element.js';
import { name } from './element.js';
import { counted, dayAndTime, duration } from './text.js';

/** A browser opens six connections to one host, and the page needs some itself. */
const mostFollowed = 3;

/** A run takes minutes, so this is soon enough. */
const lookEveryMs = 10_000;

/** The server of a run ends seconds after it. */
const askEveryMs = 3_000;

/**
 * Shows runs in progress, also later ones, while the page is visible.
 * @param {{ runs: HTMLElement; joining: HTMLElement; ended(run: number): void; began?(): void }} places
 */
export function watch({ runs, joining, ended, began }) {
  const follower = followerOf(runs, ended);
  let mayJoin = true;
  let looks = 0;
  const look = async () => {
    if (document.hidden) return;
    try {
      const isNew = follower.show((await readRunning(mostFollowed)).map(({ id }) => id));
      looks += 1;
      // Those of the first look were there when the page was drawn.
      if (isNew && looks > 1) began?.();
      if (mayJoin) mayJoin = showJoining(joining, await readJoining());
    } catch {
      follower.say('The farm does not answer: is npx crossfarm serve still running?');
    }
  };
  document.addEventListener('visibilitychange', () => void look());
  setInterval(() => void look(), lookEveryMs);
  return look();
}

/**
 * Says where a device can join; false where none ever can.
 * @param {HTMLElement} place @param {{ screen: string | null } | null} joining
 */
function showJoining(place, joining) {
  place.hidden = joining === null;
  if (joining === null) return false;
  const { screen } = joining;
  const known = place.querySelector('a')?.getAttribute('href') ?? null;
  if (place.childElementCount > 0 && known === screen) return true;
  place.replaceChildren(
    make(
      'p',
      { className: 'running' },
      ...(screen === null
        ? ['A device has joined and is measured: the next one can join after it.']
        : [
            'Other devices may join: the ',
            make('a', { href: screen, target: '_blank', rel: 'noopener' }, 'join page'),
            ' shows a code, and a device of the same network that scans it is measured in a run of its own.',
          ]),
    ),
  );
  return true;
}

/** @param {HTMLElement} place @param {(run: number) => void} ended */
function followerOf(place, ended) {
  /** @type {Map<number, { box: HTMLElement; isOver: boolean }>} */
  const followed = new Map();
  const trouble = make('p', { className: 'soft' });
  const say = (/** @type {string} */ sentence) => {
    if (trouble.textContent !== sentence) trouble.textContent = sentence;
    if (sentence === '') trouble.remove();
    else place.append(trouble);
    place.hidden = followed.size === 0 && sentence === '';
  };
  return {
    say,
    /** @param {number[]} running @returns {boolean} whether one of them is new here */
    show(running) {
      const fresh = running.filter((run) => !followed.has(run));
      // A run that has ended stays on the page until another begins.
      for (const [run, { box, isOver }] of followed) {
        if (!isOver || fresh.length === 0) continue;
        box.remove();
        followed.delete(run);
      }
      for (const run of fresh) {
        if (followed.size >= mostFollowed) break;
        const one = { box: make('div'), isOver: false };
        one.box = follow(run, () => {
          one.isOver = true;
          ended(run);
        });
        followed.set(run, one);
        place.append(one.box);
      }
      say('');
      return fresh.length > 0;
    },
  };
}

/**
 * Shows one run in progress, on its own page.
 * @param {HTMLElement} place @param {number} run
 * @param {{ ended(): void; news(progress: Progress): void }} told
 */
export function watchRun(place, run, { ended, news }) {
  place.replaceChildren(follow(run, ended, news));
  sayWhenAlone(place);
  place.hidden = false;
}

/** Says that the server has ended, as that of a run does, and takes away links that lead nowhere. @param {HTMLElement} place */
function sayWhenAlone(place) {
  const timer = setInterval(() => {
    readRunning(1).catch((/** @type {unknown} */ error) => {
      // An answer that is an error comes from a server.
      if (!(error instanceof TypeError)) return;
      clearInterval(timer);
      for (const link of document.querySelectorAll('a[href]:not([href^="#"])'))
        link.removeAttribute('href');
      const command = make('code', {}, 'npx crossfarm serve');
      const sentence = 'The server of this page has ended: ';
      place.append(make('p', {}, sentence, command, ' shows the run again.'));
    });
  }, askEveryMs);
}

/** @param {number} run @param {() => void} ended @param {(progress: Progress) => void} [news] */
function follow(run, ended, news) {
  const bar = make('progress', { max: 1, value: 0 });
  bar.setAttribute('aria-label', `Progress of run ${String(run)}`);
  const words = make('p', {}, `Run ${String(run)} …`);
  const box = make('div', { className: 'running' }, words, bar);
  const events = new EventSource(`/api/v1/runs/${String(run)}/events`);
  events.addEventListener('progress', (event) => {
    /** @type {Progress} */
    const progress = JSON.parse(event.data);
    showShare(bar, progress);
    words.replaceChildren(...sentence(progress));
    news?.(progress);
    if (progress.status === 'running') return;
    events.close();
    ended();
  });
  events.addEventListener('error', () => {
    // A stream that was refused, or whose server has gone, is not asked for again.
    if (events.readyState !== EventSource.CLOSED) return;
    words.append(' It cannot be followed any more: open the page anew.');
  });
  return box;
}

/** Skipped trials take no time, so that they count neither here nor in the total. @param {Progress} progress */
function countDone({ counts: { completed, failed, timedOut } }) {
  return completed + failed + timedOut;
}

/** @param {Progress} progress */
function countPlanned({ counts, stage }) {
  return stage?.most.trials ?? counts.planned - counts.skipped;
}

/**
 * The share of a run that is done: by its trials, and of one that ends when all is decided by its time.
 * @param {HTMLProgressElement} bar @param {Progress} progress
 */
function showShare(bar, progress) {
  const { status, stage, startedAt, leftMs } = progress;
  const isOver = status !== 'running';
  if (isOver || stage?.endsEarly !== true) {
    bar.max = Math.max(1, isOver ? countDone(progress) : countPlanned(progress));
    bar.value = countDone(progress);
  } else if (leftMs === null) bar.removeAttribute('value');
  else {
    const spent = Math.max(0, Date.now() - Date.parse(startedAt));
    bar.max = Math.max(1, spent + leftMs);
    bar.value = spent;
  }
}

/** "31 of 104 trials", and of a run that ends when all is decided "31 trials in 8 blocks". @param {Progress} progress */
function amount(progress) {
  const { status, stage, counts } = progress;
  const done = countDone(progress);
  if (stage?.endsEarly === true) {
    return `${counted(done, 'trial')} in ${counted(stage.blocks, 'block')}`;
  }
  const skipped =
    counts.skipped > 0 ? ` (${counts.skipped.toLocaleString('en')} more skipped)` : '';
  const planned = status === 'finished' ? counts.planned - counts.skipped : countPlanned(progress);
  return `${done.toLocaleString('en')} of ${counted(planned, 'trial')}${skipped}`;
}

/** @param {Progress} progress */
function sentence(progress) {
  const { run, status, counts, recent, leftMs } = progress;
  const bad = counts.failed + counts.timedOut;
  const [last] = recent;
  const state = status === 'running' ? 'is going on' : `has been ${status}`;
  return [
    make('a', { href: `/runs/${String(run)}` }, `Run ${String(run)}`),
    ` ${status === 'finished' ? 'has finished' : state}: ${amount(progress)}${bad > 0 ? `, ${String(bad)} of them failed or timed out` : ''}${leftMs === null || leftMs === 0 ? '' : `, about ${duration(leftMs)} left`}. `,
    ...(last === undefined
      ? []
      : [
          'Last: ',
          make('a', { href: `/trials/${String(last.trial)}` }, name(last.case)),
          ' on ',
          name(last.device),
          `, ${dayAndTime(last.startedAt)} UTC.`,
        ]),
  ];
}
