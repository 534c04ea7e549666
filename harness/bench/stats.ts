import { addDifference, noEvidence, rejects } from '../stats/mixture-test.ts';
import { noiseShapes, simulateBlock, slotNoise, type NoiseShape } from '../stats/noise.ts';
import { seededGenerator, type SeededGenerator } from '../stats/random.ts';
import { rateInterval, type RateInterval } from '../stats/rate-interval.ts';
import { addValue, noValues, welchP, type GroupMoments } from '../stats/welch.ts';
import { addToSums, designRejects, noSums } from './stats-design.ts';

/** How a difference is looked for. */
export const benchMethods = [
  /** The farm's test, looked at after every block. */
  'mixture',
  /** The formula that the farm's design began with, looked at after every block. */
  'design-formula',
  /** Welch's t-test, looked at once, at the smallest size with the wanted power for that very noise. */
  'welch-once',
  /** 50 values of each, then 10 more at a time until the 95 % t-interval excludes zero. */
  'fifty-then-ten',
] as const;

export type BenchMethod = (typeof benchMethods)[number];

export interface StatsBenchRow {
  readonly noise: NoiseShape;
  /** True a / b − 1. */
  readonly difference: number;
  readonly method: BenchMethod;
  /** Blocks until found; a run that never finds it counts as infinite, and null stands for that. */
  readonly medianBlocks: number | null;
  /** Blocks by which nine runs of ten have found it: the sizes that compare methods at power 0.9. */
  readonly blocksFor90: number | null;
  /** Share of runs that find it within the largest number of blocks. */
  readonly power: number;
  /** Share of A/A runs in which the method, used the same way, reports a difference. */
  readonly falseAlarms: RateInterval;
}

export interface StatsBenchSize {
  /** Simulated runs for each noise and difference. */
  readonly runs?: number;
  /** Largest number of blocks of one run. */
  readonly blocks?: number;
}

const alpha = 0.05;
const spread = 0.05;
const power = 0.9;
const differences = [0.05, 0.1] as const;

/**
 * How many blocks four methods need for a 5 % and a 10 % difference at 5 % noise, and how often
 * each reports a difference that is not there. Pure: the same seed gives the same rows. Takes about
 * 10 s for the default of 1,000 runs.
 *
 * The fixed-size test gets an advantage that it has in no real comparison: its size is chosen
 * knowing both the noise and the difference. `medianBlocks` of it equals its size.
 */
export function statsBench(
  seed: number,
  { runs = 1000, blocks = 300 }: StatsBenchSize = {},
): StatsBenchRow[] {
  const generator = seededGenerator(seed);
  return noiseShapes.flatMap((noise) => {
    const simulate = (ratio: number) =>
      Array.from({ length: runs }, () => watchRun({ noise, ratio, blocks, generator }));
    const equal = simulate(1);
    return differences.flatMap((difference) => {
      const unequal = simulate(1 + difference);
      return benchMethods.map((method) => ({
        noise,
        difference,
        method,
        ...(method === 'welch-once'
          ? lookOnce({ equal, unequal, blocks })
          : lookOften({ equal, unequal, method })),
      }));
    });
  });
}

/** When one simulated run would have been stopped by each method. */
interface WatchedRun {
  /** Blocks at which the method reports a difference; infinite for never. */
  readonly mixture: number;
  readonly 'design-formula': number;
  readonly 'fifty-then-ten': number;
  /** Whether a t-test at n blocks would report a difference, by n. */
  readonly welchAt: readonly boolean[];
}

interface RunSettings {
  readonly noise: NoiseShape;
  readonly ratio: number;
  readonly blocks: number;
  readonly generator: SeededGenerator;
}

function watchRun({ noise, ratio, blocks, generator }: RunSettings): WatchedRun {
  const slots = slotNoise(noise, { spread, generator });
  let evidence = noEvidence;
  let sums = noSums;
  let ofA: GroupMoments = noValues;
  let ofB: GroupMoments = noValues;
  let mixture = Infinity;
  let design = Infinity;
  const welchAt: boolean[] = [false];
  for (let n = 1; n <= blocks; n += 1) {
    const { a, b } = simulateBlock(slots, { ratio, generator });
    evidence = addDifference(evidence, Math.log(a / b));
    sums = addToSums(sums, Math.log(a / b));
    ofA = addValue(ofA, a);
    ofB = addValue(ofB, b);
    if (mixture === Infinity && rejects(evidence, alpha)) mixture = n;
    if (design === Infinity && designRejects(sums, alpha)) design = n;
    welchAt.push(n >= 2 && welchP(ofA, ofB) <= alpha);
  }
  return { mixture, 'design-formula': design, 'fifty-then-ten': firstTenth(welchAt), welchAt };
}

/** The rule's stopping time: the first of 50, 60, 70, … blocks at which the t-interval excludes zero. */
function firstTenth(welchAt: readonly boolean[]): number {
  const found = welchAt.findIndex((alarm, n) => alarm && n >= 50 && n % 10 === 0);
  return found === -1 ? Infinity : found;
}

type Outcome = Pick<StatsBenchRow, 'medianBlocks' | 'blocksFor90' | 'power' | 'falseAlarms'>;

interface Watched {
  readonly equal: readonly WatchedRun[];
  readonly unequal: readonly WatchedRun[];
}

function lookOften({
  equal,
  unequal,
  method,
}: Watched & { readonly method: Exclude<BenchMethod, 'welch-once'> }): Outcome {
  const stops = unequal.map((run) => run[method]).sort((a, b) => a - b);
  const found = stops.filter((stop) => stop < Infinity).length;
  return {
    medianBlocks: blocksAt(stops, 0.5),
    blocksFor90: blocksAt(stops, power),
    power: found / stops.length,
    falseAlarms: alarmRate(equal.map((run) => run[method] < Infinity)),
  };
}

/** The smallest number of blocks by which a share of the (sorted) runs has stopped. */
function blocksAt(stops: readonly number[], share: number): number | null {
  const stop = stops[Math.ceil(share * stops.length) - 1] ?? Infinity;
  return stop === Infinity ? null : stop;
}

function lookOnce({ equal, unequal, blocks }: Watched & { readonly blocks: number }): Outcome {
  const powerAt = (n: number) => shareOf(unequal.map((run) => run.welchAt[n] === true));
  const sizes = Array.from({ length: blocks }, (_, index) => index + 1);
  const size = sizes.find((n) => powerAt(n) >= power);
  return {
    medianBlocks: size ?? null,
    blocksFor90: size ?? null,
    power: powerAt(size ?? blocks),
    falseAlarms: alarmRate(equal.map((run) => run.welchAt[size ?? blocks] === true)),
  };
}

function shareOf(events: readonly boolean[]): number {
  return events.filter(Boolean).length / events.length;
}

function alarmRate(alarms: readonly boolean[]): RateInterval {
  return rateInterval({ count: alarms.filter(Boolean).length, of: alarms.length });
}
