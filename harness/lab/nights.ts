import { cumulativeStdNormalProbability, probit } from 'simple-statistics';
import {
  type PlacedSeries,
  searchAll,
  type WatchedSeries,
} from '../features/nights/history/suspicion.ts';
import {
  bestEnergySplit,
  findChangePoints,
  shortestSegment,
} from '../features/nights/history/change-points.ts';
import {
  addDifference,
  isRejected,
  noEvidence,
  rejects,
  type Side,
} from '../core/analysis/stats/mixture-test.ts';
import { monteCarloP } from '../features/nights/history/nights-noise.ts';
import { simulateBlock, slotNoise } from '../core/analysis/stats/noise.ts';
import { seededGenerator, type SeededGenerator } from '../core/analysis/stats/random.ts';

/** A simulated farm: nights × series, of which the medians scatter by 2 %. */
export interface SimulatedFarm {
  readonly series: number;
  /** Nights before the first look. */
  readonly past: number;
  readonly nights: number;
  /** The memory of a night for the one before: φ of AR(1). */
  readonly memory: number;
  /** Share of nights that are off by 5 to 15 standard deviations, one in five of them downwards. */
  readonly spikes: number;
  /**
   * Browsers are updated at a fixed interval of nights; a quarter of the series belongs to each of
   * four.
   */
  readonly updateEvery: number;
}

export const farmOfTheIssue: SimulatedFarm = {
  series: 200,
  past: 30,
  nights: 100,
  memory: 0.5,
  spikes: 0.02,
  updateEvery: 14,
};

/** The number of browsers; series belong to them in turns. */
const browsers = 4;

export const spread = 0.02;
const nightlyAlpha = 0.05;
const mostBlocks = 60;
/** The spread of trials inside one night, which exceeds that of the medians of nights. */
const trialSpread = 0.05;

/** Simulates ln of a series' nightly medians without changes. */
export function simulateSeries(
  { past, nights, memory, spikes }: Pick<SimulatedFarm, 'past' | 'nights' | 'memory' | 'spikes'>,
  generator: SeededGenerator,
): readonly number[] {
  let state = generator.normal();
  return Array.from({ length: past + nights }, () => {
    state = memory * state + Math.sqrt(1 - memory ** 2) * generator.normal();
    const size = 5 + 10 * generator.uniform();
    const spike = generator.uniform() < spikes ? (generator.nextInt(5) === 0 ? -size : size) : 0;
    return spread * (state + spike);
  });
}

/** The result of one simulated night without changes. */
export interface QuietNight {
  readonly suspects: number;
  /** Suspects at nights with an updated browser: these can be measured again. */
  readonly measured: number;
  /** Suspects that the sequential test would confirm, if all were measured again. */
  readonly anomalies: number;
}

/** Simulates the nights of a farm where only the browsers' version numbers change. */
export function quietNights(farm: SimulatedFarm, seed: number): readonly QuietNight[] {
  const generator = seededGenerator(seed);
  const all = Array.from({ length: farm.series }, () => simulateSeries(farm, generator));
  return Array.from({ length: farm.nights }, (_, night) => {
    const until = farm.past + night + 1;
    const watched = all.map((values, index) => watchedUntil(values, { until, farm, index }));
    const suspects = searchAll(watched, generator).flatMap(({ suspect }, index) =>
      suspect === null ? [] : [watched[index]?.changed.includes(suspect.index) === true],
    );
    const anomalies = suspects.filter(() =>
      isConfirmed({ ratio: 1, side: 'above', alpha: nightlyAlpha / suspects.length, generator }),
    ).length;
    const measured = suspects.filter(Boolean).length;
    return { suspects: suspects.length, measured, anomalies };
  });
}

interface View {
  readonly until: number;
  readonly farm: Pick<SimulatedFarm, 'updateEvery'>;
  /** The index of the series: a quarter of them shares a browser. */
  readonly index: number;
}

function watchedUntil(values: readonly number[], { until, farm, index }: View): WatchedSeries {
  const shift = Math.floor(((index % browsers) * farm.updateEvery) / browsers);
  const seen = values.slice(0, until);
  const changed = seen.flatMap((_, night) =>
    night > 0 && (night + shift) % farm.updateEvery === 0 ? [night] : [],
  );
  return { ...placed(seen, index), changed };
}

/** A series with its nights and its browser, one of four. */
function placed(values: readonly number[], index: number): PlacedSeries {
  return { values, nights: values.map((_, night) => night), group: String(index % browsers) };
}

interface Confirming {
  /** True new / old. */
  readonly ratio: number;
  /** The suspected side. */
  readonly side: Side;
  readonly alpha: number;
  readonly generator: SeededGenerator;
}

/**
 * Compares the old build with the new in interleaved blocks, until the test rejects equality or the
 * budget ends.
 */
function isConfirmed({ ratio, side, alpha, generator }: Confirming): boolean {
  const noise = slotNoise('autocorrelated', { spread: trialSpread, generator });
  let evidence = noEvidence;
  for (let block = 0; block < mostBlocks; block += 1) {
    const { a, b } = simulateBlock(noise, { ratio, generator });
    evidence = addDifference(evidence, Math.log(a / b));
    if (rejects(evidence, alpha)) return isRejected(evidence, { side, alpha });
  }
  return false;
}

