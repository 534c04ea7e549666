import { execa } from 'execa';
import { FarmError } from '../../../core/errors.ts';
import { endingAllItStarts } from '../../../core/session/marked-command.ts';
import type { Caller } from '../../../core/app/caller.ts';

/** Where a program runs, and with what. */
export interface Where extends Pick<Caller, 'signal'> {
  readonly cwd: string;
  readonly shell?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** Its standard input; empty when left out. */
  readonly input?: string;
}

/**
 * Runs git, and returns what it prints.
 * @throws FarmError `bad-argument` with git's own words if it fails
 */
export async function git(args: readonly string[], where: Where): Promise<string> {
  const { failed, output } = await run('git', args, where);
  if (!failed) return output;
  const command = args.find((arg, index) => !/^-c$/.test(arg) && args[index - 1] !== '-c') ?? '';
  throw new FarmError('bad-argument', {
    what: `git ${command} failed in ${where.cwd}: ${output}`,
    next: 'Try it by hand. Without git, give folders instead of refs.',
  });
}

/** A hook of git names its repository in these, and git would use that one wherever it is called. */
export const withoutRepository = {
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
};

/** Runs a program to its end. Its output is both streams when it fails, else its standard output. */
export async function run(
  program: string,
  args: readonly string[],
  { signal, cwd, shell = false, environment, input }: Where,
): Promise<{ readonly failed: boolean; readonly output: string }> {
  const ran = await endingAllItStarts(signal, (marks) =>
    execa(program, args, {
      cwd,
      shell,
      all: true,
      reject: false,
      ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
      env: { ...marks, ...withoutRepository, ...environment, GIT_TERMINAL_PROMPT: '0' },
    }),
  );
  signal.throwIfAborted();
  if (!ran.failed) return { failed: false, output: ran.stdout };
  const output = ran.all ?? '';
  return { failed: true, output: output === '' ? (ran.shortMessage ?? '') : output };
}
