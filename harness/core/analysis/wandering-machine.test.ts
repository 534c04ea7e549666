/** No rule around the test may bend it: equal sides on machines whose speed wanders. */
import { expect, test } from '@playwright/test';
import { mean } from 'simple-statistics';
import type { Presence } from '../model/device.ts';
import type { Trial } from '../model/trial.ts';
import {
  aCase,
  aCompletion,
  aFoundDevice,
  aJob,
  aResult,
  aSteadyState,
  aTrial,
} from '../../testing/builders.ts';
import { firstRoundBlocks } from '../model/plan.ts';
import { comparePair, type Pair } from './pairs.ts';
import { decidePair } from './decide.ts';
import { computeRoundEvidence } from './stats/first-round.ts';
import { addDifference, emptyEvidence, rejects } from './stats/mixture-test.ts';
import { ownLevel } from './stats/verdict.ts';
import { type SeededGenerator, seededGenerator } from './stats/random.ts';

const alpha = 0.05;
const blocks = 40;
const iterations = 20;

/** ln of how much slower the machine is, session by session. */
type Machine = (generator: SeededGenerator) => () => number;

const varying =
  (spread: number): Machine =>
  (generator) =>
  () =>
    spread * generator.normal();

const remembering =
  (memory: number): Machine =>
  (generator) => {
    let state = generator.normal();
    return () => {
      state = memory * state + Math.sqrt(1 - memory ** 2) * generator.normal();
      return 0.04 * state;
    };
  };

const machines: Readonly<Record<string, Machine>> = {
  'varies by 2 %': varying(0.02),
  'varies by 3 %': varying(0.03),
  'varies by 4 %': varying(0.04),
  'varies by 6 %': varying(0.06),
  'remembers half of its speed': remembering(0.5),
  'remembers nine tenths of its speed': remembering(0.9),
  'has two speeds, each for a while': (generator) => {
    let isSlow = false;
    return () => {
      if (generator.uniform() < 0.1) isSlow = !isSlow;
      return isSlow ? 0.35 : 0;
    };
  },
  'is slowed down in bursts': (generator) => () =>
    generator.uniform() < 0.08 ? 0.4 * generator.uniform() : 0.003 * generator.normal(),
};

/**
 * The compared sides: the place where they run, and the scatter of the values of each by
 * themselves.
 */
interface Kind {
  /** Of each side; of one browser, it runs another case on each. */
  readonly presences: readonly Presence[];
  readonly spreads: readonly [number, number];
  /** The side b is so much slower, in such a share of its trials, and its reference work with it. */
  readonly slows?: { readonly by: number; readonly share: number };
  /**
   * The work of a side stalls for this time in one of its iterations, in this share of its trials.
   */
  readonly stalls?: { readonly ms: number; readonly shares: readonly [number, number] };
}

const one = aFoundDevice('a');
const twins = { presences: [one, aFoundDevice('b')], spreads: [0.004, 0.004] } as const;
const kinds: Readonly<Record<string, Kind>> = {
  twins,
  'two builds': { ...twins, presences: [one, aFoundDevice('b', { flags: ['--x'] })] },
  'two browsers': {
    presences: [one, aFoundDevice('b', { browser: 'firefox' })],
    spreads: [0.004, 0.02],
  },
  'two versions of a page': { presences: [one, one], spreads: [0.004, 0.02] },
};

function pairOf({ presences: [a, b] }: Kind): Pair {
  const isOneBrowser = a === b;
  return {
    a: { deviceId: a!.device.id, case: aCase() },
    b: { deviceId: b!.device.id, case: isOneBrowser ? aCase(13) : aCase() },
    metric: aCase().benchmark.metrics[0]!,
  };
}

/** Iterations of a trial, one of which stalls in a share of all trials. */
function timedOf(
  ms: number,
  { stall, share }: { readonly stall: number; readonly share: number },
  generator: SeededGenerator,
): readonly number[] {
  if (share === 0) return [ms];
  const isStalled = generator.uniform() < share;
  return Array.from({ length: iterations }, (_, i) => ms + (isStalled && i === 0 ? stall : 0));
}

/** The trials of a comparison, in the order of a plan: the first round shuffled, and then each block. */
function trialsOf(seed: number, machine: Machine, kind: Kind): readonly Trial[] {
  const { spreads, slows, stalls, presences } = kind;
  const { a, b } = pairOf(kind);
  const generator = seededGenerator(seed);
  const slowness = machine(generator);
  const drawn = (count: number): number[] =>
    generator.shuffle(Array.from({ length: count }, slowness));
  const first = drawn(2 * firstRoundBlocks);
  return Array.from({ length: blocks }, (_, block) => {
    const slots = block < firstRoundBlocks ? first.slice(2 * block, 2 * block + 2) : drawn(2);
    return slots.map((slot, side) => {
      const isSlowed = side === 1 && generator.uniform() < (slows?.share ?? 0);
      const speed = Math.exp(slot + (isSlowed ? (slows?.by ?? 0) : 0));
      const ns = 0.6 * speed * Math.exp(0.003 * generator.normal());
      const ms = 5 * speed * Math.exp((spreads[side] ?? 0) * generator.normal());
      const reference = { windowMs: 30, rounds: 1e7, roundNs: ns, calmNs: ns };
      const timed = timedOf(
        ms,
        { stall: stalls?.ms ?? 0, share: stalls?.shares[side] ?? 0 },
        generator,
      );
      const result = aResult(timed, { steadyState: aSteadyState({ reference }) });
      const job = aJob({ ...[a, b][side]!, block, ordinal: 2 * block + side });
      const { browser } = presences[side]!.device;
      const trial = aTrial(job, aCompletion({ result }));
      return { ...trial, browser: { name: browser, version: '1' } };
    });
  }).flat();
}

