import { inheritedFrom } from '../model/environment-variables.ts';

export interface AskOptions {
  readonly timeoutMs: number;
  /** Folder in which it runs; the current one when left out. */
  readonly cwd?: string;
  /** Most characters of its answer. */
  readonly maxBuffer?: number;
}

export interface ProgramAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly failed: boolean;
  /** Why it failed, in a sentence of the system's; empty when it did not. */
  readonly why: string;
}

/**
 * Runs a program for what it prints, such as its version. A foreign browser or program gets the
 * variables that it gets in a trial, and no secret of the farm's environment.
 */
export async function askProgram(
  program: string,
  args: readonly string[],
  { timeoutMs, cwd, maxBuffer = 2 ** 20 }: AskOptions,
): Promise<ProgramAnswer> {
  const { execa } = await import('execa');
  const { stdout, stderr, failed, shortMessage } = await execa(program, args, {
    reject: false,
    timeout: timeoutMs,
    stdin: 'ignore',
    maxBuffer,
    env: inheritedFrom(process.env),
    extendEnv: false,
    ...(cwd !== undefined && { cwd }),
  });
  return { stdout, stderr, failed, why: shortMessage ?? '' };
}

export interface InstallerOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Folder in which it runs; the current one when left out. */
  readonly cwd?: string;
  /** Variables that it gets in addition to the farm's. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface InstallerAnswer extends Pick<ProgramAnswer, 'stdout' | 'stderr' | 'failed'> {
  readonly timedOut: boolean;
}

/**
 * Runs an installer of the system's or the user's own, such as npm, apt-get or a compiler. It gets
 * the whole environment: that has its proxies, mirrors and tokens.
 */
export async function runInstaller(
  program: string,
  args: readonly string[],
  { timeoutMs, signal, cwd, environment = {} }: InstallerOptions,
): Promise<InstallerAnswer> {
  const { execa } = await import('execa');
  const { stdout, stderr, failed, timedOut, shortMessage } = await execa(program, args, {
    reject: false,
    timeout: timeoutMs,
    cancelSignal: signal,
    stdin: 'ignore',
    maxBuffer: 64 * 2 ** 20,
    env: environment,
    ...(cwd !== undefined && { cwd }),
  });
  // A program that cannot be started prints nothing.
  const words = stderr === '' && failed ? (shortMessage ?? '') : stderr;
  return { stdout, stderr: words, failed, timedOut };
}
