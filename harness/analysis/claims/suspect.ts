import type { Assertion, Counterfactual } from '../../model/question.ts';
import { laneKey, lanesOfAssertion } from '../../model/question.ts';
import { describeChange, type Change } from './causes.ts';
import { variantOf } from './lent-devices.ts';
import type { Posed } from './pose.ts';

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
    .filter((one) => one.kind !== 'ratio' || one.against === undefined)
    .flatMap((assertion) => {
      const sides = lanesOfAssertion(assertion);
      return sides.flatMap((lane, index) => {
        const presence = devices.get(lane.deviceId);
        const variant = presence && variantOf(presence, cause, change);
        if (!variant || !canHaveEffect(assertion, variant.change)) return [];
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
  const counterfactuals = distinct([...question.counterfactuals, ...added]);
  return {
    ...posed,
    question: { ...question, counterfactuals },
    presences: [...devices.values()],
  };
}

/**
 * Of a level only cores busy has a value without any effect, one core; and that a browser on fewer
 * cores keeps fewer busy needs no measuring.
 */
function canHaveEffect({ kind, quantity }: Assertion, { cores }: Change): boolean {
  return kind !== 'level' || (quantity === 'cores-busy' && cores === undefined);
}

/** A suspect on request may be one that the claim suspects itself. */
function distinct(all: readonly Counterfactual[]): readonly Counterfactual[] {
  const keyOf = ({ quantity, withCause, withoutCause, effect }: Counterfactual): string =>
    JSON.stringify([
      quantity,
      laneKey(withCause),
      laneKey(withoutCause),
      effect.kind === 'ratio' ? laneKey(effect.against) : effect.base,
    ]);
  return [...new Map(all.map((one) => [keyOf(one), one])).values()];
}
