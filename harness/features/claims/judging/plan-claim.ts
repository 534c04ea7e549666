import { type MeasurementRules, findPreset } from '../../../core/model/case.ts';
import type { Presence, FoundDevice } from '../../../core/model/device.ts';
import type {
  Arm,
  Assertion,
  Counterfactual,
  Expectation,
  PublishedValue,
  Question,
} from '../../../core/model/question.ts';
import { describeChange } from '../../../core/analysis/causes.ts';
import type {
  Ask,
  ArmTemplate,
  AssertionTemplate,
  CaseMaker,
  Claim,
  CounterfactualTemplate,
  ExpectationTemplate,
  Product,
  PublishedTemplate,
} from './claim.ts';
import {
  DeviceVariants,
  missingProduct,
  nameIfOther,
  standInNote,
  whyNotOneDevice,
} from './products.ts';
import { isOfThreads } from './quantity.ts';

/** The devices, the machine and the catalog that a claim is planned for. */
interface Surroundings {
  /** The devices of the inventory, found and missing. */
  readonly presences: readonly Presence[];
  /** Logical cores that may be used here. */
  readonly cores: number;
  /** Why browsers cannot be pinned to cores; null if they can. */
  readonly cannotPin: string | null;
  /** Why the time of each thread cannot be read; null if it can. */
  readonly cannotSeeThreads: string | null;
  readonly platform: string;
  readonly makeCase: CaseMaker;
  readonly measurement: MeasurementRules;
}

export type PlannedClaim =
  | {
      readonly kind: 'question';
      readonly question: Question;
      /** Every device of the question, including changed ones. */
      readonly presences: readonly FoundDevice[];
    }
  | { readonly kind: 'not-testable'; readonly because: string };

/** Plans a claim as a question for the available devices, or says why it is not testable here. */
export function planClaim(claim: Claim, surroundings: Surroundings): PlannedClaim {
  const { ask } = claim;
  const obstacle = whyNotHere(ask, surroundings);
  if (obstacle !== null) return { kind: 'not-testable', because: obstacle };
  const { platform } = ask;
  const devices = new DeviceVariants({ ...surroundings, platform });
  const missing = ask.products.filter((product) => devices.find(product) === null);
  const needed = neededProducts(ask.assertions).filter((product) => missing.includes(product));
  const present = ask.products.filter((product) => !missing.includes(product));
  if (needed.length > 0 || present.length === 0) {
    const [first = ask.products[0]] = needed;
    const because =
      first === undefined ? '' : missingProduct(first, surroundings.presences, platform);
    return { kind: 'not-testable', because };
  }
  const apart = whyNotOneDevice(present.flatMap((product) => devices.find(product) ?? []));
  if (apart !== null) return { kind: 'not-testable', because: apart };
  const planning = { devices, surroundings, present };
  const assertions = ask.assertions.flatMap((one) => planAssertions(one, planning));
  if (!assertions.some(({ role }) => role === 'verdict')) {
    return { kind: 'not-testable', because: whyNothingIsLeft(surroundings) };
  }
  const question: Question = {
    id: claim.id,
    title: `Claim ${claim.id}`,
    sentence: claim.sentence,
    source: claim.source,
    published: claim.published,
    assertions,
    counterfactuals: ask.counterfactuals.flatMap((one) => planCounterfactual(one, planning)),
    notes: [...ask.notes, ...notesOf(ask, devices, surroundings.presences)],
    ...lackOf(ask, devices, surroundings),
    measurement: rulesOf(ask, surroundings),
  };
  return { kind: 'question', question, presences: devices.used() };
}

/** Products of the deciding assertions that are missing here, though a substitute is measured. */
function lackOf(
  { assertions, coresToJudge = 1 }: Ask,
  devices: DeviceVariants,
  { cores }: Surroundings,
): Pick<Question, 'notHere'> {
  for (const product of neededProducts(assertions)) {
    const found = devices.find(product);
    const lacks = found === null ? null : nameIfOther(product, found);
    if (found !== null && lacks !== null) {
      return { notHere: { lacks, seen: `in ${found.device.name}` } };
    }
  }
  if (cores >= coresToJudge) return {};
  const few = cores === 1 ? 'on one core' : `on ${String(cores)} cores`;
  return { notHere: { lacks: `at least ${String(coresToJudge)} cores`, seen: few } };
}

/** The preset `fast` is for smoke tests, and replaces a claim's own rules. */
function rulesOf({ measurement: own }: Ask, { measurement }: Surroundings): MeasurementRules {
  return findPreset(measurement) === undefined ? { ...measurement, ...own } : measurement;
}

const systemNames: Readonly<Record<string, string>> = { linux: 'Linux' };

/**
 * Returns the reason why a claim has no meaning on this machine, with any browsers; null if it has
 * one.
 */
function whyNotHere(
  { system, leastCores = 1 }: Ask,
  { platform, cores }: Surroundings,
): string | null {
  if (system !== undefined && system !== platform) {
    return `it is about ${systemNames[system] ?? system}, and this is ${platform}`;
  }
  if (cores >= leastCores) return null;
  return `it takes ${String(leastCores)} cores, and ${String(cores)} may be used here`;
}

function whyNothingIsLeft({ cannotPin, cannotSeeThreads }: Surroundings): string {
  return cannotPin ?? cannotSeeThreads ?? 'no device that is here decides it';
}

