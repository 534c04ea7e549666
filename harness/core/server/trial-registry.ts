import { randomBytes } from 'node:crypto';
import type { Assignment, TrialResult, TrialError } from '../../../pages/protocol.d.ts';
import { ownTrialResult, parseMessage, trialError, trialResult, windowMark } from './messages.ts';

/** How a page ended its trial. */
export type PageOutcome =
  | { readonly kind: 'result'; readonly result: TrialResult }
  | { readonly kind: 'error'; readonly error: TrialError }
  /** The page's message is not valid: not JSON, not of the protocol's form, or too large. */
  | { readonly kind: 'bad-message'; readonly message: string };
/**
 * Called when the page asks for its assignment and when its marks arrive, before they are answered;
 * the page waits for the answer, so the marks must be quick. Their errors reach the page as a
 * refused mark, and so fail the trial.
 */
export interface WindowListener {
  /** The page is about to get its assignment: watchers of its window prepare. */
  attach?(): void;
  onStart(): void;
  onEnd(): void;
}

/** An answer to the page: 200 carries the assignment or nothing, the others a sentence. */
export interface PageReply {
  readonly status: 200 | 400 | 404 | 409 | 413;
  readonly body: Assignment | string;
}

/** How far a trial has come. Its end is not a stage: an ended trial is forgotten. */
type Stage = 'issued' | 'assigned' | 'started' | 'finished';

/**
 * A page announces another window where the speed still changed in the one before. Each restarts
 * the probes, so that a hostile page could keep them busy until its deadline.
 */
const mostWindows = 50;

interface OpenTrial {
  stage: Stage;
  /** Started so far. */
  windows: number;
  readonly assignment: Assignment;
  readonly listener: WindowListener;
  /** Secret of the only client whose requests count; null: any. */
  readonly owner: string | null;
  /** Files that its page asked for, and its folder lacks, or why they cannot be used. */
  readonly missing: Map<string, string | undefined>;
  begin(): void;
  settle(outcome: PageOutcome): void;
}

export interface RegisteredTrial {
  readonly token: string;
  readonly outcome: Promise<PageOutcome>;
  readonly begun: Promise<void>;
}

const fine: PageReply = { status: 200, body: '' };
const unknown: PageReply = {
  status: 404,
  body: 'There is no such trial: it has ended, or never was.',
};

/**
 * The trials that are open, by token, and the order in which a page may speak: assignment, start,
 * end, perhaps another window, result; an error at any time. It knows no HTTP.
 *
 * A token is 128 random bits and is forgotten when its trial ends. A message with the wrong order
 * or form ends the trial as `bad-message`: such a page cannot be trusted.
 */
export class TrialRegistry {
  readonly #trials = new Map<string, OpenTrial>();

