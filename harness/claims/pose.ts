import type { Presence } from '../model/device.ts';
import {
  laneKey,
  lanesOfAssertion,
  type Assertion,
  type Counterfactual,
  type Lane,
  type Published,
  type Question,
} from '../model/question.ts';
import type { MeasurementRules } from '../model/case.ts';
import {
  causes,
  changedDevice,
  changeFor,
  coresChange,
  describeChange,
  type Change,
} from './causes.ts';
import type {
  AssertionTemplate,
  CaseMaker,
  Claim,
  CounterfactualTemplate,
  LaneTemplate,
  Product,
  PublishedTemplate,
} from './claim.ts';
import { deviceFor, missingProduct, standInNote, type Found } from './products.ts';

/** What a claim meets here. */
export interface Surroundings {
  /** Of the inventory: found and missing. */
  readonly presences: readonly Presence[];
  /** Logical cores that may be used here. */
  readonly cores: number;
  /** Why no browser can be pinned to some of them; null when it can. */
  readonly cannotPin: string | null;
  readonly makeCase: CaseMaker;
  readonly measurement: MeasurementRules;
}

export type Posed =
  | {
      readonly kind: 'question';
      readonly question: Question;
      /** Every device that the question needs, changed ones included. */
      readonly presences: readonly Found[];
    }
  | { readonly kind: 'not-testable'; readonly because: string };

/** A claim as a question to the devices that are here, or why it cannot be asked here. */
export function poseClaim(claim: Claim, surroundings: Surroundings): Posed {
  const { ask } = claim;
  if (ask.kind === 'not-testable') return ask;
  const devices = new Devices(surroundings);
  const missing = ask.products.filter((product) => devices.find(product) === null);
  const needed = neededProducts(ask.assertions).filter((product) => missing.includes(product));
  const present = ask.products.filter((product) => !missing.includes(product));
  if (needed.length > 0 || present.length === 0) {
    const [first = ask.products[0]] = needed;
    const because = first === undefined ? '' : missingProduct(first, surroundings.presences);
    return { kind: 'not-testable', because };
  }
  const poser = { devices, surroundings, present };
  const assertions = distinct(ask.assertions.flatMap((one) => poseAssertions(one, poser)));
  if (!assertions.some(({ role }) => role === 'verdict')) {
    return { kind: 'not-testable', because: surroundings.cannotPin ?? 'one core is all there is' };
  }
  const question: Question = {
    id: claim.id,
    title: `Claim ${claim.id}`,
    sentence: claim.sentence,
    source: claim.source,
    published: claim.published,
    assertions,
    counterfactuals: ask.counterfactuals.flatMap((one) => poseCounterfactual(one, poser)),
    notes: [...ask.notes, ...notesOf(ask.products, devices, surroundings.presences)],
    measurement: { ...surroundings.measurement, ...ask.measurement },
  };
  return { kind: 'question', question, presences: devices.used() };
}

/** What an assertion that decides names; an explanation of a device that is missing is left out. */
function neededProducts(assertions: readonly AssertionTemplate[]): readonly Product[] {
  const lanes = assertions.filter(({ role }) => role === undefined).flatMap(lanesOfTemplate);
  return lanes.map(({ product }) => product).filter((product) => product !== 'each');
}

function lanesOfTemplate(template: AssertionTemplate): readonly LaneTemplate[] {
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
  products: readonly Product[],
  devices: Devices,
  presences: readonly Presence[],
): readonly string[] {
  return products.flatMap((product) => {
    const found = devices.find(product);
    if (found === null) return [`Left out: ${missingProduct(product, presences)}.`];
    return standInNote(product, found) ?? [];
  });
}

interface Poser {
  readonly devices: Devices;
  readonly surroundings: Surroundings;
  readonly present: readonly Product[];
}

function poseAssertions(template: AssertionTemplate, poser: Poser): readonly Assertion[] {
  const lanes = lanesOfTemplate(template);
  if (lanes.some((lane) => !isPossible(lane, poser))) return [];
  const each = lanes.some(({ product }) => product === 'each');
  const products: readonly (Product | null)[] = each ? poser.present : [null];
  return products.map((product) => poseAssertion(template, product, poser));
}

/**
 * More cores than there are cannot be lent, and as many as there are is `all`; on one core there is
 * nothing to compare it with.
 */
function isPossible({ cores, product }: LaneTemplate, { surroundings, present }: Poser): boolean {
  if (product !== 'each' && !present.includes(product)) return false;
  if (cores === undefined) return true;
  if (!canLendOne(surroundings)) return false;
  return cores === 'all' || cores < surroundings.cores;
}

function canLendOne({ cores, cannotPin }: Surroundings): boolean {
  return cannotPin === null && cores > 1;
}

function poseAssertion(
  template: AssertionTemplate,
  each: Product | null,
  { devices, surroundings }: Poser,
): Assertion {
  const lane = (one: LaneTemplate): Lane => devices.lane(one, each);
  const name = each === null ? '' : (devices.find(each)?.device.name ?? each);
  const facts = {
    sentence: template.sentence.replace('{product}', name),
    role: template.role ?? ('verdict' as const),
    quantity: template.quantity,
    expected: template.expected,
    published: publishedOf(template.published, surroundings.cores),
  };
  switch (template.kind) {
    case 'ratio':
      return { ...facts, kind: 'ratio', a: lane(template.a), b: lane(template.b) };
    case 'level':
      return { ...facts, kind: 'level', of: lane(template.of) };
    case 'change': {
      const { a, b, c, d } = template;
      return { ...facts, kind: 'change', a: lane(a), b: lane(b), c: lane(c), d: lane(d) };
    }
  }
}

