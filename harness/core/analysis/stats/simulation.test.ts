import { expect, test } from '@playwright/test';
import { addValue, noValues, welchP } from '../../../lab/stats-scales.ts';
import { eBh } from './benjamini-hochberg.ts';
import { type FirstRound, computeRoundEvidence } from './first-round.ts';
import {
  addDifference,
  type Evidence,
  computeEvidence,
  isRejected,
  logEValue,
  noEvidence,
  rejects,
} from './mixture-test.ts';
import {
  type NoiseShape,
  noiseShapes,
  simulateBlock,
  simulateFirstRound,
  slotNoise,
} from './noise.ts';
import { seededGenerator, type SeededGenerator } from './random.ts';
import { rateInterval } from './rate-interval.ts';
import { holds, logInterval, runningIntervals } from './ratio-interval.ts';
import { bestSharedWindow, spreadLevels } from './spread-levels.ts';
import { typicalLogRatio } from './typical-ratio.ts';
import { decide, type Decisiveness, logDecisiveness } from './verdict.ts';

/** `npm test` simulates normal noise; all shapes, and what takes seconds, are of the campaign. */
const campaign = { tag: '@campaign' };
const laneOf = (shape: NoiseShape) => (shape === 'normal' ? {} : campaign);

const alpha = 0.05;
const blocks = 200;
const spread = 0.05;

/**
 * True if this number of errors among the simulated runs *proves* a rate of at most α: the upper
 * end of the exact 99.8 % interval lies below it. Seeds are fixed, so the answer is the same every
 * time; a method whose true rate is α or more passes for 1 seed in 1,000.
 */
function provesAtMostAlpha(count: number, of: number): boolean {
  return rateInterval({ count, of, confidence: 0.998 }).high <= alpha;
}

/** One simulated comparison, block after block: noise belongs to slots, a coin gives slots to series. */
function* comparison(shape: NoiseShape, ratio: number, generator: SeededGenerator) {
  const noise = slotNoise(shape, { spread, generator });
  for (let block = 0; block < blocks; block += 1) yield simulateBlock(noise, { ratio, generator });
}

interface SimulatedRun {
  readonly differences: readonly number[];
  readonly firstRound: FirstRound;
}

/** The same with a first round of five blocks, of sides that are alike. */
function alikeComparison(
  shape: NoiseShape,
  ratio: number,
  generator: SeededGenerator,
): SimulatedRun {
  const noise = slotNoise(shape, { spread, generator });
  const first = simulateFirstRound(noise, { ratio, blocks: 5, generator });
  const later = Array.from({ length: blocks - 5 }, () =>
    simulateBlock(noise, { ratio, generator }),
  );
  return {
    differences: [...first, ...later].map(({ a, b }) => Math.log(a / b)),
    firstRound: { blocks: 5, values: { a: first.map(({ a }) => a), b: first.map(({ b }) => b) } },
  };
}

/**
 * Returns whether a condition holds for the evidence about a shift at any look from the first
 * round's end on.
 */
function atAnyLook(
  { differences, firstRound }: SimulatedRun,
  shift: number,
  isTrue: (evidence: Evidence) => boolean,
): boolean {
  const { blocks: first } = firstRound;
  let evidence = computeEvidence(
    differences.slice(0, first),
    shift,
    computeRoundEvidence(firstRound),
  );
  if (isTrue(evidence)) return true;
  return differences.slice(first).some((difference) => {
    evidence = addDifference(evidence, difference - shift);
    return isTrue(evidence);
  });
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Counts the runs that raise an alarm at any look. */
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
  test(`A/A: at most 5 % false alarms over 200 looks under ${shape} noise`, laneOf(shape), () => {
    const generator = seededGenerator(101);
    const alarms = countAlarms(3000, () => mixtureAlarms(shape, generator));
    expect(provesAtMostAlpha(alarms, 3000), `${String(alarms)} alarms in 3000 runs`).toBe(true);
  });

  test(
    `A/A: the same with a first round of alike sides under ${shape} noise`,
    laneOf(shape),
    () => {
      const generator = seededGenerator(107);
      const reaches20 = (evidence: Evidence) => logEValue(evidence) >= -Math.log(alpha);
      const alarms = countAlarms(3000, () =>
        atAnyLook(alikeComparison(shape, 1, generator), 0, reaches20),
      );
      expect(provesAtMostAlpha(alarms, 3000), `${String(alarms)} alarms in 3000 runs`).toBe(true);
    },
  );
}

