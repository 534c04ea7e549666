import { formatPercent } from '../../reports/html/number.ts';
import { type RoundEvidence, computeRoundEvidence } from '../core/analysis/stats/first-round.ts';
import {
  addDifference,
  emptyEvidence,
  isRejected,
  type Side,
} from '../core/analysis/stats/mixture-test.ts';
import {
  type NoiseShape,
  noiseShapes,
  simulateBlock,
  simulateFirstRound,
  slotNoise,
} from '../core/analysis/stats/noise.ts';
import { seededGenerator, type SeededGenerator } from '../core/analysis/stats/random.ts';
import { rateInterval, type RateInterval } from '../core/analysis/stats/rate-interval.ts';
import { defaultMargin } from '../core/analysis/stats/verdict.ts';
import type { BenchRow } from './row.ts';
import {
  addToScales,
  addValue,
  type GroupMoments,
  noScalesEvidence,
  noValues,
  scalesReject,
  welchP,
} from './stats-scales.ts';

/** The methods with a look after every block. */
const sequentialMethods = [
  /** The farm's test of alike sides, with a first round of five blocks. */
  'alike',
  /** The farm's test of all others. */
  'unlike',
  /** The former test of the farm. */
  'several-scales',
] as const;

/** All methods. */
export const benchMethods = [
  ...sequentialMethods,
  /** Welch's t-test with one look, at the smallest size with the wanted power for that noise. */
  'welch-once',
  /** 50 values of each, then 10 more at a time until the 95 % t-interval excludes zero. */
  'fifty-then-ten',
] as const;

type SequentialMethod = (typeof sequentialMethods)[number];
export type BenchMethod = (typeof benchMethods)[number];

export interface StatsBenchRow {
  readonly noise: NoiseShape;
  /** Standard deviation of a trial, as a share. */
  readonly spread: number;
  /** True a / b − 1; for 0 the question is when the two are shown to be equivalent within 2 %. */
  readonly difference: number;
  readonly method: BenchMethod;
  /** Blocks until found, where a run that never finds it counts as infinite; null is infinite. */
  readonly medianBlocks: number | null;
  /** Blocks by which nine runs of ten have found it, to compare methods at power 0.9. */
  readonly blocksFor90: number | null;
  /** Share of runs that find it within the largest number of blocks. */
  readonly power: number;
  /** Share of A/A runs in which the same method reports a difference. */
  readonly falseAlarms: RateInterval;
}

interface StatsBenchSize {
  /** Simulated runs for each noise and difference. */
  readonly runs?: number;
  /** Largest number of blocks of one run. */
  readonly blocks?: number;
}

const alpha = 0.05;
const power = 0.9;
const roundBlocks = 5;
const margin = Math.log1p(defaultMargin);
const differences = [0.02, 0.05, 0.1] as const;

/** The simulated noises: every shape at much noise, the normal one also at less. */
const noises: readonly (readonly [NoiseShape, number])[] = [
  ['normal', 0.006],
  ['normal', 0.015],
  ...noiseShapes.map((shape) => [shape, 0.05] as const),
];

/**
 * Simulates how many blocks five methods need for differences of 2, 5 and 10 %, and three of them
 * for equivalence; and their false alarms. Pure: the same seed gives the same rows. Takes about a
 * minute for the default of 500 runs of 500 blocks.
 *
 * The fixed-size test gets an advantage that it never has in practice: its size is chosen with the
 * noise and the difference known. Its `medianBlocks` equals its size.
 */
export function statsBench(
  seed: number,
  { runs = 500, blocks = 500 }: StatsBenchSize = {},
): StatsBenchRow[] {
  const generator = seededGenerator(seed);
  return noises.flatMap(([noise, spread]) => {
    const simulate = (ratio: number) =>
      Array.from({ length: runs }, () => watchRun({ noise, spread, ratio, blocks, generator }));
    const equal = simulate(1);
    const equivalence = sequentialMethods.map((method) => {
      const stops = equal.map((run) => run.equivalent[method]);
      return {
        noise,
        spread,
        difference: 0,
        method,
        ...soonest(stops),
        ...alarmsOf(equal, method),
      };
    });
    const found = differences.flatMap((difference) => {
      const unequal = simulate(1 + difference);
      return benchMethods.map((method) => ({
        noise,
        spread,
        difference,
        method,
        ...(method === 'welch-once'
          ? lookOnce({ equal, unequal, blocks })
          : {
              ...soonest(unequal.map((run) => run.different[method])),
              ...alarmsOf(equal, method),
            }),
      }));
    });
    return [...equivalence, ...found];
  });
}

/** The blocks at which each method would stop one simulated run; infinite for never. */
interface WatchedRun {
  readonly different: Readonly<Record<SequentialMethod | 'fifty-then-ten', number>>;
  readonly equivalent: Readonly<Record<SequentialMethod, number>>;
  /** For each n whether a t-test at n blocks reports a difference. */
  readonly welchAt: readonly boolean[];
}

interface RunSettings {
  readonly noise: NoiseShape;
  readonly spread: number;
  readonly ratio: number;
  readonly blocks: number;
  readonly generator: SeededGenerator;
}

