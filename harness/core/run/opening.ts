import { setTimeout as pause } from 'node:timers/promises';
import type { OpenOptions } from '../../../drivers/driver.ts';
import type { LiveSession } from '../session/session.ts';
import { rejectOnDeath, type TrialClock, within } from './deadline.ts';
import type { Limits } from './limits.ts';

export interface OpeningSetting {
  readonly session: Pick<LiveSession, 'open' | 'navigate' | 'evaluate' | 'ended'>;
  readonly limits: Pick<Limits, 'loadMs'>;
  readonly clock: TrialClock;
  /**
   * Waits in a new session until the cores are idle; left out where it is not waited for, or has
   * been.
   */
  readonly rest?: (() => Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

const askMs = 10;

/**
 * Lets a browser come to rest before it loads a page whose load is timed: what it does for half a
 * second after it began, and after it began a process for the page's origin, made the same load of
 * 85 ms last 84 to 124. So an empty page of that origin is opened first, where the driver can lead
 * it to another: the page's own process is then there.
 * @param emptyUrl null where the page does not have its own origin
 * @param first a script that comes before the page's own
 * @returns what opens the page itself; @throws DriverError, or the signal's reason
 */
export async function readyToOpen(
  emptyUrl: string | null,
  setting: OpeningSetting,
  first?: string,
): Promise<(url: string) => Promise<void>> {
  const { session, limits, clock, rest, signal } = setting;
  const bounds = (): Pick<OpenOptions, 'signal' | 'timeoutMs'> => ({
    signal,
    timeoutMs: Math.min(limits.loadMs, clock.leftMs()),
  });
  const open = (url: string): Promise<void> =>
    session.open(url, { ...bounds(), ...(first !== undefined && { first }) });
  const { navigate, evaluate } = session;
  if (rest === undefined || emptyUrl === null || !navigate || !evaluate) {
    await rest?.();
    return open;
  }
  await open(emptyUrl);
  await untilThere(emptyUrl, evaluate, setting);
  await rest();
  return (url) => navigate(url, bounds());
}

/** WebKitGTK was seen to forget a navigation that came while another one went on. */
async function untilThere(
  url: string,
  evaluate: NonNullable<LiveSession['evaluate']>,
  { session, limits, clock, signal }: OpeningSetting,
): Promise<void> {
  const isThere = `(location.href === ${JSON.stringify(url)} && document.readyState === 'complete') || null`;
  const over = new AbortController();
  const there = askUntilAnswered(evaluate, isThere, { everyMs: askMs, signal: over.signal });
  try {
    await within(Promise.race([there, rejectOnDeath(session)]), {
      ...clock.bounds('Opening an empty page', limits.loadMs),
      signal,
    });
  } finally {
    over.abort(new Error('it is not waited for any more'));
  }
}

/**
 * Asks a page that is about to be there again and again, until the answer is something. A question
 * that comes while WebKitGTK gives the page another process may never be answered (3 of 170), so
 * it is asked again; it must change nothing.
 * @param setting `lostMs`: an answer that takes longer is given up
 */
export async function askUntilAnswered(
  evaluate: NonNullable<LiveSession['evaluate']>,
  question: string,
  {
    everyMs,
    lostMs = 1_000,
    signal,
  }: { readonly everyMs: number; readonly lostMs?: number; readonly signal: AbortSignal },
): Promise<unknown> {
  for (;;) {
    const asked = evaluate(question).catch(() => null);
    const seen = await Promise.race([asked, pause(lostMs, null, { signal })]);
    if (seen !== null && seen !== undefined) return seen;
    await pause(everyMs, undefined, { signal });
  }
}
