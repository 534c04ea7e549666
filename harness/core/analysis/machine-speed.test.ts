import { expect, test } from '@playwright/test';
import type { Presence } from '../model/device.ts';
import type { Trial } from '../model/trial.ts';
import { aCase, aCompletion, aFoundDevice, aJob, aResult, aTrial } from '../../testing/builders.ts';
import { comparePair, type Pair, pairValues } from './pairs.ts';
import { decidePair } from './decide.ts';
import { areSameBrowser } from './machine-speed.ts';
import { type SeededGenerator, seededGenerator } from './stats/random.ts';
import { excludes, runningIntervals } from './stats/ratio-interval.ts';
import type { Verdict } from '../results/verdicts.ts';

const presences = [aFoundDevice('chromium@a'), aFoundDevice('chromium@b')];
const pair: Pair = {
  a: { deviceId: 'chromium@a', case: aCase() },
  b: { deviceId: 'chromium@b', case: aCase() },
  metric: aCase().benchmark.metrics[0]!,
};
const rules = { margin: 0.02, alpha: 0.05, firstRound: 5, presences };

interface Machine {
  readonly generator: SeededGenerator;
  /** Standard deviation of the log of its speed between sessions. */
  readonly wanders: number;
  /** How much slower b is. */
  readonly slower?: number;
  /** One session in this number compiles the reference work into other code. */
  readonly strangers?: number;
}

/** A trial in which the machine has some speed, which the reference work shows within 0.5 %. */
function aTrialOf(deviceId: string, block: number, machine: Machine): Trial {
  const { generator, wanders, slower = 1, strangers = Infinity } = machine;
  const speed = Math.exp(wanders * generator.normal());
  const own = Math.exp(0.005 * generator.normal());
  const other = generator.uniform() < 1 / strangers ? 1.4 : 1;
  const calmNs = 0.6 * speed * other * Math.exp(0.005 * generator.normal());
  const steadyState = {
    firstMs: 10,
    steadyAfterMs: 100,
    noisy: false,
    reference: { windowMs: 30, rounds: 1e7, roundNs: 0.6, calmNs },
    windowAtMs: 100,
    warmUpEndMs: [],
    segments: [],
  };
  const ms = 5 * speed * own * (deviceId === 'chromium@b' ? slower : 1);
  const result = aResult([ms, ms, ms], { steadiness: 'warm-up', steadyState });
  return aTrial(aJob({ deviceId, block, ordinal: 2 * block }), aCompletion({ result }));
}

function blocksOf(count: number, machine: Machine): readonly Trial[] {
  return Array.from({ length: count }, (_, block) =>
    ['chromium@a', 'chromium@b'].map((id) => aTrialOf(id, block, machine)),
  ).flat();
}

/** The first verdict at any look, and after how many blocks. */
function firstVerdict(trials: readonly Trial[], among: typeof rules): [Verdict, number] {
  for (let blocks = 5; 2 * blocks <= trials.length; blocks += 1) {
    const made = decidePair(trials.slice(0, 2 * blocks), pair, among);
    if (made.kind === 'decided-on' && made.decision.verdict !== 'undecided') {
      return [made.decision.verdict, blocks];
    }
  }
  return ['undecided', Infinity];
}

/**
 * True if the interval of any look excludes equality. That is what a false verdict needs, and is
 * seen of all looks at once, at the price of one decision.
 */
function everApart(trials: readonly Trial[]): boolean {
  const made = comparePair(trials, pair, rules);
  if (made.kind !== 'comparison') throw new Error(`nothing to compare: ${made.kind}`);
  const { differences } = made.comparison;
  const looks = runningIntervals(differences, rules.alpha, made.comparison);
  return looks.some((look) => look.kind === 'bounded' && excludes(look, 0));
}

test('reference work that took no time by the page changes no duration', () => {
  const trials = blocksOf(5, { generator: seededGenerator(1), wanders: 0.03 }).map((trial) => {
    if (trial.outcome.kind !== 'completed') return trial;
    const { result } = trial.outcome;
    const reference = { windowMs: 30, rounds: 1e7, roundNs: 0, calmNs: 0 };
    const steadyState = { ...result.steadyState!, reference };
    return { ...trial, outcome: { ...trial.outcome, result: { ...result, steadyState } } };
  });
  const timed = trials.flatMap(({ outcome }) =>
    outcome.kind === 'completed' ? [outcome.result.samples[0]!.timed[0]!] : [],
  );
  const values = pairValues(trials, pair, rules).flatMap(({ a, b }) => [a, b]);
  expect(values).toHaveLength(10);
  values.forEach((value, index) => {
    expect(value).toBeCloseTo(timed[index]!, 9);
  });
});