function watchRun({ noise, spread, ratio, blocks, generator }: RunSettings): WatchedRun {
  const slots = slotNoise(noise, { spread, generator });
  const first = simulateFirstRound(slots, { ratio, blocks: roundBlocks, generator });
  const later = Array.from({ length: blocks - roundBlocks }, () =>
    simulateBlock(slots, { ratio, generator }),
  );
  const pairs = [...first, ...later];
  const logs = pairs.map(({ a, b }) => Math.log(a / b));
  const values = { a: first.map(({ a }) => a), b: first.map(({ b }) => b) };
  const watched = {
    alike: watch(logs, betsOn(computeRoundEvidence({ blocks: roundBlocks, values })), ratio === 1),
    unlike: watch(logs, betsOn(null), ratio === 1),
    'several-scales': watch(logs, scalesOn, ratio === 1),
  };
  const welchAt = welchLooks(pairs);
  return {
    different: {
      alike: watched.alike.different,
      unlike: watched.unlike.different,
      'several-scales': watched['several-scales'].different,
      'fifty-then-ten': firstTenth(welchAt),
    },
    equivalent: {
      alike: watched.alike.equivalent,
      unlike: watched.unlike.equivalent,
      'several-scales': watched['several-scales'].equivalent,
    },
    welchAt,
  };
}

/** A test of one shift, block after block: the sides from which it rejects it. */
type Look = (difference: number) => (side: Side) => boolean;
type TestOf = (shift: number) => Look;

function betsOn(round: RoundEvidence | null): TestOf {
  return (shift) => {
    let evidence = emptyEvidence(shift, round);
    return (difference) => {
      evidence = addDifference(evidence, difference - shift);
      // No look lies inside a first round.
      return (side) => evidence.blocks >= roundBlocks && isRejected(evidence, { side, alpha });
    };
  };
}

const scalesOn: TestOf = (shift) => {
  let evidence = noScalesEvidence;
  return (difference) => {
    evidence = addToScales(evidence, difference - shift);
    return (side) => scalesReject(evidence, { side, alpha });
  };
};

/** Returns the blocks by which equality, and both ends of the margin, are rejected. */
function watch(
  logs: readonly number[],
  test: TestOf,
  isEqual: boolean,
): { readonly different: number; readonly equivalent: number } {
  const [atZero, atLow, atHigh] = [test(0), test(-margin), test(margin)];
  let different = Infinity;
  let isAbove = Infinity;
  let isBelow = Infinity;
  for (const [index, difference] of logs.entries()) {
    const zero = atZero(difference);
    if (different === Infinity && (zero('above') || zero('below'))) different = index + 1;
    if (!isEqual && different < Infinity) break;
    if (!isEqual) continue;
    if (isAbove === Infinity && atLow(difference)('above')) isAbove = index + 1;
    if (isBelow === Infinity && atHigh(difference)('below')) isBelow = index + 1;
  }
  return { different, equivalent: Math.max(isAbove, isBelow) };
}

function welchLooks(pairs: readonly { readonly a: number; readonly b: number }[]): boolean[] {
  let ofA: GroupMoments = noValues;
  let ofB: GroupMoments = noValues;
  const looks = pairs.map(({ a, b }, index) => {
    ofA = addValue(ofA, a);
    ofB = addValue(ofB, b);
    return index >= 1 && welchP(ofA, ofB) <= alpha;
  });
  return [false, ...looks];
}

/**
 * Returns the stopping time of the rule: the first of 50, 60, 70, … blocks at which the t-interval
 * excludes zero.
 */
function firstTenth(welchAt: readonly boolean[]): number {
  const found = welchAt.findIndex((alarm, n) => alarm && n >= 50 && n % 10 === 0);
  return found === -1 ? Infinity : found;
}

type Soonest = Pick<StatsBenchRow, 'medianBlocks' | 'blocksFor90' | 'power'>;
type Alarms = Pick<StatsBenchRow, 'falseAlarms'>;

function soonest(stops: readonly number[]): Soonest {
  const sorted = stops.toSorted((a, b) => a - b);
  return {
    medianBlocks: blocksAt(sorted, 0.5),
    blocksFor90: blocksAt(sorted, power),
    power: shareOf(stops.map((stop) => stop < Infinity)),
  };
}

function alarmsOf(
  equal: readonly WatchedRun[],
  method: Exclude<BenchMethod, 'welch-once'>,
): Alarms {
  return { falseAlarms: alarmRate(equal.map((run) => run.different[method] < Infinity)) };
}

/** The smallest number of blocks by which a share of the (sorted) runs has stopped. */
function blocksAt(stops: readonly number[], share: number): number | null {
  const stop = stops[Math.ceil(share * stops.length) - 1] ?? Infinity;
  return stop === Infinity ? null : stop;
}

interface WatchedRuns {
  readonly equal: readonly WatchedRun[];
  readonly unequal: readonly WatchedRun[];
  readonly blocks: number;
}

function lookOnce({ equal, unequal, blocks }: WatchedRuns): Soonest & Alarms {
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

const seed = 1;

/**
 * Compares the farm's test with a fixed-size one and the common "50, then 10 more", by simulation.
 */
export function statsRows(): Promise<readonly BenchRow[]> {
  return Promise.resolve(statsBench(seed).map(rowOf));
}

function rowOf(row: StatsBenchRow): BenchRow {
  const { noise, spread, difference, method, medianBlocks, blocksFor90, falseAlarms } = row;
  return {
    bench: 'stats',
    figure: `${noise} ${formatPercent(spread, 1)}, ${difference === 0 ? 'equivalent' : formatPercent(difference, 1)}: ${method}`,
    value: medianBlocks ?? Infinity,
    unit: 'blocks',
    ratio: null,
    detail: `nine of ten by ${blocksFor90 === null ? 'never' : String(blocksFor90)}; false alarms ${formatPercent(falseAlarms.rate, 1)} (${formatPercent(falseAlarms.low, 1)} … ${formatPercent(falseAlarms.high, 1)})`,
  };
}