/**
 * True if a difference is seen at any look; the choices that rest on all trials are repeated at
 * each.
 */
function isAlarm(trials: readonly Trial[], kind: Kind, lookEvery: number): boolean {
  const presences = [...new Set(kind.presences)];
  const looks = Array.from(
    { length: Math.floor(35 / lookEvery) },
    (_, index) => blocks - lookEvery * index,
  );
  const run = { presences, firstRound: firstRoundBlocks };
  return looks.some((seen) => {
    const made = comparePair(trials.slice(0, 2 * seen), pairOf(kind), run);
    if (made.kind !== 'comparison') throw new Error(`nothing to compare: ${made.kind}`);
    const { differences, firstRound } = made.comparison;
    let evidence = emptyEvidence(0, firstRound ? computeRoundEvidence(firstRound) : null);
    return differences.some((difference) => {
      evidence = addDifference(evidence, difference);
      return (
        evidence.blocks >= firstRoundBlocks && rejects(evidence, ownLevel(made.comparison, alpha))
      );
    });
  });
}

for (const [lane, runs, lookEvery] of [
  ['', 300, 5],
  [' @campaign', 1_000, 1],
] as const) {
  for (const [name, kind] of Object.entries(kinds)) {
    for (const [how, machine] of Object.entries(machines)) {
      test(`equal sides raise at most 5 % alarms: ${name} on a machine that ${how}${lane}`, () => {
        let alarms = 0;
        for (let seed = 0; seed < runs; seed++)
          alarms += Number(isAlarm(trialsOf(seed, machine, kind), kind, lookEvery));
        expect(alarms / runs).toBeLessThanOrEqual(alpha);
      });
    }
  }
}

test('a side that slows down its reference work, too, is not called the same', () => {
  const kind = { ...twins, slows: { by: 0.08, share: 0.6 } };
  const rules = { alpha, margin: 0.02, firstRound: firstRoundBlocks };
  const runs = 100;
  const decide = (seed: number) => {
    const trials = trialsOf(seed, varying(0.003), kind);
    const { presences } = kind;
    for (let seen = firstRoundBlocks; seen <= blocks; seen++) {
      const made = decidePair(trials.slice(0, 2 * seen), pairOf(kind), { ...rules, presences });
      if (made.kind === 'decided-on' && made.decision.verdict !== 'undecided')
        return made.decision.verdict;
    }
    return 'undecided';
  };
  const verdicts = Array.from({ length: runs }, (_, seed) => decide(seed));
  expect(verdicts.filter((one) => one === 'equivalent').length).toBeLessThanOrEqual(5);
  // 8 % in six of ten trials: a mean of 4.8 %.
  const means = Array.from({ length: runs }, (_, seed) => {
    const made = decidePair(trialsOf(seed, varying(0.003), kind), pairOf(kind), {
      ...rules,
      presences: kind.presences,
    });
    return made.kind === 'decided-on' ? Math.log(made.decision.mean!.ratio) : NaN;
  });
  expect(Math.abs(mean(means) + Math.log(1 + 0.6 * (Math.exp(0.08) - 1)))).toBeLessThan(0.005);
});

test.describe('work that stalls for three seconds in some of its trials', () => {
  for (const [name, kind] of Object.entries(kinds)) {
    test(`equal sides raise at most 5 % alarms: ${name}`, () => {
      for (const share of [0.1, 0.3]) {
        const stalling = { ...kind, stalls: { ms: 3_000, shares: [share, share] } } as const;
        let alarms = 0;
        for (let seed = 0; seed < 300; seed++)
          alarms += Number(isAlarm(trialsOf(seed, varying(0.02), stalling), stalling, 5));
        expect(alarms / 300).toBeLessThanOrEqual(alpha);
      }
    });
  }

  test('is not called the same, and reads its mean', () => {
    const share = 0.3;
    const kind = { ...twins, stalls: { ms: 3_000, shares: [0, share] } } as const;
    const rules = { alpha, margin: 0.02, firstRound: firstRoundBlocks };
    const { presences } = kind;
    const made = Array.from({ length: 60 }, (_, seed) => {
      const decided = decidePair(trialsOf(seed, varying(0.003), kind), pairOf(kind), {
        ...rules,
        presences,
      });
      if (decided.kind !== 'decided-on') throw new Error(`nothing to decide: ${decided.kind}`);
      return decided.decision;
    });
    expect(made.filter(({ verdict }) => verdict === 'equivalent')).toEqual([]);
    const truth = 1 + (share * 3_000) / iterations / 5;
    expect(Math.abs(mean(made.map((one) => 1 / one.mean!.ratio)) / truth - 1)).toBeLessThan(0.05);
  });
});
