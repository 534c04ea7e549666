import {
  hostsOf,
  possibleHostsOf,
  type Case,
  type Isolation,
  type MeasurementRules,
} from '../model/case.ts';
import { hostOf, type Presence } from '../model/device.ts';
import type { Job, Plan } from '../model/plan.ts';
import type { Lane } from '../model/question.ts';
import { seededGenerator, type SeededGenerator } from '../stats/random.ts';

export interface PlanRequest {
  readonly seed: number;
  readonly isolation: Isolation;
  readonly blocks: number;
  readonly measurement: MeasurementRules;
  readonly presences: readonly Presence[];
  readonly lanes: readonly Lane[];
  /**
   * Whether a quarantined trial is done once more. By default under isolation `session` only:
   * `page` is for exploration, which must stay short.
   */
  readonly repeatQuarantined?: boolean;
}

/** Every case on every device that is of a kind on which it can run. */
export function crossLanes(
  presences: readonly Presence[],
  cases: readonly Case[],
): readonly Lane[] {
  return presences.flatMap(({ device }) =>
    cases
      .filter((one) => hostsOf(one).includes(hostOf(device.browser)))
      .map((one) => ({ deviceId: device.id, case: one })),
  );
}

/** What `crossLanes` leaves out, a sentence for each benchmark, for those who asked for it. */
export function describeLeftOut(
  presences: readonly Presence[],
  cases: readonly Case[],
): readonly string[] {
  const lacking = new Map<string, { cases: Set<Case>; devices: Set<string> }>();
  for (const one of cases) {
    for (const { device } of presences) {
      if (possibleHostsOf(one).includes(hostOf(device.browser))) continue;
      const entry = lacking.get(one.benchmark.id) ?? { cases: new Set(), devices: new Set() };
      entry.cases.add(one);
      entry.devices.add(device.id);
      lacking.set(one.benchmark.id, entry);
    }
  }
  return [...lacking].map(([benchmark, { cases: left, devices }]) => {
    const all = cases.filter((one) => one.benchmark.id === benchmark).length;
    const how =
      left.size === all
        ? benchmark
        : `${String(left.size)} of ${String(all)} cases of ${benchmark}`;
    return `${how} cannot run on ${[...devices].join(', ')}: left out there`;
  });
}

/**
 * Orders the jobs of a run: blocks one after the other, each holding one trial of every lane, in
 * an order drawn from the seed. A plan of more blocks begins with the plan of fewer, so a run may
 * stop at any block and still be reproducible.
 *
 * Under isolation `session` the whole block is shuffled. Under `page` the cases of a device share
 * its session of that block, so devices are shuffled, and cases within each device: the order of
 * any two devices stays a fair coin, which is what the comparison of targets needs.
 */
export function makePlan(request: PlanRequest): Plan {
  const generator = seededGenerator(request.seed);
  const makeBlock = request.isolation === 'session' ? sessionBlock : pageBlock;
  const jobs = Array.from({ length: request.blocks }, (_, block) =>
    makeBlock(request.lanes, block, generator),
  );
  const { seed, isolation, blocks, measurement, presences } = request;
  const ordered = jobs.flat().map((job, ordinal) => ({ ...job, ordinal }));
  const repeatQuarantined = request.repeatQuarantined ?? isolation === 'session';
  return { seed, isolation, blocks, measurement, repeatQuarantined, presences, jobs: ordered };
}

type UnorderedJob = Omit<Job, 'ordinal'>;

function sessionBlock(
  lanes: readonly Lane[],
  block: number,
  generator: SeededGenerator,
): UnorderedJob[] {
  const jobs = lanes.map((lane, index) => ({
    ...lane,
    block,
    sessionKey: `${lane.deviceId}/${String(block)}/${String(index)}`,
  }));
  return generator.shuffle(jobs);
}

function pageBlock(
  lanes: readonly Lane[],
  block: number,
  generator: SeededGenerator,
): UnorderedJob[] {
  const devices = [...new Set(lanes.map((lane) => lane.deviceId))];
  return generator
    .shuffle(devices)
    .flatMap((deviceId) =>
      generator
        .shuffle(lanes.filter((lane) => lane.deviceId === deviceId))
        .map((lane) => ({ ...lane, block, sessionKey: `${deviceId}/${String(block)}` })),
    );
}
