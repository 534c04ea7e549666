import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import pc from 'picocolors';
import type { MeasuringCaller } from '../app/caller.ts';
import { type ExitCode, FarmError } from '../errors.ts';
import type { RunListener } from '../run/listener.ts';
import { onlyColoured, plain } from '../run/progress/plain-text.ts';
import type { DriverLoader } from '../setup/presence.ts';

/** The outside world, as a command sees it. */
export interface Io {
  /** Answers: what a script would read. */
  readonly stdout: NodeJS.WriteStream;
  /** Progress, notes and complaints. */
  readonly stderr: NodeJS.WriteStream;
  /** The typed input; that of the process when left out. */
  readonly stdin?: Readable;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Options that the configuration file has set, as they would be typed; none when left out. */
  readonly configured?: readonly string[];
  /** Hears the events of runs, besides what prints them. */
  readonly watcher?: RunListener;
  /** Loads the driver of a device; one of the farm's own when left out. */
  readonly loadDriver?: DriverLoader;
  /** Runs another command of the farm from its arguments. Left out outside of a command. */
  readonly runCommand?: (args: readonly string[]) => Promise<ExitCode>;
  /** Runs another command and reads its answer. Left out outside of a command. */
  readonly callCommand?: CallCommand;
  /**
   * Lets an uncaught exception end the process by a signal. Node.js would end it with 1, which is a
   * verdict of some commands; a scheduler sees a death instead, and begins again.
   */
  readonly dieOfBugs: () => void;
  /** Ends the process in some seconds, although a step of it hangs. */
  readonly endAnyway: (code: ExitCode) => void;
}

/**
 * Runs another command of the farm in this process, and reads its answer. A feature asks another
 * one for its work by this, instead of importing it.
 * @param words as they would be typed after the name of the farm; `--json` is added where it is missing
 * @returns never throws for what the command refuses: that has an exit code and is explained in `text`
 */
export type CallCommand = (
  words: readonly string[],
  heard?: CommandListener,
) => Promise<CalledCommand>;

/** A listener to a command while it works. */
export interface CommandListener {
  /** Ends the command as Ctrl-C does, besides the one of the command that calls. */
  readonly signal?: AbortSignal;
  /** Hears the events of its runs. */
  readonly watcher?: RunListener;
  /** Hears each line of progress, without colours; it may quote a page. */
  readonly onLine?: (line: string) => void;
}

export interface CalledCommand {
  readonly exitCode: ExitCode;
  /** The parsed answer, of lines the last; null if it is not JSON. */
  readonly document: unknown;
  /** Progress, notes and complaints, without colours. */
  readonly text: string;
}

/** Foreign text in it can only colour a terminal; JSON and CSV escape for themselves. */
export function print(io: Pick<Io, 'stdout'>, text: string): void {
  io.stdout.write(`${onlyColoured(text)}\n`);
}

export function note(io: Pick<Io, 'stderr'>, text: string): void {
  io.stderr.write(`${onlyColoured(text)}\n`);
}

/** Says what one may do now: a command for each purpose, in lines below each other. */
export function next(io: Io, commands: Readonly<Record<string, string>>): void {
  for (const [purpose, command] of Object.entries(commands)) {
    note(io, pc.dim(`${purpose}: ${command}`));
  }
}

/** A caller of the library whose sentences are notes: they may quote a page, which may be hostile. */
export function makeCaller(io: Io): MeasuringCaller {
  return {
    signal: io.signal,
    ...(io.loadDriver !== undefined && { loadDriver: io.loadDriver }),
    ...(io.watcher !== undefined && { listener: io.watcher }),
    say: (sentence) => {
      note(io, plain(sentence));
    },
  };
}

/** With the options of the configuration file, where there are some; a list has them in each of its entries. */
export function printJson(io: Pick<Io, 'stdout' | 'configured'>, value: unknown): void {
  const { configured = [] } = io;
  const withOptions = (one: unknown): unknown =>
    typeof one === 'object' && one !== null && configured.length > 0 ? { ...one, configured } : one;
  const shown = Array.isArray(value) ? value.map(withOptions) : withOptions(value);
  // Characters that JSON leaves as they are, and some terminals obey.
  const text = JSON.stringify(shown, null, 2).replaceAll(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  print(io, text);
}

/** The export of a command module: it declares options and an action. */
export interface CommandModule {
  declare(command: Command, run: Runner): void;
}

/** Runs an action and takes its exit code. */
export type Runner = (action: (io: Io) => Promise<ExitCode>) => Promise<void>;

/**
 * Calls `act` when the reader of a stream has gone, as `head` goes when it has seen enough. Any
 * other error of the stream is thrown.
 */
export function whenUnread(stream: NodeJS.WriteStream, act: () => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    act();
  });
}

/** Asks at the terminal, where `y` alone is a yes; undefined without a terminal. */
export function askAtTerminal(): ((question: string) => Promise<boolean>) | undefined {
  const { stdin: input, stderr: output } = process;
  if (!input.isTTY || !output.isTTY) return undefined;
  return async (question) => {
    const { createInterface } = await import('node:readline/promises');
    const lines = createInterface({ input, output });
    const signal = new AbortController();
    lines.once('close', () => {
      signal.abort();
    });
    try {
      const answer = await lines.question(`${question} [y/N] `, { signal: signal.signal });
      return /^y(es)?$/i.test(answer.trim());
    } catch (error) {
      // Ctrl-C and Ctrl-D close the question: that is a no.
      if (signal.signal.aborted) return false;
      throw error;
    } finally {
      lines.close();
    }
  };
}

/**
 * The process's own streams, and a signal that the first Ctrl-C (or SIGTERM) aborts: the run then
 * keeps what is done and ends its browser. A second one ends the farm at once; what it leaves
 * running is ended by the next run.
 */
export function openIo(): Io {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) endAtOnce(signal);
    process.stderr.write(`\n${signal}: ending what is in hand; once more to stop at once\n`);
    controller.abort(interruption(`Interrupted by ${signal}.`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  whenUnread(process.stdout, () => {
    controller.abort(interruption('Nobody reads the answer any more.'));
  });
  const { stdout, stderr } = process;
  return { stdout, stderr, signal: controller.signal, dieOfBugs, endAnyway };
}

function dieOfBugs(): void {
  process.on('uncaughtException', (error) => {
    console.error('crossfarm: this is a bug of the farm; please report it with what follows.');
    console.error(error);
    process.kill(process.pid, 'SIGKILL');
  });
}

function endAnyway(code: ExitCode): void {
  setTimeout(() => process.exit(code), 5_000).unref();
}

function interruption(what: string): FarmError {
  return new FarmError('run-interrupted', { what, next: 'Trials that had ended are kept.' });
}

/** Not by `process.exit`, which waits for threads: SQLite may be in one of them with no end in sight. */
function endAtOnce(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