/**
 * Lists the products that deciding assertions name; an explanation of a missing device is left out.
 */
function neededProducts(assertions: readonly AssertionTemplate[]): readonly Product[] {
  const arms = assertions.filter(({ role }) => role === undefined).flatMap(armsOfTemplate);
  return arms.map(({ product }) => product).filter((product) => product !== 'each');
}

function armsOfTemplate(template: AssertionTemplate): readonly ArmTemplate[] {
  switch (template.kind) {
    case 'ratio':
      return [template.a, template.b];
    case 'level':
      return [template.of];
    case 'change':
      return [template.a, template.b, template.c, template.d];
  }
}

function notesOf(
  { products, platform }: Ask,
  devices: DeviceVariants,
  presences: readonly Presence[],
): readonly string[] {
  return products.flatMap((product) => {
    const found = devices.find(product);
    if (found === null) return [`Left out: ${missingProduct(product, presences, platform)}.`];
    return standInNote(product, found) ?? [];
  });
}

interface Planning {
  readonly devices: DeviceVariants;
  readonly surroundings: Surroundings;
  readonly present: readonly Product[];
}

function planAssertions(template: AssertionTemplate, planning: Planning): readonly Assertion[] {
  const arms = armsOfTemplate(template);
  if (arms.some((arm) => !isPossible(arm, planning))) return [];
  if (isOfThreads(template.quantity) && planning.surroundings.cannotSeeThreads !== null) return [];
  const each = arms.some(({ product }) => product === 'each');
  const products: readonly (Product | null)[] = each ? planning.present : [null];
  return products.map((product) => planAssertion(template, product, planning));
}

/**
 * Returns whether an arm can run here. It cannot use more cores than exist, and as many as exist is
 * `all`; on one core there is nothing to compare with.
 */
function isPossible({ cores, product }: ArmTemplate, { surroundings, present }: Planning): boolean {
  if (product !== 'each' && !present.includes(product)) return false;
  if (cores === undefined) return true;
  if (!canLendOne(surroundings)) return false;
  return cores === 'all' || cores < surroundings.cores;
}

function canLendOne({ cores, cannotPin }: Surroundings): boolean {
  return cannotPin === null && cores > 1;
}

function planAssertion(
  template: AssertionTemplate,
  each: Product | null,
  { devices, surroundings }: Planning,
): Assertion {
  const arm = (one: ArmTemplate): Arm => devices.arm(one, each);
  const facts = {
    sentence: sentenceOf(template.sentence, each, devices),
    role: roleOf(template, each, devices),
    quantity: template.quantity,
    expected: expectedOf(template.expected, surroundings.cores),
    published: publishedOf(template.published, surroundings.cores),
  };
  switch (template.kind) {
    case 'ratio': {
      const { a, b, against } = template;
      const sides = { a: arm(a), b: arm(b) };
      return { ...facts, kind: 'ratio', ...sides, ...(against === undefined ? {} : { against }) };
    }
    case 'level':
      return { ...facts, kind: 'level', of: arm(template.of) };
    case 'change': {
      const { a, b, c, d } = template;
      return { ...facts, kind: 'change', a: arm(a), b: arm(b), c: arm(c), d: arm(d) };
    }
  }
}

/**
 * Uses the name of a stand-in: a sentence about Safari that was measured in another browser would
 * be false.
 */
function sentenceOf(sentence: string, each: Product | null, devices: DeviceVariants): string {
  const safari = devices.find('safari')?.device.name ?? 'Safari';
  const name = each === null ? '' : (devices.find(each)?.device.name ?? each);
  return sentence.replace('{product}', name).replace('Safari', safari);
}

/** Makes an explanation of what a stand-in measures for a claim about every browser. */
function roleOf(
  { role }: AssertionTemplate,
  each: Product | null,
  devices: DeviceVariants,
): Assertion['role'] {
  const found = each === null ? null : devices.find(each);
  const standsIn = each !== null && found !== null && standInNote(each, found) !== null;
  return role ?? (standsIn ? 'explanation' : 'verdict');
}

function expectedOf(expected: ExpectationTemplate, cores: number): Expectation {
  return 'aboveShareOfCores' in expected
    ? { above: Number((expected.aboveShareOfCores * cores).toFixed(3)) }
    : expected;
}

function publishedOf({ text, low, high }: PublishedTemplate, cores: number): PublishedValue {
  const number = (bound: number | 'all-cores' | undefined): number | null =>
    bound === 'all-cores' ? cores : (bound ?? null);
  return { text, low: number(low), high: number(high) };
}

function planCounterfactual(
  template: CounterfactualTemplate,
  { devices, present, surroundings }: Planning,
): readonly Counterfactual[] {
  const { of, cause, effect, sentence, quantity } = template;
  if (of.product === 'each' || !present.includes(of.product)) return [];
  if (cause === 'cores' && !canLendOne(surroundings)) return [];
  const withCause = devices.arm(of, null);
  const changed = devices.without(cause, withCause);
  if (changed === null) return [];
  return [
    {
      id: cause,
      sentence,
      change: describeChange(changed.change),
      quantity,
      withCause,
      withoutCause: changed.arm,
      effect:
        effect.kind === 'level'
          ? effect
          : { kind: 'ratio', against: devices.arm(effect.against, null) },
    },
  ];
}
