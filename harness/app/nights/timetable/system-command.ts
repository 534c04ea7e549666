import { FarmError } from '../../../errors.ts';
import type { SystemCommand } from './install.ts';

const deadlineMs = 30_000;

/** What `SystemCommand` says, with the programs of this machine. */
export const runSystemCommand: SystemCommand = async (
  [program = '', ...args],
  { input, emptyWhen } = {},
) => {
  const { execa } = await import('execa');
  const { failed, stdout, stderr, shortMessage } = await execa(program, args, {
    reject: false,
    timeout: deadlineMs,
    stripFinalNewline: false,
    // Failures are told apart by their words.
    env: { LC_ALL: 'C' },
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
  });
  if (!failed) return stdout;
  const said = stderr.trim();
  const words = said === '' ? (shortMessage ?? 'it did not say why') : said;
  if (emptyWhen?.test(words) === true) return '';
  throw new FarmError('setup-failed', {
    what: `${[program, ...args].join(' ')} failed: ${words.split('\n').at(-1) ?? ''}.`,
    next: 'Choose another way with --with systemd, cron or launchd; --print shows what to install by hand.',
  });
};
