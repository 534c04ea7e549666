import type { Benchmark } from '../model/case.ts';
import type { Presence } from '../model/device.ts';
import { detectFirstRound, findRound, type Plan } from '../model/plan.ts';
import type { Arm } from '../model/question.ts';
import type { RunRecord, RunSetting } from '../model/run.ts';
import { makePlan } from './plan.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

export interface Rest {
  readonly setting: RunSetting;
  /** The run's devices as they are now. */
  readonly presences: readonly Presence[];
  /** The run's benchmarks as they are now: in a version that the run has, too. */
  readonly benchmarks: readonly Benchmark[];
}

/**
 * The plan that continues an interrupted run: its own jobs in their own order, those that
 * have an outcome marked as done. A repeat that was planned and not done comes before later rounds,
 * because its own is the one that was broken off.
 */
export function planRest(record: RunRecord, { setting, presences, benchmarks }: Rest): Plan {
  const { run, jobs, trials } = record;
  const current = new Map(benchmarks.map((benchmark) => [benchmark.id, benchmark]));
  const rounds = detectFirstRound(jobs);
  const then = new Map(record.presences.map((presence) => [presence.device.id, presence]));
  return {
    seed: run.seed,
    isolation: run.isolation,
    blocks: Math.max(0, ...jobs.map(({ block }) => block + 1)),
    ...rounds,
    measurement: setting.measurement,
    repeatQuarantined: setting.repeatQuarantined,
    ...(setting.allowContention === true && { allowContention: true }),
    presences: presences.map((now) => sameOrMissing(then.get(now.device.id), now)),
    jobs: jobs
      .map((job) => ({
        ...job,
        // The store does not keep all of a benchmark, such as which metrics are optional.
        case: {
          ...job.case,
          benchmark: current.get(job.case.benchmark.id) ?? job.case.benchmark,
        },
      }))
      .toSorted(
        (a, b) => findRound(rounds, a.block) - findRound(rounds, b.block) || a.ordinal - b.ordinal,
      ),
    done: new Set(trials.map(({ job }) => job.ordinal)),
  };
}

export interface Further {
  /** In the order in which the run was planned with them. */
  readonly arms: readonly Arm[];
  readonly blocks: number;
}

/**
 * The plan of a continued comparison: its missing jobs, and then the given number of further
 * blocks, in the order in which a plan of its seed has them. They are numbered after all jobs that
 * there are, repeats too.
 */
export function planFurther(sofar: Plan, { arms, blocks: more }: Further): Plan {
  const { seed, isolation, measurement, presences, firstRound } = sofar;
  const blocks = sofar.blocks + more;
  const rounds = firstRound === undefined ? {} : { firstRound };
  const whole = makePlan({ seed, isolation, blocks, measurement, presences, arms, ...rounds });
  const next = sofar.jobs.reduce((highest, { ordinal }) => Math.max(highest, ordinal), -1) + 1;
  const further = whole.jobs
    .filter(({ block }) => block >= sofar.blocks)
    .map((job, index) => ({ ...job, ordinal: next + index }));
  return { ...sofar, blocks, jobs: [...sofar.jobs, ...further] };
}

/** A run must not pool two versions of a browser, nor gain a device on its way. */
function sameOrMissing(then: Presence | undefined, now: Presence): Presence {
  if (now.status === 'missing') return now;
  const { device, capabilities } = now;
  if (then?.status !== 'found') {
    const reason = 'it was missing when the run began';
    return {
      status: 'missing',
      device,
      capabilities,
      reason: then === undefined ? reason : `${reason}: ${then.reason}`,
      remedy: `a new run: ${npxCrossfarm} run`,
    };
  }
  const before = then.target.browser.version;
  const after = now.target.browser.version;
  if (before === after) return now;
  return {
    status: 'missing',
    device,
    capabilities,
    reason: `it is ${now.target.browser.name} ${after} now, and the run began with ${before}`,
    remedy: `put ${before} back and resume again, or make a new run: ${npxCrossfarm} run`,
  };
}

/** Benchmarks of the run, each once, as they were when it was planned. */
export function listBenchmarks({ jobs }: RunRecord): readonly Benchmark[] {
  return [...new Map(jobs.map(({ case: { benchmark } }) => [benchmark.id, benchmark])).values()];
}
