import type { CpuFacts, RoleTimeline, ScheduleFacts, ScheduleSpan } from '../../harness/core/results/index.ts';

export interface CpuShape {
  readonly caseName: string;
  readonly targetId: string;
  readonly cores: number;
  readonly slices: number;
  readonly sliceMs?: number;
  /** Cores that JavaScript and its collector keep busy; drawn at random without it. */
  readonly load?: { readonly script: number; readonly collector: number };
  readonly random: () => number;
}

/** One busy main thread that moves between the cores, a collector beside it, and the rest. */
export function someCpu(shape: CpuShape): CpuFacts {
  const { caseName, targetId, cores, slices, sliceMs = 20, random } = shape;
  const wallMs = slices * sliceMs;
  const home = Math.floor(random() * cores);
  const drawn = { script: 0.6 + 0.38 * random(), collector: 0.02 + 0.3 * random() };
  const { script, collector } = shape.load ?? drawn;
  const moves = Math.floor(slices * random());
  return {
    caseName,
    targetId,
    block: 4,
    wallMs,
    cores: {
      sliceMs,
      busy: Array.from({ length: cores }, (_, core) =>
        Array.from({ length: slices }, (_, i) => {
          const main = (i < moves ? home : (home + 1) % cores) === core;
          return main ? 0.85 + 0.15 * random() : 0.4 * random() ** 2;
        }),
      ),
      costShare: 0.0007,
    },
    threads: {
      coresBusy: script + collector + 0.16,
      javascriptParallelism: script,
      gcShare: collector / (script + collector + 0.16),
      roles: [
        { role: 'js-main', cpuMs: wallMs * script },
        { role: 'gc', cpuMs: wallMs * collector },
        { role: 'jit', cpuMs: wallMs * 0.09 },
        { role: 'io', cpuMs: wallMs * 0.05 },
        { role: 'other', cpuMs: wallMs * 0.02 },
      ],
      threads: Array.from({ length: 10 }, (_, i) => ({
        process: i < 6 ? 'renderer' : 'browser',
        name: i === 0 ? 'CrRendererMain' : `ThreadPoolForeg`,
        role: i === 0 ? 'js-main' : 'gc',
        cpuMs: wallMs * script * 0.3 ** i,
      })),
      timeline: someTimeline({ wallMs, script, collector, random }),
    },
    foreignShare: 0.004 + 0.02 * random(),
  };
}

interface Load {
  readonly wallMs: number;
  /** Cores that JavaScript and its collector keep busy. */
  readonly script: number;
  readonly collector: number;
  readonly random: () => number;
}

/** Every 100 ms, as the probe samples; none for a window that is too short. */
function someTimeline({ wallMs, script, collector, random }: Load): RoleTimeline | null {
  const slices = Math.floor(wallMs / 100);
  if (slices < 2) return null;
  const course = (mean: number) =>
    Array.from({ length: slices }, () => mean * (0.75 + 0.5 * random()));
  return {
    sliceMs: wallMs / slices,
    roles: [
      { role: 'js-main', busy: course(script) },
      { role: 'gc', busy: course(collector) },
      { role: 'jit', busy: course(0.09).map((one, i) => (i < slices / 3 ? one * 2 : 0)) },
      { role: 'io', busy: course(0.05) },
      { role: 'other', busy: course(0.02) },
    ],
  };
}

/** JavaScript on one core with short collections beside it, and now and then something else. */
export function someSchedule({
  wallMs,
  collectors,
  random,
}: {
  readonly wallMs: number;
  /** Threads that collect garbage beside JavaScript. */
  readonly collectors: number;
  readonly random: () => number;
}): ScheduleFacts {
  const lane = (core: number): ScheduleSpan[] => {
    const spans: ScheduleSpan[] = [];
    let at = 0;
    while (at < wallMs) {
      const toMs = Math.min(wallMs, at + 0.2 + 2 * random());
      const which = random();
      if (which < 0.03) spans.push({ fromMs: at, toMs, role: 'foreign', thread: 'rcu_preempt' });
      else if (core === 0) {
        spans.push({ fromMs: at, toMs, role: 'js-worker', thread: 'DedicatedWorker' });
      } else if (which < 0.55 && collectors > 0) {
        spans.push({ fromMs: at, toMs, role: 'gc', thread: 'ThreadPoolForeg' });
      }
      at = toMs + 0.05 * random();
    }
    return spans;
  };
  const cores = [lane(0), lane(1)];
  const busyMs = cores
    .flat()
    .filter(({ role }) => role !== 'foreign')
    .reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return { wallMs, coresBusy: busyMs / wallMs, lostEvents: 0, cores };
}
