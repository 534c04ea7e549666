import { DriverError } from '../../../drivers/driver.ts';
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
  /** The time limit to report, if the waiting began earlier; `ms` when left out. */
  readonly allowedMs?: number;
  readonly signal: AbortSignal;
}

/**
 * Waits for a promise, but never longer than `ms`, and not past an abort.
 * The promise itself is not stopped: the code that made it ends it.
 * @throws DeadlinePassed, or the signal's reason.
 */
export async function within<T>(
  promise: Promise<T>,
  { what, ms, allowedMs = ms, signal }: Bounds,
): Promise<T> {
  signal.throwIfAborted();
  const { promise: bound, reject } = withRejection();
  const timer = setTimeout(() => {
    reject(new DeadlinePassed(what, allowedMs));
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

/**
 * The deadline of one trial: it counts while its pages are loaded, run and closed, in all tries
 * together. Starting a browser, and waiting before it, have separate limits.
 */
export class TrialClock {
  private readonly allowedMs: number;
  private readonly now: () => number;
  private usedMs = 0;
  private since: number | null = null;

  constructor(allowedMs: number, now: () => number = () => performance.now()) {
    this.allowedMs = allowedMs;
    this.now = now;
  }

  /** Counts the time of this work alone. */
  async count<T>(work: () => Promise<T>): Promise<T> {
    this.since = this.now();
    try {
      return await work();
    } finally {
      this.usedMs += this.now() - this.since;
      this.since = null;
    }
  }

  /** Time that is left, in milliseconds; 0 when it is over. */
  leftMs(): number {
    const running = this.since === null ? 0 : this.now() - this.since;
    return Math.max(0, this.allowedMs - this.usedMs - running);
  }

  /** True while enough time is left for another try: a tenth. */
  allowsAnother(): boolean {
    return this.leftMs() > this.allowedMs / 10;
  }

  /** Limits of a step of at most `ms`, within those of the trial. */
  bounds(what: string, ms = Infinity): Pick<Bounds, 'what' | 'ms' | 'allowedMs'> {
    const left = this.leftMs();
    return ms < left ? { what, ms } : { what: 'The trial', ms: left, allowedMs: this.allowedMs };
  }
}

function withRejection(): { promise: Promise<never>; reject: (reason: Error) => void } {
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  // The race may be over before the limit: a late rejection is then ignored.
  promise.catch(() => undefined);
  return { promise, reject };
}

/** Rejects when the browser or the page dies; to be raced with what is waited for. */
export function rejectOnDeath(session: Pick<LiveSession, 'ended'>): Promise<never> {
  const died = session.ended.then<never>((why) => {
    throw new DriverError('browser-died', why);
  });
  // The race may be over before the browser ends: then its end is ignored.
  died.catch(() => undefined);
  return died;
}