function publishedOf({ text, low, high }: PublishedTemplate, cores: number): Published {
  const number = (bound: number | 'all-cores' | undefined): number | null =>
    bound === 'all-cores' ? cores : (bound ?? null);
  return { text, low: number(low), high: number(high) };
}

function poseCounterfactual(
  template: CounterfactualTemplate,
  { devices, present, surroundings }: Poser,
): readonly Counterfactual[] {
  const { of, cause, effect, sentence, quantity } = template;
  if (of.product === 'each' || !present.includes(of.product)) return [];
  if (cause === 'cores' && !canLendOne(surroundings)) return [];
  const withCause = devices.lane(of, null);
  const changed = devices.without(cause, withCause);
  if (changed === null) return [];
  return [
    {
      id: cause,
      sentence,
      change: describeChange(changed.change),
      quantity,
      withCause,
      withoutCause: changed.lane,
      effect:
        effect.kind === 'level'
          ? effect
          : { kind: 'ratio', against: devices.lane(effect.against, null) },
    },
  ];
}

/**
 * The same question with one more suspect: every lane that a deciding assertion is about first
 * (`a`, or the one of a level) is also measured without the cause, where its engine has a switch.
 */
export function suspect(
  posed: Extract<Posed, { kind: 'question' }>,
  cause: string,
  change?: Change,
): Extract<Posed, { kind: 'question' }> {
  const devices = new Map(posed.presences.map((one) => [one.device.id, one]));
  const { question } = posed;
  const added = question.assertions
    .filter(({ role, kind }) => role === 'verdict' && kind !== 'change')
    .flatMap((assertion) => {
      const sides = lanesOfAssertion(assertion);
      return sides.flatMap((lane, index) => {
        const presence = devices.get(lane.deviceId);
        const variant = presence && variantOf(presence, cause, change);
        if (!variant) return [];
        devices.set(variant.presence.device.id, variant.presence);
        const other = sides[1 - index];
        return [
          {
            id: cause,
            sentence: variant.presence.device.name,
            change: describeChange(variant.change),
            quantity: assertion.quantity,
            withCause: lane,
            withoutCause: { ...lane, deviceId: variant.presence.device.id },
            effect:
              other === undefined
                ? ({ kind: 'level', base: 1 } as const)
                : ({ kind: 'ratio', against: other } as const),
          },
        ];
      });
    });
  return {
    ...posed,
    question: { ...question, counterfactuals: [...question.counterfactuals, ...added] },
    presences: [...devices.values()],
  };
}

interface Variant {
  readonly change: Change;
  readonly presence: Found;
}

/** The device without a cause; null when its engine has no switch for it. */
function variantOf(presence: Found, cause: string, given?: Change): Variant | null {
  const known = causes.find(({ id }) => id === cause);
  const change = given ?? (known === undefined ? null : changeFor(known, presence.device));
  if (change === null) return null;
  const suffix = given?.cores === undefined ? `without-${cause}` : `cores-${String(given.cores)}`;
  const device = changedDevice(presence.device, suffix, change);
  return { change, presence: { ...presence, device, target: { ...presence.target, device } } };
}

/** Two templates may become one assertion here: on two cores “all” is 2. */
function distinct(assertions: readonly Assertion[]): readonly Assertion[] {
  const keyOf = (one: Assertion): string =>
    JSON.stringify([one.kind, one.quantity, lanesOfAssertion(one).map(laneKey)]);
  return [...new Map(assertions.map((one) => [keyOf(one), one])).values()];
}

/** Lends devices to lanes and remembers which were lent. */
class Devices {
  readonly #surroundings: Surroundings;
  readonly #used = new Map<string, Found>();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  find(product: Product): Found | null {
    return deviceFor(product, this.#surroundings.presences);
  }

  used(): readonly Found[] {
    return [...this.#used.values()];
  }

  lane({ product, benchmark, parameters, cores }: LaneTemplate, each: Product | null): Lane {
    const wanted = product === 'each' ? each : product;
    const found = wanted === null ? null : this.find(wanted);
    if (found === null) throw new RangeError(`no device for ${String(wanted)}`);
    const chosen = typeof cores === 'number' ? this.#pinned(found, cores) : found;
    this.#used.set(chosen.device.id, chosen);
    return { deviceId: chosen.device.id, case: this.#surroundings.makeCase(benchmark, parameters) };
  }

  /** The lane without a cause; null when its engine has no switch for it. */
  without(cause: string, lane: Lane): { readonly lane: Lane; readonly change: Change } | null {
    const presence = this.#used.get(lane.deviceId);
    if (presence === undefined) return null;
    const variant = variantOf(presence, cause, cause === 'cores' ? coresChange(1) : undefined);
    if (variant === null) return null;
    const { id } = variant.presence.device;
    this.#used.set(id, variant.presence);
    return { lane: { ...lane, deviceId: id }, change: variant.change };
  }

  #pinned(presence: Found, cores: number): Found {
    const device = changedDevice(presence.device, `cores-${String(cores)}`, coresChange(cores));
    return { ...presence, device, target: { ...presence.target, device } };
  }
}
