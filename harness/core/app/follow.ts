import { Readable } from 'node:stream';
import type { RunListener } from '../run/listener.ts';
import type { MeasuringCaller } from './caller.ts';

type EventOf<Name extends keyof RunListener> = Parameters<NonNullable<RunListener[Name]>>[0];

/** An event of a run, under the name of the listener's method: `onTrialEnded` with its trial. */
export type RunEvent =
  | { [Name in keyof RunListener]-?: { readonly type: Name } & EventOf<Name> }[keyof RunListener]
  | { readonly type: 'say'; readonly sentence: string };

/** A measuring function under way: its events as they come, and its result. */
export interface Followed<T> extends AsyncIterable<RunEvent> {
  /** Rejects with what the function throws; the events then end, too. */
  readonly result: Promise<T>;
}

/** All of them: one that is missing here does not compile. */
const names = Object.keys({
  onRunStarted: true,
  onTrialStarted: true,
  onAttemptFailed: true,
  onWaiting: true,
  onTrialEnded: true,
  onTrialQuarantined: true,
  onQuarantined: true,
  onWindowChosen: true,
  onLook: true,
  onLeftover: true,
  onRunEnded: true,
} satisfies Record<keyof RunListener, true>) as readonly (keyof RunListener)[];

/** Passes each event to all of these listeners, in their order. */
export function joinListeners(...listeners: readonly RunListener[]): RunListener {
  return Object.fromEntries(
    names.map((name) => [
      name,
      (event: never) => {
        for (const one of listeners) one[name]?.(event);
      },
    ]),
  );
}

/**
 * Starts a function that measures, such as `compare`, and gives its events to `for await`.
 * Leaving the loop early aborts it, as the signal does: trials stored by then stay.
 */
export function follow<T>(
  start: (caller: MeasuringCaller) => Promise<T>,
  { signal, loadDriver }: Partial<Pick<MeasuringCaller, 'signal' | 'loadDriver'>> = {},
): Followed<T> {
  const left = new AbortController();
  const events = new Readable({ objectMode: true, read: () => undefined });
  events.once('close', () => {
    left.abort(new Error('Nobody follows the run any more.'));
  });
  const listener = Object.fromEntries(
    names.map((type) => [type, (event: object) => events.push({ type, ...event })]),
  ) as RunListener;
  const result = start({
    signal: signal === undefined ? left.signal : AbortSignal.any([left.signal, signal]),
    say: (sentence) => events.push({ type: 'say', sentence }),
    listener,
    ...(loadDriver !== undefined && { loadDriver }),
  });
  const end = (): boolean => events.push(null);
  result.then(end, end);
  return { result, [Symbol.asyncIterator]: () => events[Symbol.asyncIterator]() };
}