test('on a machine whose speed wanders, known differences are found by the reference work', () => {
  const found = (machine: Omit<Machine, 'generator'>, among = rules) => {
    const runs = Array.from({ length: 40 }, (_, seed) =>
      firstVerdict(blocksOf(20, { ...machine, generator: seededGenerator(seed) }), among),
    );
    return (verdict: Verdict): number => runs.filter(([one]) => one === verdict).length;
  };
  const wanders = 0.03;
  const apart = {
    ...rules,
    presences: [presences[0]!, aFoundDevice('chromium@b', { flags: ['--x'] })],
  };
  // Where chance puts the readings of the sides apart, they are not used, and it takes longer.
  expect(found({ wanders })('equivalent')).toBeGreaterThanOrEqual(34);
  expect(found({ wanders, slower: 1.05 })('faster')).toBe(40);
  expect(found({ wanders, slower: 1.05, strangers: 20 })('faster')).toBeGreaterThanOrEqual(36);
  // Another build or other flags: what the reference work takes is a part of the question.
  expect(found({ wanders }, apart)('equivalent')).toBeLessThan(10);
});

test('calls equal devices different in at most 5 % of runs', () => {
  const runs = 400;
  for (const strangers of [Infinity, 4]) {
    const alarms = Array.from({ length: runs }, (_, seed) => {
      const generator = seededGenerator(1000 + seed);
      return everApart(blocksOf(15, { wanders: 0.03, strangers, generator }));
    }).filter(Boolean).length;
    expect(alarms / runs).toBeLessThanOrEqual(0.05);
  }
});

test("values stay durations of a machine with the first round's median speed", () => {
  const trials = blocksOf(5, { wanders: 0.04, generator: seededGenerator(3) });
  const values = pairValues(trials, pair, rules).flatMap(({ a, b }) => [a, b]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // As measured they are up to 12 % apart.
  expect(most / least).toBeLessThan(1.04);
  expect(least).toBeGreaterThan(4.5);
  expect(most).toBeLessThan(5.5);
});

test('keeps durations without readings; one missing in the first round decides all', () => {
  const trials = blocksOf(8, { wanders: 0.04, generator: seededGenerator(5) });
  const blind = (block: number): readonly Trial[] =>
    trials.map((trial) => {
      if (trial.job.block !== block || trial.outcome.kind !== 'completed') return trial;
      const { result } = trial.outcome;
      const { reference, ...steadyState } = result.steadyState!;
      expect(reference).toBeDefined();
      return { ...trial, outcome: { ...trial.outcome, result: { ...result, steadyState } } };
    });
  const whole = pairValues(trials, pair, rules);
  const late = pairValues(blind(6), pair, rules);
  expect(late.filter(({ block }) => block !== 6)).toEqual(whole.filter(({ block }) => block !== 6));
  expect(late[6]).not.toEqual(whole[6]);
  const asMeasured = pairValues(trials, pair, { ...rules, presences: [] });
  expect(pairValues(blind(2), pair, rules)).toEqual(asMeasured);
});

test('twins are one browser; another flag, build or driver makes two', () => {
  const same = (other: Presence): boolean =>
    areSameBrowser(['chromium@a', other.device.id], [presences[0]!, other]);
  expect(same(presences[1]!)).toBe(true);
  expect(same(aFoundDevice('b', { flags: ['--single-threaded-gc'] }))).toBe(false);
  expect(same(aFoundDevice('b', { driver: 'puppeteer' }))).toBe(false);
  const { target } = aFoundDevice('b');
  const newer = { ...target, browser: { name: 'chromium', version: '2' } };
  expect(same({ ...aFoundDevice('b'), target: newer })).toBe(false);
  expect(areSameBrowser(['one', 'one'], [])).toBe(true);
  expect(areSameBrowser(['one', 'two'], [])).toBe(false);
});
