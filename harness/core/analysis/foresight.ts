import { quantile } from 'simple-statistics';
import type { Trial } from '../model/trial.ts';
import type { TableEntry } from './decide.ts';
import { comparePair, indexPairs } from './pairs.ts';
import { differenceFrom, simulateMoreBlocks } from './stats/projection.ts';
import { seededGenerator } from './stats/random.ts';
import { type Decision, defaultMargin, ownLevel } from './stats/verdict.ts';
import { intervalReach, listOpen, type Rules } from './stopping.ts';

/** Rows of which futures are simulated: those that need the most blocks decide. */
const simulatedRows = 6;
const futures = 20;
/** Of a few slow futures the middle of all is too late more often than too soon. */
const middle = 0.45;

interface Foresight {
  /** Blocks that have ended. */
  readonly ended: number;
  /** The most blocks. */
  readonly most: number;
  /** Blocks that a lone pair needs more, where that is known by other means. */
  readonly ofSingle: number | null;
}

/**
 * Foresees after how many blocks no pair is open, at most `most`: the middle of simulated futures,
 * where `ended` blocks have ended. Null where that cannot be foreseen. Once all rows are decided, each holds at
 * the level of all differences, or of all equivalences (`decideTable`).
 */
export function foreseeBlocks(
  table: readonly TableEntry[],
  trials: readonly Trial[],
  { ended, most, ofSingle, ...rules }: Rules & Foresight,
): number | null {
  if (ofSingle !== null) return Math.min(most, ended + ofSingle);
  const open = listOpen(table, trials, rules);
  if (rules.precision !== undefined) return untilPrecise(open, { ended, most, ...rules });
  const decided = table.flatMap(({ pair, decision: made }) =>
    made.kind === 'decided-on' ? [{ pair, decision: made.decision }] : [],
  );
  const rows = decided.filter(({ decision }) => decision.verdict === 'undecided');
  if (rows.length < open.length) return null;
  const given = table.filter(({ decision: { kind } }) => kind !== 'not-given').length;
  const { margin = defaultMargin, alpha } = rules;
  const isApart = ({ decision }: (typeof rows)[number]): boolean =>
    Math.abs(Math.log(decision.ratio)) > differenceFrom(margin);
  const apart = decided.filter(isApart).length;
  const ofPair = indexPairs(trials);
  const generator = seededGenerator(trials.length);
  const simulated = rows
    .toSorted((one, other) => needed(one.decision) - needed(other.decision))
    .slice(-simulatedRows)
    .flatMap((row) => {
      const made = comparePair(ofPair(row.pair), row.pair, rules);
      if (made.kind !== 'comparison') return [];
      const alike = isApart(row) ? apart : decided.length - apart;
      const level = ownLevel(made.comparison, (alpha * alike) / given);
      const counted = made.comparison.differences.length;
      // Where the means alone are in doubt, no future of the typical ratio says when they are not.
      const ofMeans = row.decision.because === 'mean-too-wide' ? needed(row.decision) : 0;
      const future = { margin, alpha: level, most, futures, generator };
      // Some of those to come will not count, as some of those before did not.
      const share = Math.min(1, counted / ended);
      return [
        simulateMoreBlocks(made.comparison, future).map((more) =>
          Math.min(most, Math.ceil((counted + Math.max(more, ofMeans)) / share)),
        ),
      ];
    });
  const ends = Array.from({ length: futures }, (_, future) =>
    Math.max(0, ...simulated.map((row) => row[future] ?? 0)),
  );
  return Math.max(ended + 1, quantile(ends, middle));
}

function untilPrecise(
  open: readonly TableEntry[],
  { ended, most, precision = 0 }: Pick<Foresight, 'ended' | 'most'> & Pick<Rules, 'precision'>,
): number | null {
  const more = open.map(({ decision: made }) =>
    made.kind === 'decided-on' ? (blocksUntilPrecise(made.decision, precision) ?? NaN) : NaN,
  );
  const highest = Math.max(0, ...more);
  return Number.isNaN(highest) ? null : Math.min(most, ended + highest);
}

/**
 * How many more blocks an interval needs until it reaches no farther than this share: its width
 * falls with the square root of their number. Null before it has two ends.
 */
export function blocksUntilPrecise(decision: Decision, precision: number): number | null {
  const reach = intervalReach(decision);
  if (!Number.isFinite(reach)) return null;
  const factor = (Math.log1p(reach) / Math.log1p(precision)) ** 2;
  return Math.max(0, Math.ceil(decision.blocks * (factor - 1)));
}

function needed({ moreBlocks }: Decision): number {
  return moreBlocks ?? Infinity;
}
