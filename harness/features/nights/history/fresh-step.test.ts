import { expect, test } from '@playwright/test';
import { fewestBefore, freshStep, type FreshStep } from './fresh-step.ts';
import { distancesOf, innovationsOf, nightsNoise } from './nights-noise.ts';
import { rateInterval } from '../../../core/analysis/stats/rate-interval.ts';
import { seededGenerator, type SeededGenerator } from '../../../core/analysis/stats/random.ts';

interface Nights {
  readonly count: number;
  readonly memory: number;
  readonly generator: SeededGenerator;
  /** Share of nights that are off by ten standard deviations. */
  readonly spikes?: number;
}

/** ln of medians that scatter by 2 %. */
function nights({ count, memory, generator, spikes = 0 }: Nights): number[] {
  let state = generator.normal();
  return Array.from({ length: count }, () => {
    state = memory * state + Math.sqrt(1 - memory ** 2) * generator.normal();
    const spike = spikes > 0 && generator.uniform() < spikes ? 10 : 0;
    return 0.02 * (state + spike);
  });
}

function shifted(values: readonly number[], from: number, ratio: number): number[] {
  return values.map((value, night) => (night >= from ? value + Math.log(ratio) : value));
}

/**
 * Limits two nights: the one nearer to the old level stays, and the other is at most one spread
 * beyond it.
 */
function inAgreement(one: number, other: number): readonly [number, number] {
  const middle = Math.abs(one) < Math.abs(other) ? one : other;
  const near = (night: number): number =>
    Math.min(Math.max(middle, 0) + 1, Math.max(Math.min(middle, 0) - 1, night));
  return [near(one), near(other)];
}

/** A drawn night, or the spike in its place, with the probability of each. */
function mayBeSpike(night: number, before: readonly number[]): readonly (readonly number[])[] {
  const spikes = before.filter((z) => Math.abs(z) >= 3);
  const rate = (spikes.length + 1) / (before.length + 2);
  const above = (spikes.filter((z) => z > 0).length + 1) / (spikes.length + 2);
  return [
    [night, 1 - rate],
    [3, rate * above],
    [-3, rate * (1 - above)],
  ];
}

/** T and its p over every ordered pair of innovations that could stand at the end, and every spike. */
function exactP(values: readonly number[], split: number): number {
  const noise = nightsNoise(values.slice(0, split));
  const { memory } = noise;
  const z = distancesOf(values, noise);
  const e = innovationsOf(z, memory).filter((_, index) =>
    [index, index - 1].every((at) => at >= split || Math.abs(z[at] ?? 0) < 3),
  );
  const mean = e.reduce((sum, one) => sum + one, 0) / e.length;
  const last = z[split - 1] ?? NaN;
  const strength = (one: number, other: number): number => {
    const [first, second] = inAgreement(one, other);
    const sum = first - memory * last - mean + (1 - memory) * (second - memory * first - mean);
    return Math.abs(sum) / Math.sqrt(1 + (1 - memory) ** 2);
  };
  const [one = NaN, other = NaN] = z.slice(split);
  const seen = strength(one, other);
  const within = (night: number): number => Math.min(3, Math.max(-3, night));
  const before = z.slice(0, split);
  const chances = e.flatMap((first, i) =>
    e.flatMap((second, j) => {
      const night = within(memory * last + first);
      const next = within(memory * night + second);
      if (i === j) return [];
      return mayBeSpike(night, before).flatMap(([a = NaN, ofA = NaN]) =>
        mayBeSpike(next, before).map(([b = NaN, ofB = NaN]) =>
          strength(a, b) >= seen * (1 - 1e-12) ? ofA * ofB : 0,
        ),
      );
    }),
  );
  return chances.reduce((sum, chance) => sum + chance, 0) / (e.length * (e.length - 1));
}

