import { uptime } from 'node:os';
import { seconds, standstillReason } from '../model/environment-limits.ts';
import type { TrialResult } from '../model/trial.ts';

/** How far a page may be away from the farm's own clock. */
export const clockLimits = {
  /**
   * Iterations may add up to this much more than the farm's window, which holds them: for clocks that
   * run differently, and for coarse ones, which round each iteration. Of 50 trials of the quick suite
   * in three engines and of the studies in Node.js none had more; the window had 4 to 20 ms more.
   */
  over: { share: 0.02, ms: 25 },
  /** So much of the window may be unaccounted for: the marks travel, some machines are slow. */
  missing: { share: 0.1, ms: 500 },
  /** The farm looks every `tickMs`; a look that comes so much later means that the farm stood still. */
  tickMs: 250,
} as const;

/** The farm's own view of a trial, in milliseconds. */
export interface OwnClockFacts {
  /** From the page's mark of the start to that of the end; null without both. */
  readonly windowMs: number | null;
  /** The longest time for which the farm, or the machine, stood still while the page measured. */
  readonly gapMs: number;
}

export interface Clocks {
  /** Goes on while a process is stopped. */
  readonly now: () => number;
  /** Goes on while the machine sleeps, too. */
  readonly uptimeMs: () => number;
}

const realClocks: Clocks = { now: () => performance.now(), uptimeMs: () => uptime() * 1000 };

/** Takes the time of a page's window, and notices when the farm itself stood still meanwhile. */
export class OwnClock {
  readonly #clocks: Clocks;
  #timer: NodeJS.Timeout | undefined;
  #last: { readonly now: number; readonly uptimeMs: number } | null = null;
  #gapMs = 0;
  #startedAt: number | null = null;
  #windowMs: number | null = null;

  constructor(clocks: Clocks = realClocks) {
    this.#clocks = clocks;
  }

  /** Looks from now on until `stop`. */
  watch(): void {
    this.#last = this.#read();
    this.#timer ??= setInterval(() => {
      this.look();
    }, clockLimits.tickMs).unref();
  }

  start(): void {
    this.#startedAt = this.#clocks.now();
    this.#windowMs = null;
  }

  end(): void {
    if (this.#startedAt !== null) this.#windowMs = this.#clocks.now() - this.#startedAt;
    // A mark that was waiting is heard before the timer is.
    this.look();
  }

  look(): void {
    const now = this.#read();
    if (this.#last !== null) {
      const passed = Math.max(now.now - this.#last.now, now.uptimeMs - this.#last.uptimeMs);
      this.#gapMs = Math.max(this.#gapMs, passed - clockLimits.tickMs);
    }
    this.#last = now;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#last = null;
  }

  get facts(): OwnClockFacts {
    return { windowMs: this.#windowMs, gapMs: this.#gapMs };
  }

  #read(): { readonly now: number; readonly uptimeMs: number } {
    return { now: this.#clocks.now(), uptimeMs: this.#clocks.uptimeMs() };
  }
}

/** Why the trial is quarantined by the farm's own clock, in sentences. */
export function judgeGap({ gapMs }: OwnClockFacts): readonly string[] {
  const reason = standstillReason('the farm', gapMs, 'while the page measured');
  return reason === null ? [] : [reason];
}

export type Account =
  | { readonly kind: 'agrees' }
  /** More than there was: it is not to be believed. */
  | { readonly kind: 'impossible'; readonly why: string }
  | { readonly kind: 'doubtful'; readonly why: string };

type CheckedResult = Pick<TrialResult, 'samples' | 'repeats' | 'steadyState' | 'callMs'>;

/**
 * Sets the timed iterations of a page of ours, and its reference work between them, against the
 * farm's window. Other metrics are what the benchmark says: nothing here knows better.
 */
export function accountFor(
  { samples, repeats, steadyState, callMs = 0 }: CheckedResult,
  { windowMs }: OwnClockFacts,
): Account {
  const duration = samples[0];
  if (windowMs === null || duration?.unit !== 'ms') return { kind: 'agrees' };
  const timedMs = repeats * duration.timed.reduce((sum, value) => sum + value, 0);
  // Of a call that recorded its own duration, the window held all of the call.
  const accountedMs = Math.max(timedMs, callMs) + (steadyState?.reference?.windowMs ?? 0);
  const { over, missing } = clockLimits;
  const seen = `the page's timed iterations add up to ${seconds(accountedMs)}, and by the farm's own clock its window lasted ${seconds(windowMs)}`;
  const isNegative = duration.timed.some((value) => value < 0);
  if (isNegative || accountedMs > windowMs * (1 + over.share) + over.ms) {
    return { kind: 'impossible', why: seen };
  }
  return windowMs - accountedMs > windowMs * missing.share + missing.ms
    ? { kind: 'doubtful', why: seen }
    : { kind: 'agrees' };
}
