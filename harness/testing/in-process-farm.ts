import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { runCommandLine } from '../core/cli/command-line.ts';
import type { CommandEntry } from '../core/cli/index.ts';
import { commands as farmCommands } from '../features.ts';
import type { Io } from '../core/cli/io.ts';
import type { DriverLoader } from '../core/setup/presence.ts';
import type { FinishedCommand } from './farm.ts';

/** The surroundings of a command that runs in the process of its test. */
export interface Surroundings {
  /** The farm's own when left out. */
  readonly commands?: readonly CommandEntry[];
  /** Loads the driver of every device; the farm's own when left out. */
  readonly loadDriver?: DriverLoader;
  /** Variables that the command sees besides those of its test. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The answer of the person at the terminal; no terminal when left out. */
  readonly ask?: (question: string) => Promise<boolean>;
  /** Ctrl-C. */
  readonly signal?: AbortSignal;
  /** Takes what is printed, as it is printed. */
  readonly onOutput?: (text: string) => void;
}

let isRunning = false;

/**
 * Runs a command in this process, for tests that need no separate one: from the same arguments to
 * the same output and exit code as the built farm, a second sooner. Output has no colours.
 */
export async function runInProcess(
  folder: string,
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<FinishedCommand> {
  // The current folder and the environment are those of the process.
  if (isRunning) throw new Error('a process runs one command at a time');
  isRunning = true;
  const before = { folder: process.cwd(), environment: process.env };
  process.chdir(folder);
  process.env = { ...before.environment, ...surroundings.environment };
  try {
    return await run(args, surroundings);
  } finally {
    process.chdir(before.folder);
    process.env = before.environment;
    isRunning = false;
  }
}

/** `runInProcess` as `farm` of `farm.ts` is called. */
export function farmInProcess(
  folder: string,
  ...args: readonly string[]
): Promise<FinishedCommand> {
  return runInProcess(folder, args);
}

async function run(args: readonly string[], surroundings: Surroundings): Promise<FinishedCommand> {
  const { commands = farmCommands, loadDriver, ask, onOutput = () => undefined } = surroundings;
  const { signal = new AbortController().signal } = surroundings;
  const [stdout, stderr] = [new Collected(onOutput), new Collected(onOutput)];
  const io: Io = {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    signal,
    ...(loadDriver !== undefined && { loadDriver }),
    dieOfBugs: () => undefined,
    endAnyway: () => undefined,
  };
  const code = await runCommandLine(args, { ...io, commands, ask, open: () => io });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** A stream other than a terminal that remembers its text. */
class Collected extends Writable {
  #written = '';
  readonly #onOutput: (text: string) => void;

  constructor(onOutput: (text: string) => void) {
    super({ decodeStrings: false });
    this.#onOutput = onOutput;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    const text = stripVTControlCharacters(String(chunk));
    this.#written += text;
    this.#onOutput(text);
    done();
  }

  /** Without the last line's end, as execa gives it. */
  text(): string {
    return this.#written.replace(/\n$/, '');
  }
}