  register(
    assignment: Assignment,
    listener: WindowListener,
    owner: string | null = null,
  ): RegisteredTrial {
    const token = randomBytes(16).toString('base64url');
    const outcome = deferred<PageOutcome>();
    const begun = deferred<undefined>();
    this.#trials.set(token, {
      stage: 'issued',
      windows: 0,
      assignment,
      listener,
      owner,
      missing: new Map(),
      begin: () => {
        begun.resolve(undefined);
      },
      settle: (how) => {
        this.#trials.delete(token);
        outcome.resolve(how);
      },
    });
    return { token, outcome: outcome.promise, begun: begun.promise };
  }

  /** Forgets the token; its outcome stays open for ever. */
  revoke(token: string): void {
    this.#trials.delete(token);
  }

  knows(token: string): boolean {
    return this.#trials.has(token);
  }

  /**
   * True if the trial is of another client than this one. Its trial goes on: only its own page may
   * ruin it.
   */
  isAnothers(token: string, secret: string | null): boolean {
    const owner = this.#trials.get(token)?.owner ?? null;
    return owner !== null && owner !== secret;
  }

  /** True if it finds the measures that a page offers, and times nothing. */
  isLook(token: string): boolean {
    return this.#trials.get(token)?.assignment.guest?.discover !== undefined;
  }

  /** Its page was asked for, so its browser is alive. */
  begin(token: string): void {
    this.#trials.get(token)?.begin();
  }

  /** Hands out the assignment, once to a page of ours. */
  assign(token: string): PageReply {
    const trial = this.#trials.get(token);
    if (!trial) return unknown;
    if (trial.stage !== 'issued' && !mayLoadAnew(trial.assignment)) {
      return {
        status: 409,
        body: 'This trial has been assigned already: a token is good for one.',
      };
    }
    trial.begin();
    const isBegun = isBegunByFarm(trial.assignment);
    // Once, at any number of reloads of a page.
    if (!isBegun && trial.stage === 'issued') trial.listener.attach?.();
    // A page to which input led goes on where the one before it was.
    if (trial.stage === 'issued' || trial.assignment.guest?.awaitsInput !== true) {
      trial.stage = isBegun ? 'started' : 'assigned';
    }
    trial.windows = Math.max(trial.windows, Number(isBegun));
    return { status: 200, body: trial.assignment };
  }

  /** The listener is called before this returns, so before the page hears the answer. */
  mark(token: string, text: string): PageReply {
    const trial = this.#trials.get(token);
    if (!trial) return unknown;
    const parsed = parseMessage('mark', text, windowMark);
    if (!parsed.ok) return this.refuse(token, { status: 400, why: parsed.why });
    const { mark } = parsed.value;
    const mayStart = trial.stage === 'assigned' || trial.stage === 'finished';
    if (mark === 'start' && mayStart && trial.windows < mostWindows) {
      trial.stage = 'started';
      trial.windows += 1;
      trial.listener.onStart();
      return fine;
    }
    if (mark === 'end' && trial.stage === 'started') {
      trial.stage = 'finished';
      trial.listener.onEnd();
      return fine;
    }
    const why = `The page marked the ${mark} of its window ${afterwards[trial.stage]}.`;
    return this.refuse(token, { status: 400, why });
  }

  finish(token: string, text: string): PageReply {
    const trial = this.#trials.get(token);
    if (!trial) return unknown;
    const form = trial.assignment.guest === undefined ? ownTrialResult : trialResult;
    const parsed = parseMessage('result', text, form);
    if (!parsed.ok) return this.refuse(token, { status: 400, why: parsed.why });
    if (trial.stage !== 'finished') {
      const why = `The page sent its result ${afterwards[trial.stage]}.`;
      return this.refuse(token, { status: 400, why });
    }
    trial.settle({ kind: 'result', result: withMissing(parsed.value, trial.missing) });
    return fine;
  }

  fail(token: string, text: string): PageReply {
    const trial = this.#trials.get(token);
    if (!trial) return unknown;
    const parsed = parseMessage('error', text, trialError);
    if (!parsed.ok) return this.refuse(token, { status: 400, why: parsed.why });
    trial.settle({ kind: 'error', error: parsed.value });
    return fine;
  }

  /** Its page asked for a file that its folder lacks. */
  miss(token: string, path: string, why?: string): void {
    const { missing = new Map<string, string | undefined>() } = this.#trials.get(token) ?? {};
    if (missing.size < mostMissing) missing.set(shortPath(path), why);
  }

  /** Ends the trial because what its page sent cannot be believed. */
  refuse(token: string, { status, why }: { status: 400 | 413; why: string }): PageReply {
    this.#trials.get(token)?.settle({ kind: 'bad-message', message: why });
    return { status, body: why };
  }
}

/** The number of files named, and of characters. */
const mostMissing = 5;
const longestPath = 200;

/** Its own errors, in which missing files of elements are named alike, and each once. */
function withMissing(
  result: TrialResult,
  missing: ReadonlyMap<string, string | undefined>,
): TrialResult {
  const notLoaded = /^(.+) could not be loaded$/;
  const own = (result.errors ?? []).filter((error) => {
    const [, address] = notLoaded.exec(error) ?? [];
    return address === undefined || !missing.has(shortPath(decoded(address)));
  });
  const lacking = Array.from(missing, ([path, why]) => {
    const error = `${path} could not be loaded`;
    return why === undefined ? error : `${error}: ${why}`;
  });
  const errors = [...own, ...lacking];
  return errors.length === 0 ? result : { ...result, errors };
}

/** As the server reads the address of a file, which a page has encoded; below `/guest/` elsewhere. */
function decoded(address: string): string {
  const path = address.replace(/^guest\/[^/]+\//, '').replace(/(^|\/)$/, '$1index.html');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** As a page's own errors are written. */
function shortPath(path: string): string {
  return path.replace(/\s+/g, ' ').slice(0, longestPath);
}

/** A foreign page may reload itself, or input may lead to another one, and it is the same trial. */
function mayLoadAnew({ guest }: Assignment): boolean {
  return guest !== undefined;
}

/** True if its window has begun before the page has: so of a foreign page that begins by itself. */
export function isBegunByFarm({ guest }: Assignment): boolean {
  return guest !== undefined && guest.begin === undefined;
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
