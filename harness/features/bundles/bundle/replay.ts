import type { Assertion, Question } from '../../../core/model/question.ts';
import type { AssertionNumbers, Interval, Numbers } from './format.ts';

export type ReplayVerdict = 'reproduced' | 'not-reproduced' | 'inconclusive' | 'not-comparable';

/** One assertion, then and now. */
export interface ReplayedAssertion {
  readonly assertion: Assertion;
  readonly bundle: Interval | null;
  readonly here: Interval | null;
  /** The outcome here against the bundle's. `open`: undecided here, there, or both. */
  readonly direction: 'same' | 'opposite' | 'open';
  /** `same`: the intervals overlap. */
  readonly size: 'same' | 'smaller' | 'larger' | 'open';
}

export interface Replay {
  readonly verdict: Exclude<ReplayVerdict, 'not-comparable'>;
  readonly reason: string;
  readonly assertions: readonly ReplayedAssertion[];
}

/**
 * Compares a repetition with the run that it repeats. Only the direction makes the verdict: another machine
 * has other sizes, and the differences are listed. A deciding assertion that the bundle left open cannot be
 * reproduced, and is left out.
 */
export function compareNumbers(question: Question, bundle: Numbers, here: Numbers): Replay {
  const assertions = question.assertions.map((assertion, index) =>
    replayed(assertion, bundle.assertions[index], here.assertions[index]),
  );
  const deciding = question.assertions.flatMap((assertion, index) => {
    const decidedThere = (bundle.assertions[index]?.outcome ?? 'open') !== 'open';
    const one = assertions[index];
    return assertion.role === 'verdict' && decidedThere && one !== undefined ? [one] : [];
  });
  return { ...verdictOf(deciding), assertions };
}

function verdictOf(deciding: readonly ReplayedAssertion[]): Pick<Replay, 'verdict' | 'reason'> {
  if (deciding.length === 0) {
    return { verdict: 'inconclusive', reason: 'the run in the bundle decided nothing itself' };
  }
  const opposite = deciding.filter(({ direction }) => direction === 'opposite');
  if (opposite.length > 0) {
    return {
      verdict: 'not-reproduced',
      reason: `the opposite was seen here: ${listSentences(opposite)}`,
    };
  }
  const open = deciding.filter(({ direction }) => direction === 'open');
  if (open.length > 0) {
    return { verdict: 'inconclusive', reason: `not decided here: ${listSentences(open)}` };
  }
  return { verdict: 'reproduced', reason: `same direction; ${sizesOf(deciding)}` };
}

function listSentences(assertions: readonly ReplayedAssertion[]): string {
  return assertions.map(({ assertion }) => assertion.sentence).join('; ');
}

function sizesOf(assertions: readonly ReplayedAssertion[]): string {
  const count = (size: ReplayedAssertion['size']): number =>
    assertions.filter((one) => one.size === size).length;
  if (count('same') === assertions.length) return 'the sizes agree';
  const parts = (['same', 'smaller', 'larger', 'open'] as const)
    .filter((size) => count(size) > 0)
    .map((size) => `${String(count(size))} ${sizeWords[size]}`);
  return `sizes: ${parts.join(', ')}`;
}

const sizeWords: Readonly<Record<ReplayedAssertion['size'], string>> = {
  same: 'agree',
  smaller: 'smaller here',
  larger: 'larger here',
  open: 'not known',
};

const unmeasured: AssertionNumbers = {
  measured: null,
  blocks: 0,
  outcome: 'open',
  size: 'open',
};

function replayed(
  assertion: Assertion,
  there: AssertionNumbers = unmeasured,
  here: AssertionNumbers = unmeasured,
): ReplayedAssertion {
  return {
    assertion,
    bundle: there.measured,
    here: here.measured,
    direction: compareOutcomes(there.outcome, here.outcome),
    size: compareSizes(there.measured, here.measured, assertion.kind),
  };
}

function compareOutcomes(
  there: AssertionNumbers['outcome'],
  here: AssertionNumbers['outcome'],
): ReplayedAssertion['direction'] {
  if (there === 'open' || here === 'open') return 'open';
  return there === here ? 'same' : 'opposite';
}

/** Of ratios the distance from 1 is the size: 0.5 is a larger effect than 0.8. */
function compareSizes(
  there: Interval | null,
  here: Interval | null,
  kind: Assertion['kind'],
): ReplayedAssertion['size'] {
  if (!isBounded(there) || !isBounded(here)) return 'open';
  if (here.low <= there.high && here.high >= there.low) return 'same';
  const inverted = kind !== 'level' && there.value < 1;
  return here.low > there.high !== inverted ? 'larger' : 'smaller';
}

function isBounded(
  interval: Interval | null,
): interval is Interval & { readonly low: number; readonly high: number } {
  return interval !== null && interval.low !== null && interval.high !== null;
}
