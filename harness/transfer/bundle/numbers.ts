/** What a run came to, as it stands in a bundle: the numbers of a judgement without its question. */
export interface Numbers {
  readonly verdict: 'confirmed' | 'refuted' | 'inconclusive';
  /** Blocks with at least one trial that counts. */
  readonly blocks: number;
  /** One for each assertion of the question, in its order. */
  readonly assertions: readonly AssertionNumbers[];
  /** One for each counterfactual of the question, in its order. */
  readonly counterfactuals: readonly CounterfactualNumbers[];
}

/** A value with bounds that hold at every look; no bounds with too few blocks. */
export interface Interval {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

export interface AssertionNumbers {
  readonly measured: Interval | null;
  readonly blocks: number;
  readonly outcome: 'holds' | 'fails' | 'open';
  readonly size: 'as published' | 'smaller' | 'larger' | 'open' | 'not published';
}

export interface CounterfactualNumbers {
  readonly withCause: Interval | null;
  readonly withoutCause: Interval | null;
  readonly explained: Interval | null;
}

/** The numbers of a judgement, and nothing else of it. */
export function numbersOf({ verdict, blocks, assertions, counterfactuals }: Numbers): Numbers {
  return {
    verdict,
    blocks,
    assertions: assertions.map((one) => ({
      measured: one.measured && intervalOf(one.measured),
      blocks: one.blocks,
      outcome: one.outcome,
      size: one.size,
    })),
    counterfactuals: counterfactuals.map((one) => ({
      withCause: one.withCause && intervalOf(one.withCause),
      withoutCause: one.withoutCause && intervalOf(one.withoutCause),
      explained: one.explained && intervalOf(one.explained),
    })),
  };
}

function intervalOf({ value, low, high }: Interval): Interval {
  return { value, low, high };
}

/** Another processor may round the last digits of a logarithm differently; nothing else may differ. */
const tolerance = 1e-6;

/** The first place in which two sets of numbers differ, such as `assertions[0].measured.low`; null for none. */
export function firstDifference(one: Numbers, other: Numbers): string | null {
  return differenceIn(numbersOf(one), numbersOf(other), '');
}

function differenceIn(one: unknown, other: unknown, place: string): string | null {
  if (typeof one === 'number' && typeof other === 'number') {
    const size = Math.max(Math.abs(one), Math.abs(other));
    return Math.abs(one - other) <= tolerance * size ? null : place;
  }
  if (!isParent(one) || !isParent(other)) return one === other ? null : place;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  for (const key of keys) {
    const step = Array.isArray(one) ? `[${key}]` : `${place === '' ? '' : '.'}${key}`;
    const found = differenceIn(one[key], other[key], place + step);
    if (found !== null) return found;
  }
  return null;
}

function isParent(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
