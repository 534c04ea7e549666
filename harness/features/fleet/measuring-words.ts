import { FarmError } from '../../core/errors.ts';
import { plain } from '../../core/run/progress/plain-text.ts';

/** Commands that measure on one host, by their first words. */
const measuring: readonly string[] = [
  ...['compare', 'run', 'bisect', 'continue', 'nightly'],
  ...['claims reproduce', 'reproduce', 'findings reproduce', 'engines sweep', 'sweep'],
];

/**
 * Options that say what is measured, and how. All others are refused: they may run programs, open the
 * host to others, or read and write files, with the rights of the worker that whoever submits has not.
 */
const allowed: ReadonlySet<string> = new Set(
  `a-bench a-build a-cores a-driver a-param aa accept-status allow-contention analysis-budget
  anew as b-bench b-build b-cores b-driver b-param begin bench blame browsers budget builds
  coarse cores cpu-throttling deadline despite-errors dev device drivers error-rate expect
  fail-on higher isolation json margin max-blocks measure measurement network no-aa no-blame
  no-isolation no-probes no-repeat no-report page param precision probe reference seed spa
  suite to trials unit until warm without`.split(/\s+/),
);

const mostWords = 100;
const longestWord = 2_000;

/** True for what goes on unattended, and lets a person's comparison go first. */
export function isForNight([command]: readonly string[]): boolean {
  return command === 'nightly';
}

/**
 * Checks the words of a job, where it is submitted and again where it runs.
 * @throws FarmError `bad-argument`
 */
export function requireMeasuring(words: readonly string[]): void {
  const [first = '', second = ''] = words;
  const isKnown = measuring.includes(first) || measuring.includes(`${first} ${second}`);
  if (!isKnown || (first === 'nightly' && /^(install|history)$/.test(second))) {
    throw new FarmError('bad-argument', {
      what: `A job is a command that measures, and "${plain(first).slice(0, 60)}" is none.`,
      next: `Submit one of ${measuring.filter((one) => !/^(reproduce|sweep)$/.test(one)).join(', ')}.`,
    });
  }
  if (
    words.length > mostWords ||
    words.some((word) => word.length > longestWord || word.includes('\0'))
  ) {
    throw new FarmError('bad-argument', {
      what: `A job has at most ${String(mostWords)} words of ${String(longestWord)} characters.`,
      next: 'Put what is longer into a page or a suite of the host.',
    });
  }
  // Also behind `--`: an option takes that as its value, and the next word is an option again.
  const option = words.find(
    (word) => word.startsWith('-') && !allowed.has(word.replace(/^--|=.*$/gs, '')),
  );
  if (option === undefined) return;
  throw new FarmError('bad-argument', {
    what: `A job cannot set ${plain(option).replace(/=.*$/s, '').slice(0, 60)}: it may say what is measured and how, and nothing of the host's programs and files.`,
    next: 'Set it there, in crossfarm.config.json of the folder in which the worker runs.',
  });
}
