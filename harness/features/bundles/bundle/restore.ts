import { benchmarkDeclaration } from '../../../core/plan/catalog/declaration.ts';
import { expandCases } from '../../../core/plan/catalog/expansion.ts';
import { FarmError } from '../../../core/errors.ts';
import { believable } from '../../../core/model/credible.ts';
import type { Benchmark, Case } from '../../../core/model/case.ts';
import {
  armKey,
  type Assertion,
  type Counterfactual,
  type Arm,
  type Question,
} from '../../../core/model/question.ts';
import type { Emulation } from '../../../core/model/device.ts';
import type { Job } from '../../../core/model/plan.ts';
import type { Trial } from '../../../core/model/trial.ts';
import type { z } from 'zod';
import type { BundleTrial, Manifest } from './declaration.ts';
import { Refusal, type BundleTarget } from './format.ts';

/**
 * Turns the documents of a bundle into the model's nouns, and checks the names and counts that a schema
 * cannot see.
 */

export type Parse = <T>(path: string, schema: z.ZodType<T>) => T;

/** @throws Refusal when a lane names a device, benchmark or parameter that the bundle does not have. */
export function restoreArms(manifest: Manifest, parse: Parse): readonly Arm[] {
  const devices = new Set(manifest.devices.map(({ id }) => id));
  if (devices.size !== manifest.devices.length) {
    throw new Refusal('two of its devices have one id');
  }
  const benchmarks = new Map<string, Benchmark>();
  return manifest.lanes.map(({ device, benchmark, parameters }, index) => {
    const place = `$.lanes[${String(index)}]`;
    if (!devices.has(device)) {
      throw new Refusal(`${place} names the device "${device}", which it does not have`);
    }
    const declared = benchmarks.get(benchmark) ?? restoreBenchmark(benchmark, parse);
    benchmarks.set(benchmark, declared);
    return { deviceId: device, case: restoreCase(declared, parameters, place) };
  });
}

function restoreBenchmark(id: string, parse: Parse): Benchmark {
  const benchmark = parse(`pages/${id}/benchmark.json`, benchmarkDeclaration);
  if (benchmark.id === id) return benchmark;
  throw new Refusal(`pages/${id}/benchmark.json calls itself "${benchmark.id}"`);
}

/**
 * Exactly the case that is written there: no default filled in, no range spread out.
 * @throws Refusal for a case that does not exist.
 */
export function restoreCase(
  benchmark: Benchmark,
  parameters: Case['parameters'],
  place: string,
): Case {
  const wanted = benchmark.parameters.map(({ name }) => name);
  const left = wanted.filter((name) => !Object.hasOwn(parameters, name));
  if (left.length > 0) throw new Refusal(`${place} leaves out ${left.join(', ')}`);
  const cases = expand(benchmark, parameters, place);
  const [one] = cases;
  const isExact =
    cases.length === 1 && wanted.every((name) => one?.parameters[name] === parameters[name]);
  if (one === undefined || !isExact) {
    throw new Refusal(`${place} does not name one case of ${benchmark.id}`);
  }
  return one;
}

function expand(
  benchmark: Benchmark,
  parameters: Case['parameters'],
  place: string,
): readonly Case[] {
  try {
    return expandCases(benchmark, parameters);
  } catch (error) {
    if (error instanceof FarmError) throw new Refusal(`${place}: ${error.message}`);
    throw error;
  }
}

type LaneAt = (index: number, place: string) => Arm;

function laneIn(lanes: readonly Arm[]): LaneAt {
  return (index, place) => {
    const lane = lanes[index];
    if (lane !== undefined) return lane;
    throw new Refusal(
      `${place} names lane ${String(index)}, and there are ${String(lanes.length)}`,
    );
  };
}

/** @throws Refusal when numbers and question do not have the same length, or it cannot fail. */
export function restoreQuestion({ question, numbers }: Manifest, lanes: readonly Arm[]): Question {
  for (const part of ['assertions', 'counterfactuals'] as const) {
    if (numbers[part].length === question[part].length) continue;
    throw new Refusal(
      `it asks ${String(question[part].length)} ${part} and has numbers of ${String(numbers[part].length)}`,
    );
  }
  return restoreAsked(question, lanes);
}

/** The question, without numbers. @throws Refusal for a lane that is not there, or when it cannot fail. */
export function restoreAsked(question: Manifest['question'], lanes: readonly Arm[]): Question {
  const lane = laneIn(lanes);
  return {
    ...question,
    assertions: question.assertions.map((one, index) => {
      const place = `$.question.assertions[${String(index)}]`;
      const assertion = restoreAssertion(one, (at) => lane(at, place));
      requireFallible(assertion, place);
      return assertion;
    }),
    counterfactuals: question.counterfactuals.map((one, index) =>
      restoreCounterfactual(one, (at) => lane(at, `$.question.counterfactuals[${String(index)}]`)),
    ),
  };
}

