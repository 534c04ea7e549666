import {
  armKey,
  armsOfAssertion,
  type Assertion,
  type Counterfactual,
} from '../../../model/question.ts';
import { type Change, describeChange } from '../../../analysis/causes.ts';
import { makeVariant } from './device-variants.ts';
import type { PlannedClaim } from './plan-claim.ts';

/**
 * Adds a suspect to a question: every arm that a deciding assertion is about (both of a ratio, or
 * the one of a level) is also measured without the cause, if its engine has a switch.
 */
export function suspect(
  planned: Extract<PlannedClaim, { kind: 'question' }>,
  cause: string,
  change?: Change,
): Extract<PlannedClaim, { kind: 'question' }> {
  const devices = new Map(planned.presences.map((one) => [one.device.id, one]));
  const { question } = planned;
  const added = question.assertions
    .filter(({ role, kind }) => role === 'verdict' && kind !== 'change')
    .filter((one) => one.kind !== 'ratio' || one.against === undefined)
    .flatMap((assertion) => {
      const sides = armsOfAssertion(assertion);
      return sides.flatMap((arm, index) => {
        const presence = devices.get(arm.deviceId);
        const variant = presence && makeVariant(presence, cause, change);
        if (!variant || !canHaveEffect(assertion, variant.change)) return [];
        devices.set(variant.presence.device.id, variant.presence);
        const other = sides[1 - index];
        return [
          {
            id: cause,
            sentence: variant.presence.device.name,
            change: describeChange(variant.change),
            quantity: assertion.quantity,
            withCause: arm,
            withoutCause: { ...arm, deviceId: variant.presence.device.id },
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
    ...planned,
    question: { ...question, counterfactuals },
    presences: [...devices.values()],
  };
}

/**
 * Returns whether the change can explain anything. Among levels only cores busy has a known value
 * without any effect, one core; and a browser on fewer cores keeps fewer busy in any case.
 */
function canHaveEffect({ kind, quantity }: Assertion, { cores }: Change): boolean {
  return kind !== 'level' || (quantity === 'cores-busy' && cores === undefined);
}

/** Removes duplicates: the claim itself may have the same suspect. */
function distinct(all: readonly Counterfactual[]): readonly Counterfactual[] {
  const keyOf = ({ quantity, withCause, withoutCause, effect }: Counterfactual): string =>
    JSON.stringify([
      quantity,
      armKey(withCause),
      armKey(withoutCause),
      effect.kind === 'ratio' ? armKey(effect.against) : effect.base,
    ]);
  return [...new Map(all.map((one) => [keyOf(one), one])).values()];
}
