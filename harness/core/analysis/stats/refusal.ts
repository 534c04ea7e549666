/** The closed list of refused inputs. */
type RefusalCode =
  | 'empty'
  | 'too-few'
  | 'not-finite'
  | 'not-positive'
  | 'not-a-probability'
  | 'not-an-e-value'
  | 'bad-margin'
  | 'bad-level'
  | 'bad-bound'
  | 'bad-seed'
  | 'unequal-lengths'
  | 'no-spread';

/**
 * An input from which only a wrong number could be made. It is thrown, so that no verdict rests on
 * it; the message names the value, its place, and what would be accepted.
 */
export class StatisticsRefusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'StatisticsRefusal';
    this.code = code;
  }
}

/** Refuses an empty list, NaN and the infinities. `what` names one value in the message. */
export function requireFinite(values: readonly number[], what: string): void {
  if (values.length === 0) throw new StatisticsRefusal('empty', `There is no ${what} at all.`);
  values.forEach((value, index) => {
    if (!Number.isFinite(value)) {
      throw new StatisticsRefusal(
        'not-finite',
        `The ${what} at index ${String(index)} is ${String(value)}; it has to be a finite number.`,
      );
    }
  });
}

/** Refuses an empty list and every value that has no logarithm: zero, negative, NaN, infinite. */
export function requirePositive(values: readonly number[], what: string): void {
  requireFinite(values, what);
  values.forEach((value, index) => {
    if (value <= 0) {
      throw new StatisticsRefusal(
        'not-positive',
        `The ${what} at index ${String(index)} is ${String(value)}; a ratio needs values above 0. ` +
          'A time of 0 means that the clock was too coarse for the operation.',
      );
    }
  });
}

/** Refuses a level (an error rate or a coverage) that does not lie strictly between 0 and 1. */
export function requireLevel(level: number, what: string): void {
  if (!(level > 0 && level < 1)) {
    throw new StatisticsRefusal(
      'bad-level',
      `The ${what} is ${String(level)}; it has to lie between 0 and 1, as in 0.05.`,
    );
  }
}
