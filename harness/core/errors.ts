import { closest, distance } from 'fastest-levenshtein';

/** Exit codes of every command. */
export const exitCodes = {
  fine: 0,
  /** A regression, a refuted expectation, or a cell that failed. */
  refuted: 1,
  /** Wrong use: arguments, inventory, suite. */
  usage: 2,
  /** Not finished: interrupted, or something that it takes is missing, full or in use. */
  unfinished: 3,
  /** The measurement does not decide it, or it cannot be asked here; the farm itself worked. */
  undecided: 4,
  /** A bug of the farm: EX_SOFTWARE of sysexits. */
  internal: 70,
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
  | 'unknown-claim'
  | 'unknown-anomaly'
  | 'bad-inventory'
  | 'bad-benchmark'
  | 'bad-suite'
  | 'bad-bundle'
  | 'bad-import'
  | 'bad-build'
  | 'not-trusted'
  | 'run-in-progress'
  | 'run-interrupted'
  | 'night-in-progress'
  | 'machine-in-use'
  | 'farm-unreachable'
  | 'no-device'
  | 'port-in-use'
  | 'newer-database'
  | 'older-database'
  | 'bad-database'
  | 'cannot-write'
  | 'disk-full'
  | 'too-few-files'
  | 'setup-failed';

const usageErrors: ReadonlySet<FarmErrorCode> = new Set([
  'bad-argument',
  'unknown-device',
  'unknown-suite',
  'unknown-benchmark',
  'unknown-parameter',
  'unknown-run',
  'unknown-claim',
  'unknown-anomaly',
  'bad-inventory',
  'bad-benchmark',
  'bad-suite',
  'bad-bundle',
  'bad-import',
  'bad-build',
  'not-trusted',
]);

export interface ErrorFacts {
  /** One sentence: the observation, and its place. */
  readonly what: string;
  /** The next step, as a sentence or a command. */
  readonly next: string;
  readonly cause?: unknown;
  /** Names of what it is about, where one asked for several. */
  readonly about?: readonly string[];
}

/** A failure that a person can act on. Anything else that is thrown is a bug of the farm. */
export class FarmError extends Error {
  readonly code: FarmErrorCode;
  readonly next: string;
  readonly about: readonly string[];

  constructor(code: FarmErrorCode, facts: ErrorFacts) {
    super(facts.what, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'FarmError';
    this.code = code;
    this.next = facts.next;
    this.about = facts.about ?? [];
  }

  get exitCode(): ExitCode {
    return usageErrors.has(this.code) ? exitCodes.usage : exitCodes.unfinished;
  }
}

/** Does something for one of several names; a refusal says that it is about this one. */
export async function naming<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FarmError) || error.about.length > 0) throw error;
    const { code, message, next, cause } = error;
    throw new FarmError(code, { what: message, next, cause, about: [name] });
  }
}

/** The nearest known name, if one is near enough to be what was meant. */
export function nearestName(seen: string, known: readonly string[]): string | null {
  if (known.length === 0) return null;
  const near = closest(seen.toLowerCase(), [...known]);
  return distance(seen.toLowerCase(), near.toLowerCase()) <= Math.max(2, seen.length / 3)
    ? near
    : null;
}

export interface UnknownName {
  /** Kind of the thing that was named: device, suite, benchmark, parameter. */
  readonly kind: string;
  readonly seen: string;
  readonly known: readonly string[];
}

/** The error for a name that does not exist: it offers the nearest one, and lists the others. */
export function unknownName(code: FarmErrorCode, { kind, seen, known }: UnknownName): FarmError {
  const near = nearestName(seen, known);
  const list = known.length === 0 ? 'There is none.' : `Known: ${known.join(', ')}.`;
  return new FarmError(code, {
    what: `There is no ${kind} "${seen}".`,
    next: near === null ? list : `Did you mean "${near}"? ${list}`,
  });
}

/** Gives the message of a thrown value. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Reasons why the system does not let the farm use a file or folder. */
const refusals: ReadonlySet<unknown> = new Set([
  ...['EACCES', 'EEXIST', 'EISDIR', 'ELOOP', 'ENAMETOOLONG'],
  ...['ENOTDIR', 'ENOTEMPTY', 'EPERM', 'EROFS'],
]);

/** The error for a full system or a refused file, wherever it was thrown; else null. */
export function refusedBySystem(error: unknown): FarmError | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? error.code : null;
  if (code === 'EMFILE' || code === 'ENFILE') {
    return new FarmError('too-few-files', {
      what: `The system lets this process open no more files (${code}).`,
      next: 'Allow more in this shell, and start it again: ulimit -n 4096',
      cause: error,
    });
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new FarmError('disk-full', {
      what: `The disk is full: ${error.message}.`,
      next: 'Make room there, or name a folder elsewhere, and try again: what was stored stays.',
      cause: error,
    });
  }
  if (refusals.has(code) && 'path' in error && typeof error.path === 'string') {
    return new FarmError('cannot-write', {
      what: `${error.path} cannot be used: ${error.message}.`,
      next: 'See what is there, and whose it is: move it away, or give the farm the right to use it.',
      cause: error,
    });
  }
  return refusedBySystem(error.cause);
}
