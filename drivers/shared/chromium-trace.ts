import { open, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { besideTrace, type LaunchOptions } from '../driver.ts';
import { firstLine, runStep } from './step.ts';

/**
 * Chromium's own trace by the DevTools protocol (https://chromedevtools.github.io/devtools-protocol,
 * domain Tracing), the same for every library that lends a session of that protocol with the browser
 * itself. The file is the JSON that ui.perfetto.dev and chrome://tracing open.
 */

/** A session of the DevTools protocol with the browser, as a library lends it. */
export interface BrowserProtocol {
  send(method: string, parameters?: object): Promise<unknown>;
  once(event: string, listener: (parameters: unknown) => void): void;
}

/**
 * Categories that show what runs where: tasks of all threads, JavaScript with its stacks, the
 * collector and its helper threads, and what pages mark by `performance.measure`.
 */
const categories = [
  ...['__metadata', 'toplevel', 'v8', 'v8.execute', 'blink.user_timing', 'devtools.timeline'],
  ...['disabled-by-default-v8.gc', 'disabled-by-default-v8.cpu_profiler'],
];

/**
 * Categories of a profile: stacks ten times a millisecond, what pages mark, tasks, and what the engine
 * and the renderer did besides. Fewer events, so that far longer trials fit.
 */
const categoriesOfProfile = [
  ...['__metadata', 'v8', 'blink.user_timing', 'devtools.timeline'],
  ...['disabled-by-default-devtools.timeline', 'disabled-by-default-v8.cpu_profiler'],
  'disabled-by-default-v8.cpu_profiler.hires',
];

/**
 * The page's timed window is at the end of a trial, so the newest events are the ones to keep. Three
 * seconds of a page that keeps the collector busy make 13 MB of JSON (Chromium 156); 64 MiB of the
 * browser's memory, and not its own 200 MB, bound what closing has to write.
 */
const recording = { recordMode: 'recordContinuously', traceBufferSizeInKb: 64 * 1024 };

/** The oldest events of a profile name its threads and functions. */
const recordingOfProfile = { recordMode: 'recordUntilFull', traceBufferSizeInKb: 400 * 1024 };

/** Settings of the protocol's `Tracing.start`. */
function configureTrace(stacks = false): object {
  return stacks
    ? { ...recordingOfProfile, includedCategories: categoriesOfProfile }
    : { ...recording, includedCategories: categories };
}

/** Together they stay below the minute that a session with a trace may take to close. */
export interface TracePatience {
  /** For Chromium to gather the trace from its processes, in milliseconds. */
  readonly endMs: number;
  /** For reading it, in milliseconds. */
  readonly readMs: number;
}

const usualPatience: TracePatience = { endMs: 30_000, readMs: 20_000 };

/**
 * Begins a trace. The returned function ends the trace and writes it to the file, which exists only
 * when it is whole. A browser that refuses is used without; a file next to it has the reason.
 */
export async function startTrace(
  borrow: () => Promise<BrowserProtocol>,
  { trace: path, stacks }: Pick<LaunchOptions, 'trace' | 'stacks'>,
  patience: TracePatience = usualPatience,
): Promise<() => Promise<void>> {
  if (path === undefined) return () => Promise.resolve();
  try {
    const protocol = await borrow();
    await protocol.send('Tracing.start', {
      transferMode: 'ReturnAsStream',
      traceConfig: configureTrace(stacks),
    });
    return () => writeTrace(protocol, path, patience);
  } catch (error) {
    await writeReason(path, `Chromium refused to begin it: ${firstLine(error)}`);
    return () => Promise.resolve();
  }
}

interface TracedPages {
  readonly borrow: () => Promise<BrowserProtocol>;
  /** Keeps the page in a private context, until the returned function closes that. */
  readonly move: () => Promise<() => Promise<void>>;
}

/**
 * Milliseconds between the birth or the end of a page and a trace: while a process begins or ends,
 * Chromium takes ten seconds to begin one trace in ten (156).
 */
export const settleMs = 500;

/**
 * Traces pages of a browser that goes on. They are opened in a private context, which is closed
 * before the trace ends: while a process lives that began during the trace, Chromium takes five
 * seconds to end every other one (156).
 */
export async function tracePages(
  order: Parameters<typeof startTrace>[1],
  { borrow, move }: TracedPages,
): Promise<() => Promise<void>> {
  // A browser whose owner forbids private windows is traced all the same.
  const comeBack = await move().catch(() => () => Promise.resolve());
  const end = await startTrace(borrow, order);
  return async () => {
    try {
      await comeBack();
    } finally {
      await end();
    }
  };
}

/**
 * A browser that closes is not aborted: the session's patience and the deadlines here are its
 * bounds.
 */
const { signal } = new AbortController();

async function writeTrace(
  protocol: BrowserProtocol,
  path: string,
  { endMs, readMs }: TracePatience,
): Promise<void> {
  const { part } = besideTrace(path);
  const bounds = { code: 'browser-died', signal } as const;
  try {
    const ending = { ...bounds, what: 'Ending the trace', timeoutMs: endMs };
    const stream = await runStep(() => endTrace(protocol), ending);
    const reading = { ...bounds, what: 'Reading the trace', timeoutMs: readMs };
    await runStep((abandoned) => readTrace(protocol, stream, { part, abandoned }), reading);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    await writeReason(path, firstLine(error));
    throw error;
  }
}

/** A reason that cannot be written, as on a full disk, must not keep a browser open. */
async function writeReason(path: string, why: string): Promise<void> {
  await writeFile(besideTrace(path).why, why, { mode: 0o600 }).catch(() => undefined);
}

/** Gives the handle by which the trace is read. */
async function endTrace(protocol: BrowserProtocol): Promise<string> {
  const complete = new Promise<unknown>((resolve) => {
    protocol.once('Tracing.tracingComplete', resolve);
  });
  await protocol.send('Tracing.end');
  const { stream } = (await complete) as { readonly stream?: string };
  if (stream === undefined) throw new Error('Chromium ended its trace and gave none');
  return stream;
}

interface Reading {
  /** Absolute path of the file that is written meanwhile. */
  readonly part: string;
  readonly abandoned: AbortSignal;
}

async function readTrace(
  protocol: BrowserProtocol,
  handle: string,
  { part, abandoned }: Reading,
): Promise<void> {
  const file = await open(part, 'w', 0o600);
  try {
    await drain(protocol, handle, { file, abandoned });
  } finally {
    await file.close();
  }
}

interface Piece {
  readonly data: string;
  readonly eof: boolean;
  readonly base64Encoded?: boolean;
}

const pieceBytes = 2 ** 20;

interface Drain {
  readonly file: FileHandle;
  readonly abandoned: AbortSignal;
}

async function drain(
  protocol: BrowserProtocol,
  handle: string,
  { file, abandoned }: Drain,
): Promise<void> {
  for (;;) {
    abandoned.throwIfAborted();
    const piece = (await protocol.send('IO.read', { handle, size: pieceBytes })) as Piece;
    await file.write(Buffer.from(piece.data, piece.base64Encoded === true ? 'base64' : 'utf8'));
    if (piece.eof) break;
  }
  await protocol.send('IO.close', { handle });
}