test('p is that of all orders of the innovations, as the formula says', () => {
  const generator = seededGenerator(31);
  for (let round = 0; round < 10; round += 1) {
    const values = shifted(nights({ count: 22, memory: 0.5, generator }), 20, 1.04);
    const p = freshStep(values, { splits: [20], generator, mostDraws: 9_999 })?.p ?? NaN;
    const exact = exactP(values, 20);
    // Ten exceedances know p to a third of itself; twice that is three standard errors and more.
    expect(p).toBeGreaterThan(exact / 3);
    expect(p).toBeLessThan(3 * exact + 0.001);
  }
});

for (const [memory, spikes] of [
  [0, 0],
  [0.5, 0],
  [0.5, 0.02],
] as const) {
  for (const count of [20, 60]) {
    test(`A/A, memory ${String(memory)}, ${String(100 * spikes)} % spikes, ${String(count)} nights: small p are about as rare as they claim`, () => {
      const generator = seededGenerator(32);
      const runs = 600;
      const ps = Array.from({ length: runs }, () => {
        const values = nights({ count, memory, generator, spikes });
        return freshStep(values, { splits: [count - 3], generator, mostDraws: 199 })?.p ?? NaN;
      });
      const alarms = ps.filter((p) => p <= 0.1).length;
      // Level, spread and memory are estimated from few nights: half as many again are allowed for.
      expect(rateInterval({ count: alarms, of: runs }).low).toBeLessThan(0.15);
      expect(ps.every((p) => p > 0 && p <= 1)).toBe(true);
    });
  }
}

test('finds a step of 5 % at 2 % noise within three nights, at its night', () => {
  const generator = seededGenerator(33);
  const runs = 300;
  const found = Array.from({ length: runs }, () => {
    const values = shifted(nights({ count: 43, memory: 0.5, generator }), 40, 1.05);
    return freshStep(values, { splits: [40], generator, mostDraws: 199 });
  }).filter((step) => (step?.p ?? 1) <= 0.1).length;
  expect(rateInterval({ count: found, of: runs }).rate).toBeGreaterThan(0.9);
});

function stepOf(values: readonly number[], splits: readonly number[]): FreshStep {
  const step = freshStep(values, { splits, generator: seededGenerator(34) });
  if (step === null) throw new Error('too few values');
  return step;
}

test('names the place where the level changed, with the levels on both sides', () => {
  const values = shifted(
    nights({ count: 44, memory: 0.3, generator: seededGenerator(35) }),
    40,
    1.2,
  );
  const step = stepOf(values, [39, 40, 41, 42]);
  expect(step).toMatchObject({ index: 40, nights: 4, agreeing: 4 });
  expect(Math.exp(step.after - step.before)).toBeGreaterThan(1.15);
  expect(step.p).toBeLessThan(0.01);
});

test('one night agrees with a single spike, however high it is', () => {
  const quiet = Array.from({ length: 40 }, (_, night) => 0.02 * Math.sin(night));
  for (const height of [0.5, 5]) {
    const spiked = quiet.map((value, night) => (night === 38 ? value + height : value));
    expect(stepOf(spiked, [38]).agreeing).toBeLessThanOrEqual(1);
  }
});

test('finds a step down as well as one up', () => {
  const values = nights({ count: 43, memory: 0.5, generator: seededGenerator(36) });
  const up = stepOf(shifted(values, 40, 1.1), [40]);
  const down = stepOf(
    shifted(values, 40, 1.1).map((value) => -value),
    [40],
  );
  expect(down.p).toBe(up.p);
  expect(down.after - down.before).toBeCloseTo(-(up.after - up.before), 12);
});

test('finds nothing with too few nights before', () => {
  const values = Array.from({ length: fewestBefore + 1 }, (_, night) => night % 3);
  const rules = { generator: seededGenerator(1) };
  expect(freshStep(values, { ...rules, splits: [fewestBefore - 1] })).toBeNull();
  expect(freshStep(values, { ...rules, splits: [fewestBefore] })).not.toBeNull();
  expect(freshStep(values, { ...rules, splits: [] })).toBeNull();
});

test('refuses values that are not numbers', () => {
  const rules = { splits: [2], generator: seededGenerator(1) };
  expect(() => freshStep([1, NaN, 2], rules)).toThrow(/not-finite|NaN/);
});
