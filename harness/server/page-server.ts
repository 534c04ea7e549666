import type { Assignment, TrialError, TrialResult } from '../../pages/protocol.d.ts';

/** How a page ended its trial. */
export type PageOutcome =
  | { readonly kind: 'result'; readonly result: TrialResult }
  | { readonly kind: 'error'; readonly error: TrialError }
  /** What the page sent could not be believed: not JSON, not of the protocol's form, too large. */
  | { readonly kind: 'bad-message'; readonly message: string };

/** Called when the page's marks arrive; the page waits for the answer, so both must be quick. */
export interface WindowListener {
  onStart(): void;
  onEnd(): void;
}

/** One trial's place on the server: its URL, and what came of it. */
export interface Ticket {
  readonly url: string;
  /** Settles once; never rejects. */
  readonly outcome: Promise<PageOutcome>;
  /** Resolves when the page has fetched its assignment: it is alive. */
  readonly begun: Promise<void>;
  /** Forgets the token; whatever the page still sends is answered with 404. */
  revoke(): void;
}

/** Serves `pages/` with isolation headers, and the trial protocol. Loopback only. */
export interface PageServer {
  /** For example `http://127.0.0.1:41234`. */
  readonly origin: string;
  issue(page: string, assignment: Assignment, listener: WindowListener): Ticket;
  close(): Promise<void>;
}
