import type { FittingClaim } from '../../../core/results/index.ts';
import type { PairVerdict } from '../../../core/results/verdicts.ts';
import { caseName, type Case } from '../../../core/model/case.ts';
import { type FoundDevice, findPlatform, type Platform } from '../../../core/model/device.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import type { AssertionTemplate, Claim, ArmTemplate } from './claim.ts';
import { devicesFor } from './products.ts';
import { npxCrossfarm } from '../../../core/model/typed-command.ts';

type ComparedRun = Pick<RunRecord, 'run' | 'presences' | 'jobs'>;

/** A side of a pair with all facts that a claim may refer to. */
interface KnownSide {
  readonly presence: FoundDevice;
  readonly case: Case;
}

interface KnownPair {
  readonly pair: PairVerdict;
  readonly a: KnownSide;
  readonly b: KnownSide;
}

/**
 * Returns the claims about what the pairs of a run compare: the same benchmark with the same choices
 * on browsers that can stand for those of the claim. Sizes, such as n, may differ from the claim's.
 */
export function fittingClaims(
  claims: readonly Claim[],
  record: ComparedRun,
  pairs: readonly PairVerdict[],
): readonly FittingClaim[] {
  const known = knownPairs(record, pairs);
  return claims.flatMap((claim) => {
    const ours = known.filter((one) => fits(claim, one, record.run.machine.platform));
    if (ours.length === 0) return [];
    return [
      {
        id: claim.id,
        sentence: claim.sentence,
        command: `${npxCrossfarm} claims reproduce ${claim.id}`,
        pairs: ours.map(({ pair: { a, b } }) => ({ a, b })),
      },
    ];
  });
}

function knownPairs(
  { presences, jobs }: ComparedRun,
  pairs: readonly PairVerdict[],
): readonly KnownPair[] {
  const found = new Map(
    presences
      .filter((one): one is FoundDevice => one.status === 'found')
      .map((one) => [one.device.id, one]),
  );
  const cases = new Map(jobs.map((job) => [caseName(job.case), job.case]));
  const sideOf = ({ targetId, caseName: name }: PairVerdict['a']): KnownSide | null => {
    const [presence, one] = [found.get(targetId), cases.get(name)];
    return presence === undefined || one === undefined ? null : { presence, case: one };
  };
  return pairs.flatMap((pair) => {
    const [a, b] = [sideOf(pair.a), sideOf(pair.b)];
    return a === null || b === null ? [] : [{ pair, a, b }];
  });
}

function fits({ ask }: Claim, pair: KnownPair, platform: string): boolean {
  if (ask.system !== undefined && ask.system !== platform) return false;
  return ask.assertions.some((one) => isAbout(one, pair, ask.platform));
}

/** Returns whether a deciding assertion compares the same things, in either order. */
function isAbout(
  template: AssertionTemplate,
  { pair, a, b }: KnownPair,
  platform: Platform | undefined,
): boolean {
  if (template.kind !== 'ratio' || template.role !== undefined) return false;
  const { quantity, against = quantity } = template;
  if (quantity !== pair.metric || against !== pair.metric) return false;
  if (!isOfChoices(template.a, template.b)) return false;
  if (template.a.product === 'each' && a.presence.device.browser !== b.presence.device.browser) {
    return false;
  }
  const holds = (one: KnownSide, other: KnownSide): boolean =>
    isArm(template.a, one, platform) && isArm(template.b, other, platform);
  return holds(a, b) || holds(b, a);
}

/**
 * Returns whether a claim is about choices: a claim about two sizes of one thing is about no pair
 * of targets.
 */
function isOfChoices(a: ArmTemplate, b: ArmTemplate): boolean {
  const choices = ({ parameters }: ArmTemplate): string =>
    JSON.stringify(Object.entries(parameters).filter(([, value]) => typeof value !== 'number'));
  return a.product !== b.product || choices(a) !== choices(b);
}

/** A parameter that the claim leaves out has its default. */
function isArm(
  arm: ArmTemplate,
  { presence, case: one }: KnownSide,
  platform: Platform | undefined,
): boolean {
  const { product, benchmark, parameters, cores } = arm;
  if (cores !== undefined || benchmark !== one.benchmark.id) return false;
  if (findPlatform(presence.device) !== platform) return false;
  if (product !== 'each' && devicesFor(product, [presence], platform).length === 0) return false;
  return one.benchmark.parameters
    .filter(({ kind }) => kind === 'choice')
    .every((choice) => one.parameters[choice.name] === (parameters[choice.name] ?? choice.default));
}
