import { FarmError } from '../../core/errors.ts';
import { plain } from '../../core/run/progress/plain-text.ts';

/** Commands that measure on one host, by their first words. */
const measuring: readonly string[] = [
  ...['compare', 'run', 'bisect', 'continue', 'nightly'],
  ...['claims reproduce', 'reproduce', 'findings reproduce', 'engines sweep', 'sweep'],
];

/**
 * Options that run programs, open the host to others, or read and write files of its owner's choice: a
 * job has the rights of the worker, and whoever submits it has not.
 */
const refused =
  /^--(build|(?:[ab]-)?(?:executable|flag)|trust(?:-folder)?|inventory|database|pages|with|lan|header|cookie|basic-auth|insecure|ca|input|out|report|backup|import|open|port|email|webhook|farm|continue|take-over)$/;

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
  const option = words.find((word) => refused.test(word.replace(/=.*$/s, '')));
  if (option === undefined) return;
  throw new FarmError('bad-argument', {
    what: `A job cannot set ${plain(option).replace(/=.*$/, '')}: on the host it leads to programs or files of its owner.`,
    next: 'Set it there, in crossfarm.config.json of the folder in which the worker runs.',
  });
}
