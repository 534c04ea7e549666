import type { MeasurementRules, Case } from './case.ts';

/**
 * Question to a run: a published claim, an anomaly of ours, or the contents of a bundle, as
 * assertions over cases on devices. It is stored with its run, so that a verdict can be made again.
 */
export interface Question {
  /** A3, N1, … */
  readonly id: string;
  readonly title: string;
  readonly sentence: string;
  /** The author and the place. */
  readonly source: string;
  /** The published figures, in words. */
  readonly published: string;
  readonly assertions: readonly Assertion[];
  readonly counterfactuals: readonly Counterfactual[];
  /** Facts that a reader must know: a stand-in browser, a smaller n than published. */
  readonly notes: readonly string[];
  /**
   * The sentence's browser that this farm lacks, and its substitute, as in "Safari" and "in
   * WebKitGTK". Then that is shown, and nothing is confirmed or refuted by it.
   */
  readonly notHere?: { readonly lacks: string; readonly seen: string };
  readonly measurement: MeasurementRules;
}

/** A case on a device: what every block holds one trial of. */
export interface Arm {
  readonly deviceId: string;
  readonly case: Case;
}

/**
 * Quantity of a trial: the id of one of the benchmark's metrics, `counter:<name>` for a
 * number that the page counted, or one that the probes give.
 */
export type Quantity = string;

/** Where a value has to lie; both bounds together mean a range. */
export interface Expectation {
  readonly above?: number;
  readonly below?: number;
}

/** Published value of one assertion; low equals high for one number, null for words alone. */
export interface PublishedValue {
  readonly text: string;
  readonly low: number | null;
  readonly high: number | null;
}

interface AssertionFacts {
  readonly sentence: string;
  /** `verdict`: the claim stands or falls with it. `explanation`: what the claim leaves open. */
  readonly role: 'verdict' | 'explanation';
  readonly quantity: Quantity;
  readonly expected: Expectation;
  readonly published: PublishedValue;
}

export type Assertion =
  | (AssertionFacts & {
      readonly kind: 'ratio';
      readonly a: Arm;
      readonly b: Arm;
      /** Quantity of b, where it is another one than that of a, in the same unit. */
      readonly against?: Quantity;
    })
  | (AssertionFacts & { readonly kind: 'level'; readonly of: Arm })
  /** A ratio of ratios: (a / b) over (c / d), such as an advantage on two cores over that on one. */
  | (AssertionFacts & {
      readonly kind: 'change';
      readonly a: Arm;
      readonly b: Arm;
      readonly c: Arm;
      readonly d: Arm;
    });

/** The suspected cause of an effect, switched off. */
export interface Counterfactual {
  /** Of the cause: parallel-gc, cores, … */
  readonly id: string;
  readonly sentence: string;
  /** The flag, preference or setting that switches it off. */
  readonly change: string;
  readonly quantity: Quantity;
  readonly withCause: Arm;
  readonly withoutCause: Arm;
  readonly effect:
    | { readonly kind: 'ratio'; readonly against: Arm }
    /** How far the level lies beyond what it would be without any effect. */
    | { readonly kind: 'level'; readonly base: number };
}

/** Every arm that a question needs, each once. */
export function listArms({ assertions, counterfactuals }: Question): readonly Arm[] {
  const arms = [
    ...assertions.flatMap(armsOfAssertion),
    ...counterfactuals.flatMap(armsOfCounterfactual),
  ];
  return [...new Map(arms.map((arm) => [armKey(arm), arm])).values()];
}

export function armsOfCounterfactual({
  withCause,
  withoutCause,
  effect,
}: Counterfactual): readonly Arm[] {
  return [withCause, withoutCause, ...(effect.kind === 'ratio' ? [effect.against] : [])];
}

export function armsOfAssertion(assertion: Assertion): readonly Arm[] {
  switch (assertion.kind) {
    case 'ratio':
      return [assertion.a, assertion.b];
    case 'level':
      return [assertion.of];
    case 'change':
      return [assertion.a, assertion.b, assertion.c, assertion.d];
  }
}

/** Equal for the same case on the same device. */
export function armKey({ deviceId, case: { benchmark, parameters } }: Arm): string {
  const values = benchmark.parameters.map(({ name }) => parameters[name]);
  return JSON.stringify([deviceId, benchmark.id, values]);
}
