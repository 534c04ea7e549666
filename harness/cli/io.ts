import type { Command } from 'commander';
import type { Caller } from '../app/caller.ts';
import type { ExitCode } from '../errors.ts';

/** What a command may touch of the outside world. */
export interface Io {
  /** Answers: what a script would read. */
  readonly stdout: NodeJS.WriteStream;
  /** Progress, notes and complaints. */
  readonly stderr: NodeJS.WriteStream;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
}

export function print(io: Io, text: string): void {
  io.stdout.write(`${text}\n`);
}

export function note(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}

/** A caller of the library whose sentences are notes. */
export function callerOf(io: Io): Caller {
  return {
    signal: io.signal,
    say: (sentence) => {
      note(io, sentence);
    },
  };
}

export function printJson(io: Io, value: unknown): void {
  print(io, JSON.stringify(value, null, 2));
}

/** What a command module exports: it fills in its own options, and does its work. */
export interface CommandModule {
  declare(command: Command, run: Runner): void;
}

/** Runs an action and takes its exit code. */
export type Runner = (action: (io: Io) => Promise<ExitCode>) => Promise<void>;
