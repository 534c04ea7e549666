import { randomBytes } from 'node:crypto';
import type { Assignment } from '../../pages/protocol.d.ts';
import { parseMessage, trialError, trialResult, windowMark } from './messages.ts';
import type { PageOutcome, WindowListener } from './page-server.ts';

/** An answer to the page: 200 carries the assignment or nothing, the others a sentence. */
export interface Answer {
  readonly status: 200 | 400 | 404 | 409 | 413;
  readonly body: Assignment | string;
}

/** How far a trial has come. Its end is not a stage: an ended trial has no place any more. */
type Stage = 'issued' | 'assigned' | 'started' | 'finished';

/**
 * A page announces another window where the speed still changed in the one before. Each makes the
 * probes begin anew, so that a hostile page could keep them busy until its deadline.
 */
const mostWindows = 50;

interface Place {
  stage: Stage;
  /** Started so far. */
  windows: number;
  readonly assignment: Assignment;
  readonly listener: WindowListener;
  /** Secret of the only seat whose requests count; null: any. */
  readonly owner: string | null;
  begin(): void;
  settle(outcome: PageOutcome): void;
}

export interface Admission {
  readonly token: string;
  readonly outcome: Promise<PageOutcome>;
  readonly begun: Promise<void>;
}

const fine: Answer = { status: 200, body: '' };
const unknown: Answer = {
  status: 404,
  body: 'There is no such trial: it has ended, or never was.',
};

/**
 * The trials that are open, by token, and the order in which a page may speak: assignment, start,
 * end, perhaps another window, result; an error at any time. It knows no HTTP.
 *
 * A token is 128 random bits and is forgotten when its trial ends. Whatever breaks the order or
 * the form ends the trial as `bad-message`: half of what such a page says is not to be believed.
 */
export class TicketOffice {
  readonly #places = new Map<string, Place>();

  admit(assignment: Assignment, listener: WindowListener, owner: string | null = null): Admission {
    const token = randomBytes(16).toString('base64url');
    const outcome = deferred<PageOutcome>();
    const begun = deferred<undefined>();
    this.#places.set(token, {
      stage: 'issued',
      windows: 0,
      assignment,
      listener,
      owner,
      begin: () => {
        begun.resolve(undefined);
      },
      settle: (how) => {
        this.#places.delete(token);
        outcome.resolve(how);
      },
    });
    return { token, outcome: outcome.promise, begun: begun.promise };
  }

  /** Forgets the token; its outcome stays open for ever. */
  revoke(token: string): void {
    this.#places.delete(token);
  }

  knows(token: string): boolean {
    return this.#places.has(token);
  }

  /** Whether the trial is of a seat that is not this one. Its trial goes on: only its own page may spoil it. */
  isAnothers(token: string, secret: string | null): boolean {
    const owner = this.#places.get(token)?.owner ?? null;
    return owner !== null && owner !== secret;
  }

  /** Hands out the assignment, once. */
  assign(token: string): Answer {
    const place = this.#places.get(token);
    if (!place) return unknown;
    if (place.stage !== 'issued') {
      return {
        status: 409,
        body: 'This trial has been assigned already: a token is good for one.',
      };
    }
    place.stage = 'assigned';
    place.begin();
    return { status: 200, body: place.assignment };
  }

  /** The listener is called before this returns, so before the page hears the answer. */
  mark(token: string, text: string): Answer {
    const place = this.#places.get(token);
    if (!place) return unknown;
    const parsed = parseMessage('mark', text, windowMark);
    if (!parsed.ok) return this.refuse(token, { status: 400, why: parsed.why });
    const { mark } = parsed.value;
    const mayStart = place.stage === 'assigned' || place.stage === 'finished';
    if (mark === 'start' && mayStart && place.windows < mostWindows) {
      place.stage = 'started';
      place.windows += 1;
      place.listener.onStart();
      return fine;
    }
    if (mark === 'end' && place.stage === 'started') {
      place.stage = 'finished';
      place.listener.onEnd();
      return fine;
    }
    const why = `The page marked the ${mark} of its window ${afterwards[place.stage]}.`;
    return this.refuse(token, { status: 400, why });
  }

  finish(token: string, text: string): Answer {
    const place = this.#places.get(token);
    if (!place) return unknown;
    const parsed = parseMessage('result', text, trialResult);
    if (!parsed.ok) return this.refuse(token, { status: 400, why: parsed.why });
    if (place.stage !== 'finished') {
      const why = `The page sent its result ${afterwards[place.stage]}.`;
      return this.refuse(token, { status: 400, why });
    }
    place.settle({ kind: 'result', result: parsed.value });
    return fine;
  }

  fail(token: string, text: string): Answer {
    const place = this.#places.get(token);
    if (!place) return unknown;
    const parsed = parseMessage('error', text, trialError);
    if (!parsed.ok) return this.refuse(token, { status: 400, why: parsed.why });
    place.settle({ kind: 'error', error: parsed.value });
    return fine;
  }

  /** Ends the trial because what its page sent cannot be believed. */
  refuse(token: string, { status, why }: { status: 400 | 413; why: string }): Answer {
    this.#places.get(token)?.settle({ kind: 'bad-message', message: why });
    return { status, body: why };
  }
}

const afterwards: Record<Stage, string> = {
  issued: 'before it had fetched its assignment',
  assigned: 'before its start',
  started: 'after its start and before its end',
  finished: 'after its end',
};

/** A promise and its resolver: `Promise.withResolvers` came with Node.js 22. */
function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
