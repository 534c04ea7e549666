import { quantile } from 'simple-statistics';
import type { Trial } from '../model/trial.ts';
import type { TableEntry } from './decide.ts';
import { comparePair, indexPairs } from './pairs.ts';
import { differenceFrom, simulateMoreBlocks } from './stats/projection.ts';
import { seededGenerator } from './stats/random.ts';
import { type Decision, defaultMargin, ownLevel } from './stats/verdict.ts';
import { intervalReach, listOpen, type Rules } from './stopping.ts';

/**
 * How near it is: in `time-left.test.ts`, 792 looks of comparisons of one and two pairs, 71 % are
 * within a factor of 1.5 of the time that was left. With the true ratio and noise in place of
 * those seen it is 72 %: the rest is the chance of the blocks to come. Of no use were posterior
 * draws of the spread (70 %), the end that most futures agree on (72 %, but 56 instead of 61 % of a
 * comparison's looks), and futures of the first round's order (71 %).
 */

/** Rows of which futures are simulated: those that need the most blocks decide. */
const simulatedRows = 6;
const futures = 60;
/** Of a few slow futures the middle of all is too late more often than too soon. */
const middle = 0.45;

/** Advice about one row looks no farther than this, or than twice the most blocks. */
const farthest = 200;

interface Foresight {
  /** Blocks that have ended. */
  readonly ended: number;
  /** The most blocks. */
  readonly most: number;
}

/**
 * Foresees after how many blocks no pair is open, at most `most`, from simulated futures, where
 * `ended` blocks have ended. Null where that cannot be foreseen. Once all rows are decided, each
 * holds at the level of all differences, or of all equivalences (`decideTable`).
 */
export function foreseeBlocks(
  table: readonly TableEntry[],
  trials: readonly Trial[],
  { ended, most, ...rules }: Rules & Foresight,
): number | null {
  const open = listOpen(table, trials, rules);
  if (rules.precision !== undefined) return untilPrecise(open, { ended, most, ...rules });
  const rows = listUndecided(table);
  if (rows.length < open.length) return null;
  const slowest = rows
    .toSorted((one, other) => needed(one.decision) - needed(other.decision))
    .slice(-simulatedRows);
  const simulated = simulateRows(slowest, { table, trials, ended, most, ...rules });
  const ends = Array.from({ length: futures }, (_, future) =>
    Math.max(0, ...[...simulated.values()].map((row) => row[future] ?? 0)),
  );
  return Math.max(ended + 1, quantile(ends, middle));
}

/**
 * Foresees how many more blocks each undecided row needs by itself. Rows are left out where
 * nothing can be foreseen, or more blocks would hardly help.
 */
export function foreseeRows(
  table: readonly TableEntry[],
  trials: readonly Trial[],
  { ended, most, ...rules }: Rules & Foresight,
): ReadonlyMap<TableEntry, number> {
  const far = Math.max(farthest, 2 * most);
  const rows = listUndecided(table).filter(({ decision }) => decision.moreBlocks !== null);
  const simulated = simulateRows(rows, { table, trials, ended, most: far, ...rules });
  const more = [...simulated].map(
    ([row, ends]) => [row.entry, quantile([...ends], middle)] as const,
  );
  return new Map(
    more.flatMap(([entry, end]) => (end >= far ? [] : [[entry, Math.max(1, end - ended)]])),
  );
}

/** A row of a table, with the decision on it. */
interface DecidedRow {
  readonly entry: TableEntry;
  readonly decision: Decision;
}

function listDecided(table: readonly TableEntry[]): readonly DecidedRow[] {
  return table.flatMap((entry) =>
    entry.decision.kind === 'decided-on' ? [{ entry, decision: entry.decision.decision }] : [],
  );
}

function listUndecided(table: readonly TableEntry[]): readonly DecidedRow[] {
  return listDecided(table).filter(({ decision }) => decision.verdict === 'undecided');
}

/** Of each row the blocks after which it is decided, in each future; at most `most`. */
function simulateRows(
  rows: readonly DecidedRow[],
  {
    table,
    trials,
    ended,
    most,
    ...rules
  }: Rules &
    Foresight & { readonly table: readonly TableEntry[]; readonly trials: readonly Trial[] },
): ReadonlyMap<DecidedRow, readonly number[]> {
  const decided = listDecided(table);
  const given = table.filter(({ decision: { kind } }) => kind !== 'not-given').length;
  const { margin = defaultMargin, alpha } = rules;
  const isApart = ({ decision }: DecidedRow): boolean =>
    Math.abs(Math.log(decision.ratio)) > differenceFrom(margin);
  const apart = decided.filter(isApart).length;
  const ofPair = indexPairs(trials);
  const generator = seededGenerator(trials.length);
  return new Map(
    rows.flatMap((row) => {
      const { pair } = row.entry;
      const made = comparePair(ofPair(pair), pair, rules);
      if (made.kind !== 'comparison') return [];
      const alike = isApart(row) ? apart : decided.length - apart;
      const level = ownLevel(made.comparison, (alpha * alike) / given);
      const counted = made.comparison.differences.length;
      // Where the means alone are in doubt, no future of the typical ratio says when they are not.
      const ofMeans = row.decision.because === 'mean-too-wide' ? needed(row.decision) : 0;
      const future = { margin, alpha: level, most, futures, generator };
      // Some of those to come will not count, as some of those before did not.
      const share = Math.min(1, counted / ended);
      const ends = simulateMoreBlocks(made.comparison, future).map((more) =>
        Math.min(most, Math.ceil((counted + Math.max(more, ofMeans)) / share)),
      );
      return [[row, ends] as const];
    }),
  );
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
