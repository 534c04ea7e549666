import { DriverError } from '../../drivers/driver.ts';
import type { LiveSession } from '../session/session.ts';

/** Thrown by `within` when the time is up. */
export class DeadlinePassed extends Error {
  constructor(what: string, ms: number) {
    super(`${what} took longer than ${String(Math.round(ms / 1000))} s`);
    this.name = 'DeadlinePassed';
  }
}

interface Bounds {
  /** The thing that is waited for, as the subject of a sentence. */
  readonly what: string;
  readonly ms: number;
  readonly signal: AbortSignal;
}

/**
 * Waits for a promise, but never longer than `ms`, and not past an abort.
 * The promise itself is not stopped: the code that made it ends it.
 * @throws DeadlinePassed, or the signal's reason.
 */
export async function within<T>(promise: Promise<T>, { what, ms, signal }: Bounds): Promise<T> {
  signal.throwIfAborted();
  const { promise: bound, reject } = withRejection();
  const timer = setTimeout(() => {
    reject(new DeadlinePassed(what, ms));
  }, ms);
  const onAbort = (): void => {
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, bound]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function withRejection(): { promise: Promise<never>; reject: (reason: Error) => void } {
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  // The race may be over before the bound is: a late rejection is then nobody's business.
  promise.catch(() => undefined);
  return { promise, reject };
}

/** Rejects when the browser or the page dies; to be raced with what is waited for. */
export function deathOf(session: Pick<LiveSession, 'ended'>): Promise<never> {
  const died = session.ended.then<never>((why) => {
    throw new DriverError('browser-died', why);
  });
  // The race may be over before the browser ends: then it is nobody's business.
  died.catch(() => undefined);
  return died;
}