for (const shape of ['normal', 'student', 'bimodal'] as const) {
  test(
    `the check can fail: a t-test at every look fails it under ${shape} noise`,
    laneOf(shape),
    () => {
      const generator = seededGenerator(102);
      const alarms = countAlarms(400, () => naiveAlarms(shape, generator));
      expect(provesAtMostAlpha(alarms, 400)).toBe(false);
      // Not merely unproven: it is certain that the rate is far above 5 %.
      expect(rateInterval({ count: alarms, of: 400, confidence: 0.998 }).low).toBeGreaterThan(0.1);
    },
  );
}

test('the check can fail: a before b on a warming machine raises alarms', () => {
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

/** Returns whether the interval of any look excludes the shift, by their running intersection. */
function isLeftOut({ differences, firstRound }: SimulatedRun, shift: number): boolean {
  const last = runningIntervals(differences, alpha, { firstRound }).at(-1);
  return last?.kind !== 'bounded' || shift < last.low || shift > last.high;
}

/** The same without the search for bounds, a hundred times as fast: the shift is asked about itself. */
function isRejectedAtAnyLook(simulated: SimulatedRun, shift: number): boolean {
  return atAnyLook(simulated, shift, (evidence) => rejects(evidence, alpha));
}

for (const shape of noiseShapes) {
  test(
    `the interval holds the true ratio at all 200 looks at once under ${shape} noise`,
    laneOf(shape),
    () => {
      const generator = seededGenerator(104);
      const runs = 3000;
      const truth = Math.log(trueRatio);
      let disagreements = 0;
      const misses = countAlarms(runs, (run) => {
        const simulated = alikeComparison(shape, trueRatio, generator);
        const isMissed = isRejectedAtAnyLook(simulated, truth);
        if (run < 40 && isLeftOut(simulated, truth) !== isMissed) disagreements += 1;
        return isMissed;
      });
      expect(provesAtMostAlpha(misses, runs), `${String(misses)} misses in ${runs} runs`).toBe(
        true,
      );
      // In the first 40 runs the intervals themselves were computed.
      expect(disagreements).toBe(0);
    },
  );
}

/**
 * Sessions and the stretches inside them, of work that wanders: the mean over a number of
 * stretches.
 */
function timedFor(stretches: number, generator: SeededGenerator): readonly number[] {
  const session = 0.01 * generator.normal();
  return Array.from({ length: stretches }, () => session + 0.1 * generator.normal());
}

/**
 * A/A with a window that is chosen from the first round, of sides that are alike; looked at after
 * every round. `cheat` names the part of a block's own trials that is timed again.
 */
function windowAlarms(generator: SeededGenerator, cheat = false): boolean {
  const sides = [0, 1].map(() => Array.from({ length: 5 }, () => timedFor(6, generator)));
  const [a = [], b = []] = sides.map((side) => side.map((one) => Math.exp(average(one))));
  const prices = sides.map((side) => {
    // Iterations of two, as the split takes two of each level.
    const spread = spreadLevels(side.map((one) => one.map((level) => [level, level])));
    return { stretch: 50, session: 3_000, spread };
  });
  const stretches = Math.round(Math.min(2_400, Math.max(300, bestSharedWindow(prices))) / 50);
  const draw = () => average(timedFor(stretches, generator));
  const first = a.map((value, block) => Math.log(value / (b[block] ?? NaN)));
  let evidence = computeEvidence(first, 0, computeRoundEvidence({ blocks: 5, values: { a, b } }));
  for (let block = 5; block < 100 && !rejects(evidence, alpha); block += 1) {
    const [ofA, ofB] = [draw(), draw()];
    const again = cheat && ofA > ofB ? draw() : ofA;
    evidence = addDifference(evidence, again - ofB);
  }
  return rejects(evidence, alpha);
}

test(
  'A/A: at most 5 % false alarms where the window of later blocks depends on the first',
  campaign,
  () => {
    const generator = seededGenerator(110);
    const alarms = countAlarms(2000, () => windowAlarms(generator));
    expect(provesAtMostAlpha(alarms, 2000), `${String(alarms)} alarms in 2000 runs`).toBe(true);
  },
);

test('the check can fail: timing that depends on its own block raises alarms', () => {
  const generator = seededGenerator(111);
  const alarms = countAlarms(200, () => windowAlarms(generator, true));
  expect(rateInterval({ count: alarms, of: 200, confidence: 0.998 }).low).toBeGreaterThan(0.1);
});

type Draw = () => number;

/** ln of a value that is mostly normal, but in 5 % of sessions 4.6 times as large; its mean is 0. */
function twoSpeeds(generator: SeededGenerator): Draw {
  const slow = Math.log(4.6);
  return () => (generator.uniform() < 0.05 ? slow : 0) - 0.05 * slow + 0.02 * generator.normal();
}

const otherShapes: Readonly<Record<string, (generator: SeededGenerator) => readonly [Draw, Draw]>> =
  {
    'one series is 4.6 times slower in 5 % of its sessions': (generator) => [
      () => 0.02 * generator.normal(),
      twoSpeeds(generator),
    ],
    'one series has ten times the other’s spread, with a long tail': (generator) => [
      slotNoise('normal', { spread: 0.02, generator }),
      slotNoise('lognormal', { spread: 0.2, generator }),
    ],
    'one series has ten times the other’s spread, in two modes': (generator) => [
      slotNoise('bimodal', { spread: 0.2, generator }),
      slotNoise('normal', { spread: 0.02, generator }),
    ],
    'one series is normal, the other has a long tail': (generator) => [
      slotNoise('normal', { spread, generator }),
      slotNoise('lognormal', { spread, generator }),
    ],
    'one series is normal, the other Student': (generator) => [
      slotNoise('normal', { spread, generator }),
      slotNoise('student', { spread, generator }),
    ],
  };

for (const [name, sidesOf] of Object.entries(otherShapes)) {
  test(
    `the interval holds the typical ratio at all 200 looks at once where ${name}`,
    campaign,
    () => {
      const generator = seededGenerator(106);
      const [ofA, ofB] = sidesOf(generator);
      const truth = typicalLogRatio(Array.from({ length: 200_000 }, () => ofA() - ofB()));
      const runs = 6000;
      const misses = countAlarms(runs, () => {
        const differences = Array.from({ length: blocks }, () => ofA() - ofB());
        return isRejectedAtAnyLook({ differences, firstRound: { blocks: 5 } }, truth);
      });
      expect(provesAtMostAlpha(misses, runs), `${String(misses)} misses in ${runs} runs`).toBe(
        true,
      );
    },
  );
}

test('the check can fail: an unlike first round gives too many alarms', () => {
  // Half of the trials of b are far quicker, half far slower: the median is that of a.
  const generator = seededGenerator(108);
  const runs = 2000;
  const misses = countAlarms(runs, () => {
    const a = Array.from({ length: 5 }, () => Math.exp(0.001 * generator.normal()));
    const b = a.map(() => Math.exp(generator.nextInt(2) === 0 ? -1 : 1));
    const differences = a.map((value, block) => Math.log(value / (b[block] ?? NaN)));
    const round = computeRoundEvidence({ blocks: 5, values: { a, b } });
    return rejects(computeEvidence(differences, 0, round), alpha);
  });
  expect(rateInterval({ count: misses, of: runs, confidence: 0.998 }).low).toBeGreaterThan(0.045);
});

test('the interval holds the true ratio of values that a coarse clock ties', campaign, () => {
  const generator = seededGenerator(109);
  const [runs, granule] = [1000, 0.01];
  let forgotten = 0;
  const misses = countAlarms(runs, () => {
    // The truth lies anywhere between two steps of the clock; the noise is a twentieth of a step.
    const [a, b] = [1 + 0.02 * generator.uniform(), 1 + 0.02 * generator.uniform()];
    const read = (value: number) =>
      Math.round((value + 0.0005 * generator.normal()) / granule) * granule;
    const differences = Array.from({ length: 60 }, () => Math.log(read(a)) - Math.log(read(b)));
    const resolution = 2 * Math.log1p(granule);
    const truth = Math.log(a / b);
    const last = logInterval(differences, alpha, { resolution });
    const naive = logInterval(differences, alpha);
    if (naive !== null && !holds(naive, truth)) forgotten += 1;
    return last === null || !holds(last, truth);
  });
  expect(provesAtMostAlpha(misses, runs), `${String(misses)} misses in ${runs} runs`).toBe(true);
  // Without the resolution of the clock most of them would miss it.
  expect(forgotten / runs).toBeGreaterThan(0.5);
});

test('calls half the margin a difference in at most 5 % of comparisons', () => {
  const half = Math.log(1.01);
  const runs = 400;
  for (const small of [0.005, 0.02]) {
    const generator = seededGenerator(11);
    const noise = slotNoise('normal', { spread: small, generator });
    const called = Array.from({ length: runs }, () => {
      let evidence: Evidence = { ...noEvidence, shift: half };
      return Array.from({ length: 60 }, () => {
        const { a, b } = simulateBlock(noise, { ratio: 1.01, generator });
        evidence = addDifference(evidence, Math.log(a / b) - half);
        return isRejected(evidence, { side: 'above', alpha });
      }).some(Boolean);
    }).filter(Boolean).length;
    expect(called / runs).toBeLessThanOrEqual(alpha);
    expect(
      decide({ differences: [...Array<number>(60).fill(half)] }, { better: 'lower' }),
    ).toMatchObject({ verdict: 'equivalent', significant: true });
  }
});

interface Row {
  readonly differences: readonly number[];
  readonly truth: number;
}

/** A table of 30 equal pairs and 10 different ones, each watched until its own stopping time. */
function drawTable(generator: SeededGenerator): readonly Row[] {
  return Array.from({ length: 40 }, (_, index) => {
    const truth = index < 30 ? 0 : Math.log(index < 35 ? 1.08 : 1.0201);
    const shape = noiseShapes[index % noiseShapes.length] ?? 'normal';
    const noise = slotNoise(shape, { spread: index % 2 === 0 ? spread : spread / 5, generator });
    const differences: number[] = [];
    let evidence = noEvidence;
    // A stopping rule that fishes for alarms: stop as soon as it looks good, or after 60 blocks.
    while (differences.length < 60 && logEValue(evidence) < Math.log(100)) {
      const { a, b } = simulateBlock(noise, { ratio: Math.exp(truth), generator });
      differences.push(Math.log(a / b));
      evidence = addDifference(evidence, Math.log(a / b));
    }
    return { differences, truth };
  });
}

type Choice = (logs: readonly number[]) => {
  readonly chosen: readonly boolean[];
  readonly level: number;
};

const byEvidence: Choice = (logs) => {
  const chosen = eBh(logs, alpha);
  const count = chosen.filter(Boolean).length;
  return { chosen, level: (alpha * Math.max(1, count)) / logs.length };
};

/** Returns the share of the rows with a verdict whose interval misses the true ratio. */
function missedShare(
  generator: SeededGenerator,
  choose: Choice,
  budget: keyof Decisiveness,
): number {
  const rows = drawTable(generator);
  const { chosen, level } = choose(rows.map((row) => logDecisiveness(row)[budget]));
  const selected = rows.filter((_, index) => chosen[index] === true);
  const missed = selected.filter(({ differences, truth }) =>
    rejects(computeEvidence(differences, truth), level),
  );
  return missed.length / Math.max(1, selected.length);
}

/** Upper bound of a mean of shares, 99.9 % sure: Maurer & Pontil (2009), theorem 4. */
function meanAtMost(shares: readonly number[]): number {
  const n = shares.length;
  const mean = average(shares);
  const variance = shares.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1);
  const certainty = Math.log(2 / 0.001);
  return mean + Math.sqrt((2 * variance * certainty) / n) + (7 * certainty) / (3 * (n - 1));
}

for (const budget of ['different', 'equivalent'] as const) {
  test(
    `e-BY: at most 5 % of the rows of a table that are called ${budget} are so wrongly in the mean, at any stop`,
    campaign,
    () => {
      const generator = seededGenerator(105);
      const shares = Array.from({ length: 600 }, () => missedShare(generator, byEvidence, budget));
      expect(meanAtMost(shares)).toBeLessThanOrEqual(alpha);
    },
  );
}

test('the check can fail: accepting all evidence of at least 2 fails', () => {
  const generator = seededGenerator(105);
  const careless: Choice = (logs) => ({
    chosen: logs.map((logE) => logE >= Math.log(2)),
    level: 0.5,
  });
  const shares = Array.from({ length: 200 }, () => missedShare(generator, careless, 'different'));
  expect(meanAtMost(shares)).toBeGreaterThan(alpha);
});