/**
 * Shares of the shifted series that were suspected by the second and third night, and confirmed.
 */
export interface DetectionShares {
  readonly bySecond: number;
  readonly byThird: number;
  /** Found by the third night, and confirmed by re-measurement. */
  readonly confirmed: number;
  /** The share of the third night's suspects that had not shifted. */
  readonly mistaken: number;
}

interface Shift {
  /** True after / before. */
  readonly ratio: number;
  /** Share of the farm's series that shift, all in the same night. */
  readonly share: number;
  /** True if a change of that night is known. */
  readonly isKnown: boolean;
}

/** Simulates a farm of which the first series shift after its past, three nights before the end. */
export function shiftedSeries(
  farm: SimulatedFarm,
  { ratio, share }: Pick<Shift, 'ratio' | 'share'>,
  generator: SeededGenerator,
): readonly (readonly number[])[] {
  return Array.from({ length: farm.series }, (_, index) => {
    const values = simulateSeries({ ...farm, nights: 3 }, generator);
    const step = index < Math.round(farm.series * share) ? Math.log(ratio) : 0;
    return values.map((value, night) => (night >= farm.past ? value + step : value));
  });
}

/**
 * Shifts a share of a farm's series after its past, and counts those found in the following nights.
 */
export function findShifts(farm: SimulatedFarm, shift: Shift, seed: number): DetectionShares {
  const generator = seededGenerator(seed);
  const shifted = Math.round(farm.series * shift.share);
  const all = shiftedSeries(farm, shift, generator);
  const changed = shift.isKnown ? [farm.past] : [];
  const suspectsAfter = (nights: number): readonly number[] =>
    searchAll(
      all.map((values, index) => ({
        ...placed(values.slice(0, farm.past + nights), index),
        changed,
      })),
      generator,
    ).flatMap(({ suspect }, index) => (suspect === null ? [] : [index]));
  const second = suspectsAfter(2);
  const third = suspectsAfter(3);
  const isShifted = (index: number): boolean => index < shifted;
  const found = [...new Set([...second, ...third])].filter(isShifted);
  const alpha = nightlyAlpha / Math.max(1, third.length);
  const confirmed = found.filter(() =>
    isConfirmed({
      ratio: shift.ratio,
      side: shift.ratio > 1 ? 'above' : 'below',
      alpha,
      generator,
    }),
  );
  return {
    bySecond: second.filter(isShifted).length / shifted,
    byThird: found.length / shifted,
    confirmed: confirmed.length / shifted,
    mistaken: third.filter((index) => !isShifted(index)).length / Math.max(1, third.length),
  };
}

/** Simulates series of 100 nights without changes. */
export function equalSeries(
  farm: Pick<SimulatedFarm, 'memory' | 'spikes' | 'series'>,
  seed: number,
): readonly (readonly number[])[] {
  const generator = seededGenerator(seed);
  return Array.from({ length: farm.series }, () =>
    simulateSeries({ ...farm, past: 0, nights: 100 }, generator),
  );
}

/** True if an unchanged series is reported as changed. */
interface FlaggedSeries {
  readonly ours: boolean;
  /** The same splits judged by values in random order, as E-divisive does; at most 5 %. */
  readonly eDivisive: boolean;
}

export function flagSeries(
  series: readonly (readonly number[])[],
  seed: number,
): readonly FlaggedSeries[] {
  const generator = seededGenerator(seed);
  return series.map((values) => ({
    ours: findChangePoints(values, { generator }).length > 0,
    eDivisive: plainP(values, generator) <= 0.05,
  }));
}

/** The p-value of E-divisive's best split, from values in random order. */
function plainP(values: readonly number[], generator: SeededGenerator): number {
  const strength = (series: readonly number[]): number =>
    bestEnergySplit(series, { shortest: shortestSegment })?.strength ?? 0;
  return monteCarloP({
    seen: strength(values),
    draw: () => strength(generator.shuffle(values)),
    mostDraws: 999,
  });
}

/** A step in noise with known level, spread and memory, at a known night. */
interface KnownStep {
  /** Size of the step in spreads of the noise. */
  readonly size: number;
  /** φ of AR(1). */
  readonly memory: number;
  /** Nights since the step. */
  readonly nights: number;
  /** Error rate of the test, both sides together. */
  readonly alpha: number;
}

/**
 * Returns the power that no test of these nights can exceed, for normal noise without spikes: that
 * of the likelihood ratio (Neyman & Pearson). A step of size δ adds δ to the first innovation,
 * whose standard deviation is √(1 − φ²), and (1 − φ) δ to each later one, so the nights together
 * see it with
 *     z = δ √((1 + (n − 1)(1 − φ)²) / (1 − φ²)),   power = Φ(z − z_{1 − α/2}).
 */
export function mostPower({ size, memory, nights, alpha }: KnownStep): number {
  const information = (1 + (nights - 1) * (1 - memory) ** 2) / (1 - memory ** 2);
  return cumulativeStdNormalProbability(size * Math.sqrt(information) - probit(1 - alpha / 2));
}
