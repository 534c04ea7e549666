/** Exit codes of every command. */
export const exitCodes = {
  fine: 0,
  /** A regression, a refuted expectation, or a cell that failed. */
  refuted: 1,
  /** Wrong use: arguments, inventory, suite. */
  usage: 2,
  /** The farm itself could not finish. */
  unfinished: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The closed list of ways in which the farm refuses or gives up. */
export type FarmErrorCode =
  | 'bad-argument'
  | 'unknown-device'
  | 'unknown-suite'
  | 'unknown-benchmark'
  | 'unknown-parameter'
  | 'unknown-run'
  | 'bad-inventory'
  | 'bad-benchmark'
  | 'bad-suite'
  | 'no-device'
  | 'port-in-use'
  | 'newer-database'
  | 'bad-database'
  | 'cannot-write'
  | 'disk-full'
  | 'setup-failed';

const usageErrors: ReadonlySet<FarmErrorCode> = new Set([
  'bad-argument',
  'unknown-device',
  'unknown-suite',
  'unknown-benchmark',
  'unknown-parameter',
  'unknown-run',
  'bad-inventory',
  'bad-benchmark',
  'bad-suite',
]);

export interface ErrorFacts {
  /** What was seen and where, in one sentence. */
  readonly what: string;
  /** What to do next, as a sentence or a command. */
  readonly next: string;
  readonly cause?: unknown;
}

/** A failure that a person can act on. Anything else that is thrown is a bug of the farm. */
export class FarmError extends Error {
  readonly code: FarmErrorCode;
  readonly next: string;

  constructor(code: FarmErrorCode, facts: ErrorFacts) {
    super(facts.what, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'FarmError';
    this.code = code;
    this.next = facts.next;
  }

  get exitCode(): ExitCode {
    return usageErrors.has(this.code) ? exitCodes.usage : exitCodes.unfinished;
  }
}
