import { FarmError } from '../../errors.ts';
import { runInstaller } from '../ask-program.ts';
import { findOnPath } from '../executable.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

export interface Asking {
  readonly signal: AbortSignal;
  /** Folder in which the client runs. */
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

/** A download of 100 MB on a slow line, and no client that hangs. */
const patienceMs = 10 * 60_000;

/**
 * Runs the client of a registry to its end.
 * @returns what it printed
 * @throws FarmError `setup-failed` with its own words, `disk-full`
 */
export async function askClient(
  command: readonly string[],
  { signal, cwd, timeoutMs = patienceMs }: Asking,
): Promise<string> {
  const [name = '', ...args] = command;
  const program = findOnPath([name]);
  if (program === null) throw refused(command, 'it is not on PATH');
  const where = cwd === undefined ? {} : { cwd };
  const ran = await runInstaller(program, args, { timeoutMs, signal, ...where });
  refuseInterrupted(signal);
  if (!ran.failed) return ran.stdout;
  if (ran.timedOut) throw refused(command, `no end after ${String(timeoutMs / 60_000)} minutes`);
  throw refused(command, `${ran.stderr}\n${ran.stdout}`);
}

/** @throws FarmError `run-interrupted` after an abort */
export function refuseInterrupted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new FarmError('run-interrupted', {
    what: 'Interrupted while builds were fetched.',
    next: 'Complete downloads are kept; the same command fetches the rest.',
  });
}

function refused(command: readonly string[], words: string): FarmError {
  const isFull = /ENOSPC|no space left/i.test(words);
  return new FarmError(isFull ? 'disk-full' : 'setup-failed', {
    what: `${command.slice(0, 3).join(' ')} failed: ${tellingLines(words)}`,
    next: isFull ? 'Make room, or name a folder elsewhere: CROSSFARM_BUILDS.' : nextFor(words),
  });
}

function nextFor(words: string): string {
  return /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|Could not resolve/i.test(words)
    ? `The registry cannot be reached: builds that are here can be used (${npxCrossfarm} engines list --here).`
    : 'Try again; what was fetched whole stays.';
}

/** The lines that name the error, without what npm says of its log. */
function tellingLines(words: string): string {
  const lines = words
    .split('\n')
    .map((line) => line.replace(/^(npm (error|ERR!)|[EW]:)\s*/, '').trim())
    .filter(
      (line) =>
        line !== '' && !/complete log|_logs|^npm (notice|warn)|^(code|syscall|errno) /i.test(line),
    );
  return lines.slice(0, 3).join(' ').slice(0, 400) || 'it said nothing';
}
