import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import type { LaunchOptions } from '../driver.ts';

/** A program that a driver started, in its own process group. */
export interface ChildProgram {
  readonly pid: number;
  /** Why it ended, as a sentence with its last words. Never rejects. */
  readonly ended: Promise<string>;
  /** The end of what it wrote to standard error. */
  lastWords(): string;
  /** Ends its whole process group: politely, and after `patienceMs` by force. */
  end(patienceMs: number): Promise<void>;
}

export interface ChildOptions {
  readonly environment: LaunchOptions['environment'];
  /** Its name in messages; that of its file when left out. */
  readonly name?: string;
  /** Called with each piece of standard error. */
  readonly onOutput?: (text: string) => void;
}

const keptCharacters = 2000;

/**
 * Starts a program with exactly the given environment.
 * @throws an Error when it cannot be started at all.
 */
export async function startProgram(
  path: string,
  args: readonly string[],
  { environment, onOutput, name = basename(path) }: ChildOptions,
): Promise<ChildProgram> {
  const child = spawnProgram(path, args, environment);
  const { pid } = child;
  if (pid === undefined) throw new Error((await child).shortMessage);
  const lastWords = keepTail(child.stderr, onOutput);
  const ended = waitForExit(child).then((how) => {
    const words = lastWords();
    return `${name} ended ${how}${words === '' ? '' : `: ${words}`}`;
  });
  return { pid, ended, lastWords, end: (patienceMs) => endGroup(pid, ended, patienceMs) };
}

function spawnProgram(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  return execa(path, args, {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    env,
    extendEnv: false,
    reject: false,
    buffer: false,
    // A Ctrl-C in the farm's terminal must not reach the browser before the farm ends it.
    detached: process.platform !== 'win32',
    cleanup: false,
  });
}

function keepTail(output: Readable, onOutput?: (text: string) => void): () => string {
  let tail = '';
  output.setEncoding('utf8');
  output.on('data', (text: string) => {
    tail = (tail + text).slice(-keptCharacters);
    onOutput?.(text);
  });
  return () => {
    const lines = tail.trim().split('\n');
    // Node.js prints its version last, after an uncaught error.
    const telling = lines.findLast((line) => /^\w*Error: /.test(line)) ?? lines.at(-1);
    return telling?.slice(0, 300) ?? '';
  };
}

/**
 * Waits for the program itself, not for its pipe: a helper that outlives the program holds the pipe
 * open, and execa's own promise would then wait for it (seen with MiniBrowser behind a killed
 * WebKitWebDriver). A moment is left for last words.
 */
async function waitForExit(child: ReturnType<typeof spawnProgram>): Promise<string> {
  const how = await new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(code === null ? `by ${String(signal)}` : `with ${String(code)}`);
    });
  });
  await new Promise((resolve) => {
    child.stderr.once('close', resolve);
    setTimeout(resolve, 100).unref();
  });
  child.stderr.destroy();
  return how;
}

async function endGroup(pid: number, ended: Promise<string>, patienceMs: number): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  const timer = setTimeout(() => {
    signalGroup(pid, 'SIGKILL');
  }, patienceMs);
  await ended;
  clearTimeout(timer);
  // Helpers of a program that went at once may not have noticed yet.
  signalGroup(pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** True if a process lives; one that is dead but not yet collected by its parent does not. */
export function isLiving(pid: number): boolean {
  if (process.platform === 'linux') return !/^(?:$|.*\) [ZX])/s.test(readStat(pid));
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Children of a process, then theirs, down to the given generation, on Linux; elsewhere none are
 * known.
 */
export function listDescendants(pid: number, generations: number): readonly number[] {
  if (generations === 0) return [];
  const children = listChildren(pid);
  return [...children, ...children.flatMap((child) => listDescendants(child, generations - 1))];
}

/**
 * Children of a process, on Linux; elsewhere none are known. Linux lists them by the thread that
 * started them: chromedriver starts its browser in another one than the first.
 */
export function listChildren(pid: number): readonly number[] {
  if (process.platform !== 'linux') return [];
  try {
    const tasks = `/proc/${String(pid)}/task`;
    return readdirSync(tasks).flatMap((thread) => listChildrenOfThread(`${tasks}/${thread}`));
  } catch {
    return [];
  }
}

/** A thread may end while the others are asked: its children are then those of another. */
function listChildrenOfThread(task: string): readonly number[] {
  try {
    const text = readFileSync(`${task}/children`, 'utf8');
    return text.trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
