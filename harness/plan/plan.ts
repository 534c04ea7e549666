import type { Case, Isolation, MeasurementRules } from '../model/case.ts';
import type { Presence } from '../model/device.ts';
import type { Job, Plan } from '../model/plan.ts';
import { seededGenerator, type SeededGenerator } from '../stats/random.ts';

export interface PlanRequest {
  readonly seed: number;
  readonly isolation: Isolation;
  readonly blocks: number;
  readonly measurement: MeasurementRules;
  readonly presences: readonly Presence[];
  readonly cases: readonly Case[];
}

/**
 * Orders the jobs of a run: blocks one after the other, each holding one trial of every case on
 * every device, in an order drawn from the seed.
 *
 * Under isolation `session` the whole block is shuffled. Under `page` the cases of a device share
 * its session of that block, so devices are shuffled, and cases within each device: the order of
 * any two devices stays a fair coin, which is what the comparison of targets needs.
 */
export function makePlan(request: PlanRequest): Plan {
  const generator = seededGenerator(request.seed);
  const blocks = Array.from({ length: request.blocks }, (_, block) =>
    request.isolation === 'session'
      ? sessionBlock(request, block, generator)
      : pageBlock(request, block, generator),
  );
  const jobs = blocks.flat().map((job, ordinal) => ({ ...job, ordinal }));
  const { seed, isolation, measurement, presences } = request;
  return { seed, isolation, blocks: request.blocks, measurement, presences, jobs };
}

type UnorderedJob = Omit<Job, 'ordinal'>;

function sessionBlock(
  { cases, presences }: PlanRequest,
  block: number,
  generator: SeededGenerator,
): UnorderedJob[] {
  const jobs = presences.flatMap(({ device }) =>
    cases.map((one, index) => ({
      block,
      case: one,
      deviceId: device.id,
      sessionKey: `${device.id}/${String(block)}/${String(index)}`,
    })),
  );
  return generator.shuffle(jobs);
}

function pageBlock(
  { cases, presences }: PlanRequest,
  block: number,
  generator: SeededGenerator,
): UnorderedJob[] {
  return generator.shuffle(presences).flatMap(({ device }) =>
    generator.shuffle(cases).map((one) => ({
      block,
      case: one,
      deviceId: device.id,
      sessionKey: `${device.id}/${String(block)}`,
    })),
  );
}