type DocumentedQuestion = Manifest['question'];

function restoreAssertion(
  { expected: { above, below }, ...one }: DocumentedQuestion['assertions'][number],
  lane: (index: number) => Arm,
): Assertion {
  const expected = {
    ...(above === undefined ? {} : { above }),
    ...(below === undefined ? {} : { below }),
  };
  switch (one.kind) {
    case 'ratio': {
      const { a, b, against, ...facts } = one;
      const sides = { a: lane(a), b: lane(b) };
      return { ...facts, expected, ...sides, ...(against === undefined ? {} : { against }) };
    }
    case 'level':
      return { ...one, expected, of: lane(one.of) };
    case 'change': {
      const { a, b, c, d } = one;
      return { ...one, expected, a: lane(a), b: lane(b), c: lane(c), d: lane(d) };
    }
  }
}

/** A question that cannot fail would be "reproduced" on any machine. */
function requireFallible(assertion: Assertion, place: string): void {
  if (assertion.role !== 'verdict') return;
  const { above, below } = assertion.expected;
  if (above === undefined && below === undefined) {
    throw new Refusal(`${place} decides, and expects nothing`);
  }
  if (assertion.kind === 'level') return;
  // Every ratio of two durations is above 0.
  if (below === undefined && above !== undefined && above <= 0) {
    throw new Refusal(`${place} decides, and every ratio lies above ${String(above)}`);
  }
  if (isAlwaysOne(assertion)) {
    throw new Refusal(`${place} decides, and compares a lane with itself`);
  }
}

/** Of a change also when both of its ratios are one and the same. */
function isAlwaysOne(assertion: Exclude<Assertion, { kind: 'level' }>): boolean {
  const same = (one: Arm, other: Arm): boolean => armKey(one) === armKey(other);
  if (assertion.kind === 'ratio') return same(assertion.a, assertion.b);
  const { a, b, c, d } = assertion;
  return (same(a, c) && same(b, d)) || (same(a, b) && same(c, d));
}

function restoreCounterfactual(
  one: DocumentedQuestion['counterfactuals'][number],
  lane: (index: number) => Arm,
): Counterfactual {
  const { effect } = one;
  return {
    ...one,
    withCause: lane(one.withCause),
    withoutCause: lane(one.withoutCause),
    effect: effect.kind === 'level' ? effect : { kind: 'ratio', against: lane(effect.against) },
  };
}

/** Executable, serial number and server are not taken from a bundle, nor are they in there. */
export function restoreTarget(one: Manifest['devices'][number]): BundleTarget {
  const { browserName, browserVersion, cores, family, platform, emulation, ...device } = one;
  return {
    device: {
      ...device,
      ...(cores === undefined ? {} : { cores }),
      ...(family === undefined ? {} : { family }),
      ...(platform === undefined ? {} : { phone: { platform } }),
      ...(emulation === undefined ? {} : { emulation: emulation as Emulation }),
      automatic: false,
    },
    browser: { name: browserName, version: browserVersion },
  };
}

/** @throws Refusal for a cell with two outcomes, or a repeat of what is not there. */
export function restoreTrials(
  trials: readonly BundleTrial[],
  lanes: readonly Arm[],
): readonly Trial[] {
  requireCells(trials);
  const lane = laneIn(lanes);
  return trials.map(({ ordinal, block, lane: at, repeats, ...trial }, index) => {
    const { deviceId, case: one } = lane(at, `$.trials[${String(index)}]`);
    const sessionKey = `${deviceId}/${String(block)}/${String(ordinal)}`;
    const job: Job = { ordinal, block, case: one, deviceId, sessionKey };
    const restored = { ...trial, job: repeats === undefined ? job : { ...job, repeats } } as Trial;
    return believable(restored);
  });
}

function requireCells(trials: readonly BundleTrial[]): void {
  const byOrdinal = new Map(trials.map((trial) => [trial.ordinal, trial]));
  if (byOrdinal.size !== trials.length) throw new Refusal('two of its trials are one cell');
  const cells = new Set(trials.map(cellKey));
  if (cells.size !== trials.length) {
    throw new Refusal('it has two trials of one lane in one block');
  }
  for (const { ordinal, repeats, lane, block } of trials) {
    if (repeats === undefined) continue;
    const first = byOrdinal.get(repeats);
    const fits = first?.lane === lane && first.block === block && first.repeats === undefined;
    if (!fits) {
      throw new Refusal(`its trial ${String(ordinal)} repeats none of its lane and block`);
    }
  }
}

function cellKey({ lane, block, repeats }: BundleTrial): string {
  return JSON.stringify([lane, block, repeats !== undefined]);
}
