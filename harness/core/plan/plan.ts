import {
  listHosts,
  listPossibleHosts,
  findPreset,
  type Case,
  type Isolation,
  type MeasurementRules,
} from '../model/case.ts';
import { findHost, isOldNode, type Presence } from '../model/device.ts';
import type { Job, Plan } from '../model/plan.ts';
import type { Arm } from '../model/question.ts';
import { seededGenerator, type SeededGenerator } from '../analysis/stats/random.ts';

export interface PlanRequest {
  readonly seed: number;
  readonly isolation: Isolation;
  readonly blocks: number;
  /** Blocks that are shuffled together, under isolation `session`; 1 when left out. */
  readonly firstRound?: number;
  /** Blocks that have one session of each device, under isolation `page`; 1 when left out. */
  readonly blocksPerSession?: number;
  readonly measurement: MeasurementRules;
  readonly presences: readonly Presence[];
  readonly arms: readonly Arm[];
  /**
   * True if a quarantined trial is repeated. By default under isolation `session` only: `page` is
   * for exploration, which must stay short. The preset `fast` excludes no trial.
   */
  readonly repeatQuarantined?: boolean;
}

/** Every case on every device that is of a kind on which it can run. */
export function crossArms(presences: readonly Presence[], cases: readonly Case[]): readonly Arm[] {
  return presences.flatMap((presence) =>
    cases
      .filter((one) => canRun(one, presence, listHosts))
      .map((one) => ({ deviceId: presence.device.id, case: one })),
  );
}

function canRun(one: Case, presence: Presence, hosts: typeof listHosts): boolean {
  if (!hosts(one).includes(findHost(presence.device.browser))) return false;
  const isOld = presence.status === 'found' && isOldNode(presence.target.browser);
  return !isOld || isFresh(one);
}

/** True if a case starts a new process for each call (`pages/kit/fresh-process.js`). */
function isFresh({ parameters: { state, place } }: Case): boolean {
  return (state === 'first' || state === 'cold') && place === 'main';
}

/** Describes what `crossArms` leaves out, for its user: devices that lack as many cases of a benchmark, together. */
export function describeLeftOut(
  presences: readonly Presence[],
  cases: readonly Case[],
): readonly string[] {
  return [...new Set(cases.map((one) => one.benchmark.id))].flatMap((benchmark) => {
    const ours = cases.filter((one) => one.benchmark.id === benchmark);
    const lacking = new Map<number, string[]>();
    for (const presence of presences) {
      const left = ours.filter((one) => !canRun(one, presence, listPossibleHosts)).length;
      lacking.set(left, [...(lacking.get(left) ?? []), presence.device.id]);
    }
    lacking.delete(0);
    return [...lacking].map(([left, devices]) => {
      const some = `${String(left)} of ${String(ours.length)} cases of ${benchmark}`;
      const what = left === ours.length ? benchmark : some;
      return `${what} cannot run on ${devices.join(', ')}: left out there`;
    });
  });
}

/**
 * Orders the jobs of a run: rounds one after the other, each holding one trial of every arm for each
 * of its blocks, in an order drawn from the seed. A plan of more blocks begins with the plan of fewer,
 * so a run may stop at any round and still be reproducible.
 *
 * Under isolation `session` the whole round is shuffled. A round is one block, because trials that are
 * close in time share the most of what drifts, and because one can look after each. The first round
 * may be several: then each of its blocks is one trial of every arm, matched at random, and all
 * together have far more orders than one by one, of which a test can make an early verdict.
 *
 * Under `page` the cases of a device share its session of that block, so devices are shuffled, and
 * cases within each device: the order of any two devices stays a fair coin, which is what the
 * comparison of targets needs.
 */
export function makePlan(request: PlanRequest): Plan {
  const { seed, isolation, blocks, firstRound, measurement, presences, arms } = request;
  refuseNoRound(request);
  const generator = seededGenerator(seed);
  const { blocksPerSession = 1 } = request;
  const makeRound = isolation === 'session' ? sessionRound : makePageRound(blocksPerSession);
  const jobs = roundsOf(blocks, firstRound).flatMap((round) => makeRound(arms, round, generator));
  return {
    seed,
    isolation,
    blocks,
    measurement,
    presences,
    ...(firstRound !== undefined && { firstRound }),
    repeatQuarantined:
      findPreset(measurement) === undefined &&
      (request.repeatQuarantined ?? isolation === 'session'),
    jobs: jobs.map((job, ordinal) => ({ ...job, ordinal })),
  };
}

/** A round that is cut short would be another permutation, and the plan of more blocks begin otherwise. */
function refuseNoRound({ isolation, blocks, firstRound = 1 }: PlanRequest): void {
  if (firstRound === 1 || (isolation === 'session' && firstRound <= blocks)) return;
  throw new RangeError(
    `${String(blocks)} blocks under isolation ${isolation} have no first round of ${String(firstRound)}`,
  );
}

/** The numbers of the blocks of each round. */
function roundsOf(blocks: number, firstRound = 1): readonly (readonly number[])[] {
  const numbers = Array.from({ length: blocks }, (_, block) => block);
  const later = numbers.slice(firstRound).map((block) => [block]);
  return [numbers.slice(0, firstRound), ...later];
}

type UnorderedJob = Omit<Job, 'ordinal'>;

function sessionRound(
  arms: readonly Arm[],
  blocks: readonly number[],
  generator: SeededGenerator,
): UnorderedJob[] {
  const jobs = blocks.flatMap((block) =>
    arms.map((arm, index) => ({
      ...arm,
      block,
      sessionKey: `${arm.deviceId}/${String(block)}/${String(index)}`,
    })),
  );
  return generator.shuffle(jobs);
}

function makePageRound(blocksPerSession: number): typeof sessionRound {
  return (arms, [block = 0], generator) => {
    const devices = [...new Set(arms.map((arm) => arm.deviceId))];
    const session = String(Math.floor(block / blocksPerSession));
    return generator
      .shuffle(devices)
      .flatMap((deviceId) =>
        generator
          .shuffle(arms.filter((arm) => arm.deviceId === deviceId))
          .map((arm) => ({ ...arm, block, sessionKey: `${deviceId}/${session}` })),
      );
  };
}
