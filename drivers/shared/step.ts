import pTimeout from 'p-timeout';
import {
  DriverError,
  type Driver,
  type DriverErrorCode,
  type LaunchOptions,
  type OpenOptions,
  type Session,
} from '../driver.ts';

export interface StepOptions<T> extends OpenOptions {
  /** Name of the step, as the subject of a sentence: "Launching chromium". */
  readonly what: string;
  /** Code of the DriverError that a library's own error becomes. */
  readonly code: DriverErrorCode;
  /** Undoes a step that succeeds after it was abandoned. */
  readonly undo?: (late: T) => unknown;
}

/**
 * Runs one step of a driver in its bounds. The automation libraries know timeouts but not all of
 * them abort signals, and each names its errors differently: only this function has to know that.
 * `abandoned` aborts when the caller has given the step up: it must then start nothing.
 * @throws the signal's reason when aborted; a DriverError `timed-out` or `options.code` otherwise.
 */
export async function runStep<T>(
  start: (abandoned: AbortSignal) => Promise<T>,
  options: StepOptions<T>,
): Promise<T> {
  options.signal.throwIfAborted();
  const { what, signal, timeoutMs } = options;
  const seconds = String(Math.round(timeoutMs / 100) / 10);
  const message = new DriverError('timed-out', `${what} took longer than ${seconds} s`);
  const abandoned = new AbortController();
  const work = start(abandoned.signal).catch((error: unknown) => {
    throw wrapError(error, options);
  });
  try {
    return await pTimeout(work, { milliseconds: timeoutMs, message, signal });
  } catch (error) {
    abandoned.abort(error);
    await discard(work, options.undo);
    throw error;
  }
}

/** A driver's launch as one step; a session that comes too late is closed. */
export function launchStep(
  launch: (options: LaunchOptions, abandoned: AbortSignal) => Promise<Session>,
  how?: string,
): Driver['launch'] {
  return (options) =>
    runStep((abandoned) => launch(options, abandoned), {
      what: ['Launching', options.browser, how].filter(Boolean).join(' '),
      code: 'launch-failed',
      signal: options.signal,
      timeoutMs: options.timeoutMs,
      undo: (session) => session.close(),
    });
}

function wrapError<T>(error: unknown, { what, code }: StepOptions<T>): unknown {
  if (error instanceof DriverError) return error;
  return new DriverError(code, `${what} failed: ${firstLine(error)}`, error);
}

/** Message of any thrown value. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Libraries append call logs of many lines; the cause keeps them, a sentence cannot. */
export function firstLine(error: unknown): string {
  const text = errorText(error);
  // Playwright colours its messages with escape codes.
  const plain = text.replace(/\u001b\[[0-9;]*m/g, '');
  const line = plain.split('\n').find((one) => one.trim() !== '') ?? 'no reason given';
  return line.trim().slice(0, 300);
}

/** Within it a step that was abandoned half-way ends or succeeds, even on a busy machine. */
export const graceMs = 3000;

/**
 * Undoes an abandoned step that still succeeds: its browser must not stay. The caller of such a
 * launch removes its profile next, so the launch gets a moment to end: Playwright was seen to make
 * the profile's folders again after they had been removed.
 */
async function discard<T>(work: Promise<T>, undo?: (late: T) => unknown): Promise<void> {
  const ended = work.then(undo).then(
    () => undefined,
    // The caller has given this step up, so its failure is fine.
    () => undefined,
  );
  if (undo !== undefined) await pTimeout(ended, { milliseconds: graceMs, message: false });
}

/** A promise of the reason why a session ended: the first one that is reported. */
export interface Ending {
  readonly ended: Promise<string>;
  /** Later reasons are ignored, and so is everything after `expect`. */
  tell(why: string): void;
  /** From now on an end is expected. */
  expect(): void;
}

export function watchEnding(): Ending {
  let settle: (why: string) => void = () => undefined;
  let expected = false;
  const ended = new Promise<string>((resolve) => {
    settle = resolve;
  });
  return {
    ended,
    tell: (why) => {
      if (!expected) settle(why);
    },
    expect: () => {
      expected = true;
    },
  };
}
