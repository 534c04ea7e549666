import { expect, test } from '@playwright/test';
import { eBh } from './e-bh.ts';
import { addDifference, logEValue, noEvidence, rejects } from './mixture-test.ts';
import { noiseShapes, simulateBlock, slotNoise, type NoiseShape } from './noise.ts';
import { seededGenerator, type SeededGenerator } from './random.ts';
import { rateInterval } from './rate-interval.ts';
import { runningIntervals } from './ratio-interval.ts';
import { addValue, noValues, welchP } from './welch.ts';

const alpha = 0.05;
const blocks = 200;
const spread = 0.05;

/**
 * Whether so many errors among so many simulated runs *prove* a rate of at most α: the upper end of
 * the exact 99.8 % interval lies below it. Seeds are fixed, so the answer is the same every time; a
 * method whose true rate is α or more passes for 1 seed in 1,000.
 */
function provesAtMostAlpha(count: number, of: number): boolean {
  return rateInterval({ count, of, confidence: 0.998 }).high <= alpha;
}

/** One simulated comparison, block after block: noise belongs to slots, a coin gives slots to series. */
function* comparison(shape: NoiseShape, ratio: number, generator: SeededGenerator) {
  const noise = slotNoise(shape, { spread, generator });
  for (let block = 0; block < blocks; block += 1) yield simulateBlock(noise, { ratio, generator });
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How many of the runs raise an alarm at any of their looks. */
function countAlarms(runs: number, alarms: (run: number) => boolean): number {
  return Array.from({ length: runs }, (_, run) => alarms(run)).filter(Boolean).length;
}

/** Looks after every block, and raises an alarm as soon as equality is rejected. */
function mixtureAlarms(shape: NoiseShape, generator: SeededGenerator): boolean {
  let evidence = noEvidence;
  for (const { a, b } of comparison(shape, 1, generator)) {
    evidence = addDifference(evidence, Math.log(a / b));
    if (logEValue(evidence) >= -Math.log(alpha)) return true;
  }
  return false;
}

/** The common mistake: Welch's t-test at every look, from ten blocks on. */
function naiveAlarms(shape: NoiseShape, generator: SeededGenerator): boolean {
  let ofA = noValues;
  let ofB = noValues;
  for (const { a, b } of comparison(shape, 1, generator)) {
    ofA = addValue(ofA, a);
    ofB = addValue(ofB, b);
    if (ofA.count >= 10 && welchP(ofA, ofB) <= alpha) return true;
  }
  return false;
}

for (const shape of noiseShapes) {
  test(`A/A: at most 5 % false alarms over 200 looks under ${shape} noise`, () => {
    const generator = seededGenerator(101);
    const alarms = countAlarms(3000, () => mixtureAlarms(shape, generator));
    expect(provesAtMostAlpha(alarms, 3000), `${String(alarms)} alarms in 3000 runs`).toBe(true);
  });
}

for (const shape of ['normal', 'student', 'bimodal'] as const) {
  test(`the check has teeth: a t-test at every look fails it under ${shape} noise`, () => {
    const generator = seededGenerator(102);
    const alarms = countAlarms(400, () => naiveAlarms(shape, generator));
    expect(provesAtMostAlpha(alarms, 400)).toBe(false);
    // Not merely unproven: it is certain that the rate is far above 5 %.
    expect(rateInterval({ count: alarms, of: 400, confidence: 0.998 }).low).toBeGreaterThan(0.1);
  });
}

test('the check has teeth: if a always ran before b, a machine that warms up would raise alarms', () => {
  const generator = seededGenerator(103);
  const fixedOrder = () => {
    let evidence = noEvidence;
    for (let block = 0; block < blocks; block += 1) {
      const warming = 0.4 * spread;
      const [first, second] = [generator.normal(), generator.normal()].map((z) => spread * z);
      evidence = addDifference(evidence, (first ?? 0) - (second ?? 0) - warming);
      if (logEValue(evidence) >= -Math.log(alpha)) return true;
    }
    return false;
  };
  const alarms = countAlarms(200, fixedOrder);
  expect(rateInterval({ count: alarms, of: 200, confidence: 0.998 }).low).toBeGreaterThan(0.1);
});

const trueRatio = 1.07;

/** The block differences of one simulated comparison of two series that differ by 7 %. */
function unequalDifferences(shape: NoiseShape, generator: SeededGenerator): number[] {
  return [...comparison(shape, trueRatio, generator)].map(({ a, b }) => Math.log(a / b));
}

/** Whether the interval of any look leaves the shift out: their running intersection tells. */
function isLeftOut(differences: readonly number[], shift: number): boolean {
  const last = runningIntervals(differences, alpha).at(-1);
  return last?.kind !== 'bounded' || shift < last.low || shift > last.high;
}

/** The same without the search for bounds, a hundred times as fast: the shift is asked about itself. */
function isRejectedAtAnyLook(differences: readonly number[], shift: number): boolean {
  let evidence = noEvidence;
  return differences.some((difference) => {
    evidence = addDifference(evidence, difference - shift);
    return rejects(evidence, alpha);
  });
}

for (const shape of noiseShapes) {
  test(`the interval holds the true ratio at all 200 looks at once under ${shape} noise`, () => {
    const generator = seededGenerator(104);
    const runs = 3000;
    let disagreements = 0;
    const misses = countAlarms(runs, (run) => {
      const differences = unequalDifferences(shape, generator);
      const isMissed = isRejectedAtAnyLook(differences, Math.log(trueRatio));
      const isChecked = isMissed || run < 60;
      if (isChecked && isLeftOut(differences, Math.log(trueRatio)) !== isMissed) disagreements += 1;
      return isMissed;
    });
    expect(provesAtMostAlpha(misses, runs), `${String(misses)} misses in ${runs} runs`).toBe(true);
    // In the first 60 runs, and in every run with a miss, the intervals themselves were computed.
    expect(disagreements).toBe(0);
  });
}

for (const other of ['lognormal', 'student'] as const) {
  test(`beyond its assumption: one series normal, the other ${other}, equal spread`, () => {
    // The order inside a block cannot make d symmetric when noise belongs to a series rather than to
    // a slot. Measured, not proved: the ratio of the geometric means is still covered. README, Limits.
    const generator = seededGenerator(106);
    const ofA = slotNoise('normal', { spread, generator });
    const ofB = slotNoise(other, { spread, generator });
    const centre = average(Array.from({ length: 200_000 }, () => ofA() - ofB()));
    const runs = 3000;
    const misses = countAlarms(runs, () => {
      const differences = Array.from({ length: blocks }, () => ofA() - ofB());
      return isRejectedAtAnyLook(differences, centre);
    });
    expect(provesAtMostAlpha(misses, runs), `${String(misses)} misses in ${runs} runs`).toBe(true);
  });
}

/** A table of 30 equal and 10 different pairs, each watched until its own stopping time. */
function discoveries(generator: SeededGenerator, decideTable: typeof eBh): number {
  const ratios = [
    ...Array.from({ length: 30 }, () => 1),
    ...Array.from({ length: 10 }, () => 1.08),
  ];
  const logEValues = ratios.map((ratio, index) => {
    const shape = noiseShapes[index % noiseShapes.length] ?? 'normal';
    let evidence = noEvidence;
    for (const { a, b } of comparison(shape, ratio, generator)) {
      evidence = addDifference(evidence, Math.log(a / b));
      // A stopping rule that fishes for alarms: stop as soon as it looks good, or after 60 blocks.
      if (evidence.blocks >= 60 || logEValue(evidence) >= Math.log(100)) break;
    }
    return logEValue(evidence);
  });
  const rejected = decideTable(logEValues, alpha);
  const found = rejected.filter(Boolean).length;
  return found === 0 ? 0 : rejected.filter((one, index) => one && index < 30).length / found;
}

/** Upper bound of a mean of shares, 99.9 % sure: Maurer & Pontil (2009), theorem 4. */
function meanAtMost(shares: readonly number[]): number {
  const n = shares.length;
  const mean = average(shares);
  const variance = shares.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1);
  const certainty = Math.log(2 / 0.001);
  return mean + Math.sqrt((2 * variance * certainty) / n) + (7 * certainty) / (3 * (n - 1));
}

test('e-BH: the mean share of false discoveries is at most 5 % in tables that stop when they like', () => {
  const generator = seededGenerator(105);
  const shares = Array.from({ length: 600 }, () => discoveries(generator, eBh));
  expect(meanAtMost(shares)).toBeLessThanOrEqual(alpha);
});

test('the check has teeth: rejecting everything with E ≥ 2 in the same tables fails it', () => {
  const generator = seededGenerator(105);
  const careless = (logEValues: readonly number[]) => logEValues.map((logE) => logE >= Math.log(2));
  const shares = Array.from({ length: 200 }, () => discoveries(generator, careless));
  expect(meanAtMost(shares)).toBeGreaterThan(alpha);
});
