import { requirePositive } from './refusal.ts';
import { excludes } from './ratio-interval.ts';
import { shiftInterval } from './shift-interval.ts';
import {
  defaultAlpha,
  defaultMargin,
  judge,
  type Decision,
  type DecisionRules,
  type Verdict,
} from './verdict.ts';

/** What is known of two series that were measured in different runs. */
export interface UnpairedDecision extends Pick<
  Decision,
  'ratio' | 'low' | 'high' | 'significant' | 'relevant'
> {
  /** What `a` is, compared with `b`. */
  readonly verdict: Verdict;
  /** Against equality; for a table of them. */
  readonly p: number;
  /** Only for `undecided`. */
  readonly because: 'too-few-trials' | 'too-wide' | null;
}

/**
 * The verdict over two series that have no block in common, from the trials of each: their ratio a / b
 * and its interval are those of `shiftInterval` over the logarithms, and the words mean what they mean
 * in `decide`. Without values enough for an interval of 1 − α there is neither interval nor verdict.
 *
 * Unlike `decide` it holds for one look, and for the series as they were measured: whether a browser
 * changed or the machine did, only a comparison in blocks can tell.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `not-positive`, `bad-level`.
 */
export function decideUnpaired(
  a: readonly number[],
  b: readonly number[],
  { better, margin = defaultMargin, alpha = defaultAlpha }: DecisionRules,
): UnpairedDecision {
  requirePositive(a, 'value of a');
  requirePositive(b, 'value of b');
  const seen = shiftInterval(a.map(Math.log), b.map(Math.log), 1 - alpha);
  const { shift, low, high, p } = seen;
  if (seen.confidence < 1 - alpha) {
    return {
      ...{ verdict: 'undecided', ratio: Math.exp(shift), low: null, high: null, p },
      ...{ significant: false, relevant: false, because: 'too-few-trials' },
    };
  }
  const verdict = judge(seen, { better, margin });
  return {
    ...{ verdict, ratio: Math.exp(shift), low: Math.exp(low), high: Math.exp(high), p },
    significant: excludes(seen, 0),
    relevant: excludes(seen, Math.log1p(margin)),
    because: verdict === 'undecided' ? 'too-wide' : null,
  };
}
