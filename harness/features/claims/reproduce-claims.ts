import { randomInt } from 'node:crypto';
import { causes, coresChange, type Change, describeChange } from '../../core/analysis/causes.ts';
import type { Claim } from './judging/claim.ts';
import { describeEvidence, describeNotTestable } from './judging/evidence.ts';
import { planClaim, type PlannedClaim } from './judging/plan-claim.ts';
import { FarmError, unknownName } from '../../core/errors.ts';
import { farmVersion } from '../../core/project.ts';
import { withoutSecrets } from '../bundles/bundle/redaction.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import {
  type ClaimAnswer,
  type ClaimSetting,
  findClaimSetting,
  type SettingOptions,
} from './claims.ts';
import { findOpenRun } from './continue-claim.ts';
import {
  measureQuestion,
  type QuestionOptions,
  checkBlocks,
  reproduceCommand,
  bundleAnswer,
  writeEvidence,
} from './measure-question.ts';
import type { ReportOption } from '../../core/cli/end-report.ts';
import {
  armKey,
  armsOfAssertion,
  type Assertion,
  type Counterfactual,
} from '../../core/model/question.ts';
import { makeVariant } from './judging/products.ts';

export interface ClaimOptions extends SettingOptions, QuestionOptions, ReportOption {
  /** Ids of causes to switch off in addition to the claim's own. */
  readonly without: readonly string[];
  /** Also with the browser on this number of cores. */
  readonly cores: readonly number[];
  /** Starts over instead of continuing an open claim. */
  readonly anew?: boolean;
  /** Of the order of the trials; a random one when left out. One that is given starts from nothing. */
  readonly seed?: number;
  /** Where to write a bundle, one file for a replay on another machine. */
  readonly bundle?: string;
}

/**
 * Measures claims one after the other, and yields each answer when its evidence is written. It ends
 * early when the signal is aborted.
 * @throws FarmError `bad-argument`, `unknown-device`, `cannot-write`, …
 */
export async function* reproduceClaims(
  claims: readonly Claim[],
  options: ClaimOptions,
  caller: MeasuringCaller,
): AsyncGenerator<ClaimAnswer> {
  checkBlocks(options, caller);
  refuseOneFileForMany(claims, options);
  const found = await findClaimSetting(options, caller);
  const setting = options.probes
    ? found
    : {
        ...found,
        cannotSeeThreads: 'a probe reads the time of each thread, and --no-probes turns it off',
      };
  for (const claim of claims) {
    if (caller.signal.aborted) return;
    yield await reproduceClaim(claim, { setting, options, caller });
  }
}

function refuseOneFileForMany(claims: readonly Claim[], { report, bundle }: ClaimOptions): void {
  if (claims.length === 1 || (typeof report !== 'string' && bundle === undefined)) return;
  throw new FarmError('bad-argument', {
    what: `--report and --bundle name one file, and ${String(claims.length)} claims were asked for.`,
    next: 'Reproduce them one by one, or leave the option out.',
  });
}

interface Reproduction {
  readonly setting: ClaimSetting;
  readonly options: ClaimOptions;
  readonly caller: MeasuringCaller;
}

function writtenNow(): { readonly writtenAt: string; readonly farmVersion: string } {
  return { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
}

async function reproduceClaim(
  claim: Claim,
  { setting, options, caller }: Reproduction,
): Promise<ClaimAnswer> {
  const seed = options.seed ?? randomInt(2 ** 32);
  const command = reproduceCommand(claim.id, options, seed);
  const planned = withSuspects(planClaim(claim, setting), setting, options);
  const place = { ...options, name: `claim-${claim.id}.html` };
  if (planned.kind === 'not-testable') {
    const { because } = planned;
    const evidence = describeNotTestable(claim, { ...planned, ...writtenNow(), command });
    const { path } = await writeEvidence(evidence, place);
    return { kind: 'not-testable', claim, because, command, path };
  }
  const { question, presences } = planned;
  // A seed is that of a whole run: who gives one repeats it.
  const fresh = options.anew === true || options.seed !== undefined;
  const goesOn = fresh ? null : await findOpenRun(question, { presences, options }, caller);
  const order = { presences, options, command, seed, ...(goesOn !== null && { goesOn }) };
  const answer = await measureQuestion(question, order, caller);
  const evidence = describeEvidence(withoutSecrets(answer.record), question, writtenNow());
  const { path, html } = await writeEvidence(evidence, place);
  if (options.bundle !== undefined) {
    await bundleAnswer(options.bundle, { question, answer, html, pages: options.pages });
  }
  return { kind: 'measured', claim, evidence, answer, path };
}

function withSuspects(
  planned: PlannedClaim,
  { cores, cannotPin }: Pick<ClaimSetting, 'cores' | 'cannotPin'>,
  { without, cores: wanted }: ClaimOptions,
): PlannedClaim {
  if (planned.kind === 'not-testable') return planned;
  const known = causes.map(({ id }) => id);
  let suspected = planned;
  for (const cause of without) {
    if (!known.includes(cause)) {
      throw unknownName('bad-argument', { kind: 'cause', seen: cause, known });
    }
    suspected = suspect(suspected, cause);
  }
  if (wanted.length > 0 && cannotPin !== null) {
    throw new FarmError('bad-argument', {
      what: `--cores does not work here: ${cannotPin}.`,
      next: 'Leave it out.',
    });
  }
  for (const count of wanted) {
    if (count > cores) {
      throw new FarmError('bad-argument', {
        what: `A browser cannot be given ${String(count)} cores: this machine has ${String(cores)}.`,
        next: `--cores takes 1 to ${String(cores)}.`,
      });
    }
    suspected = suspect(suspected, 'cores', coresChange(count));
  }
  return suspected;
}

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
