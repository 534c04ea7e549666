import { computeRoundEvidence } from './first-round.ts';
import { sampleStandardDeviation } from 'simple-statistics';
import type { SeededGenerator } from './random.ts';
import {
  type Bets,
  type Evidence,
  computeEvidence,
  isRejected,
  RunningCapital,
  type Side,
} from './mixture-test.ts';
import type { Circumstances, RunningInterval } from './ratio-interval.ts';

/** The largest number of blocks that is useful advice. */
const horizon = 100_000;

/** The log ratio beyond which a difference is called one: half of the margin. */
export function differenceFrom(margin: number): number {
  return Math.log1p(margin / 2);
}

interface ProjectionRules {
  readonly running: RunningInterval;
  readonly margin: number;
  readonly alpha: number;
}

/**
 * Projects how many more blocks an undecided comparison needs.
 *
 * Method (plug-in): future blocks repeat those seen, evenly, so the logarithm of every bet grows in
 * proportion to n. Doubling and bisection find the smallest n at which the interval, intersected
 * with that of the looks before, would lie beyond half of the margin or within it. This needs no search for
 * the interval: its low end lies above a shift when A rejects the shift. The data is uncertain, so
 * the answer is of the right size (a factor of two either way is common); with a true ratio at the
 * margin it may be far too small. Fewer than three blocks show no spread: then it is a lower bound.
 *
 * Null: no single ratio fits all blocks, or more than 100,000 blocks would be needed.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function moreBlocksNeeded(
  comparison: Circumstances & { readonly differences: readonly number[] },
  { running, margin, alpha }: ProjectionRules,
): number | null {
  if (running.kind === 'empty') return null;
  const { differences, firstRound, resolution = 0 } = comparison;
  const { low, high } = running.kind === 'open' ? { low: -Infinity, high: Infinity } : running;
  const bound = Math.log1p(margin);
  const round = firstRound === undefined ? null : computeRoundEvidence(firstRound);
  const rejectedAt = (shift: number, side: Side): ((blocks: number) => boolean) => {
    const seen = computeEvidence(differences, shift, round);
    return (blocks) => isRejected(projected(seen, blocks), { side, alpha });
  };
  const apart = differenceFrom(margin) + resolution;
  const isAbove = rejectedAt(apart, 'above');
  const isBelow = rejectedAt(-apart, 'below');
  const isAboveMargin = rejectedAt(resolution - bound, 'above');
  const isBelowMargin = rejectedAt(bound - resolution, 'below');

  const settles = (blocks: number): boolean => {
    const isInside =
      (low >= -bound || isAboveMargin(blocks)) && (high <= bound || isBelowMargin(blocks));
    return isAbove(blocks) || isBelow(blocks) || (margin > 0 && isInside);
  };
  const first = Math.max(differences.length + 1, firstRound?.blocks ?? 0);
  const found = smallestSuch(settles, first);
  return found === null ? null : found - differences.length;
}

interface FutureRules {
  readonly margin: number;
  readonly alpha: number;
  /** No more blocks are simulated. */
  readonly most: number;
  /** Number of futures. */
  readonly futures: number;
  readonly generator: SeededGenerator;
}

/**
 * Simulates how many more blocks an undecided comparison needs, for an estimate of the time left:
 * their median is nearer than the one number of `moreBlocksNeeded`, which takes the mean so far for
 * the true one.
 *
 * Method: in each future the true mean differs from that of the blocks seen as much as a mean of so
 * few does (normal, by their standard deviation), and blocks are drawn from those seen, shifted by
 * that. A future ends where the interval would lie beyond half of the margin or within it, and at
 * `most`.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function simulateMoreBlocks(
  { differences, firstRound, resolution = 0 }: Parameters<typeof moreBlocksNeeded>[0],
  { margin, alpha, most, futures, generator }: FutureRules,
): readonly number[] {
  const round = firstRound === undefined ? null : computeRoundEvidence(firstRound);
  const apart = differenceFrom(margin) + resolution;
  const bound = Math.log1p(margin) - resolution;
  const shifts = [apart, -apart, -bound, bound];
  const sides: readonly Side[] = ['above', 'below', 'above', 'below'];
  const seen = shifts.map((shift) => computeEvidence(differences, shift, round));
  const begin = (): readonly RunningCapital[] =>
    seen.map((evidence, index) => new RunningCapital(evidence, sides[index] ?? 'above'));
  const isSettled = (capitals: readonly RunningCapital[]): boolean => {
    const [above, below, aboveMargin, belowMargin] = capitals.map(
      ({ total }) => total * alpha >= 1,
    );
    const isInside = margin > 0 && aboveMargin === true && belowMargin === true;
    return above === true || below === true || isInside;
  };
  const blocks = differences.length;
  const error = blocks < 2 ? 0 : sampleStandardDeviation([...differences]) / Math.sqrt(blocks);
  const firstLook = Math.max(blocks + 1, firstRound?.blocks ?? 0);
  // A row of a table may only wait for others, whose verdicts give it a higher level.
  const isWaiting = blocks >= (firstRound?.blocks ?? 0) && isSettled(begin());
  return Array.from({ length: futures }, () => {
    if (isWaiting) return 0;
    const shift = error * generator.normal();
    const capitals = begin();
    for (let more = 1; more < most; more += 1) {
      const drawn = (differences[generator.nextInt(blocks)] ?? 0) + shift;
      for (const capital of capitals) capital.add(drawn);
      if (blocks + more >= firstLook && isSettled(capitals)) return more;
    }
    return most;
  });
}

/**
 * Extrapolates every bet as an exponential of the number of blocks; what a first round won stays as
 * it is. So A is convex in that number and below 1/α now, and once it has reached 1/α it stays
 * above it, as `smallestSuch` requires.
 */
function projected(evidence: Evidence, blocks: number): Evidence {
  const { bets, later, round } = evidence;
  const ofRound = round?.blocks ?? 0;
  const seenLater = evidence.blocks - ofRound;
  const factorLater = (blocks - ofRound) / (seenLater > 0 ? seenLater : evidence.blocks);
  return {
    ...evidence,
    blocks,
    bets: grown(bets, blocks / evidence.blocks),
    // Before there are later blocks, those of the round stand for them.
    later: grown(seenLater > 0 ? later : bets, factorLater),
  };
}

function grown({ above, below }: Bets, factor: number): Bets {
  const times = (sums: readonly number[]): readonly number[] => sums.map((one) => one * factor);
  return { above: times(above), below: times(below) };
}

/** Returns the smallest integer from `first` on that holds, for a condition that stays true. */
function smallestSuch(holds: (n: number) => boolean, first: number): number | null {
  if (holds(first)) return first;
  let below = first;
  let above = first * 2;
  while (!holds(above)) {
    if (above > horizon) return null;
    below = above;
    above *= 2;
  }
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (holds(middle)) above = middle;
    else below = middle;
  }
  return above;
}
