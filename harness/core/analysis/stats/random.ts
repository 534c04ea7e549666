import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import { StatisticsRefusal } from './refusal.ts';

/** A random generator that gives the same sequence for the same seed, on every machine. */
export interface SeededGenerator {
  /** An integer from 0 to `bound` − 1, each equally likely (by rejection, so without modulo bias). */
  nextInt(bound: number): number;
  /** Returns a copy in random order, each order equally likely. */
  shuffle<Item>(items: readonly Item[]): Item[];
  /** A number from 0 (included) to 1 (excluded), a multiple of 2^−53. */
  uniform(): number;
  /** A draw from the normal distribution with mean 0 and standard deviation 1. */
  normal(): number;
}

/**
 * Makes a seeded generator on the Mersenne Twister of pure-rand.
 *
 * Reason: plans are made from small seeds such as 1, 2, 3, and xoroshiro128+ of pure-rand 8.4
 * starts from its seed as it is, so its first draws are a plain function of the seed; the Twister's
 * initialisation separates adjacent seeds.
 *
 * Shuffling is Fisher and Yates's (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm P);
 * normal draws are Box and Muller's (1958), of which one half is kept for the next call.
 *
 * @param seed any safe integer. The Twister takes 32 bits, so distinct seeds beyond them can give
 * the same sequence; seeds from 0 to 2^32 − 1 never do.
 * @throws StatisticsRefusal `bad-seed` for a value other than a safe integer.
 */
export function seededGenerator(seed: number): SeededGenerator {
  const source = mersenne(fold(seed));
  let kept: number | null = null;

  const uniform = (): number => uniformFloat64(source);

  const nextInt = (bound: number): number => {
    if (!Number.isInteger(bound) || bound < 1 || bound > 2 ** 32) {
      throw new StatisticsRefusal(
        'bad-bound',
        `The bound of a random integer is ${String(bound)}; it has to be an integer from 1 to 2^32.`,
      );
    }
    return uniformInt(source, 0, bound - 1);
  };

  const normal = (): number => {
    if (kept !== null) {
      const value = kept;
      kept = null;
      return value;
    }
    // 1 − u lies in (0, 1], so that the logarithm is finite.
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    kept = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };

  return { nextInt, uniform, normal, shuffle: (items) => shuffled(items, nextInt) };
}

/** Takes one after the other out of the remaining items, and puts the last of them in its place. */
function shuffled<Item>(items: readonly Item[], nextInt: (bound: number) => number): Item[] {
  const left = [...items];
  const order: Item[] = [];
  for (let count = left.length; count > 0; count -= 1) {
    const index = nextInt(count);
    order.push(left[index] as Item);
    left[index] = left[count - 1] as Item;
  }
  return order;
}

function fold(seed: number): number {
  if (!Number.isSafeInteger(seed)) {
    throw new StatisticsRefusal(
      'bad-seed',
      `The seed is ${String(seed)}; it has to be an integer between −2^53 and 2^53.`,
    );
  }
  const high = Math.trunc(seed / 2 ** 32);
  // The odd multiplier (2^32 divided by the golden ratio) keeps high words from cancelling low ones.
  return ((seed % 2 ** 32) | 0) ^ Math.imul(high, 0x9e3779b1);
}
