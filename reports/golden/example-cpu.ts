import type { CpuFacts } from '../findings.ts';

export interface CpuShape {
  readonly caseName: string;
  readonly targetId: string;
  readonly cores: number;
  readonly slices: number;
  readonly random: () => number;
}

/** One busy main thread that moves between the cores, a collector beside it, and the rest. */
export function someCpu({ caseName, targetId, cores, slices, random }: CpuShape): CpuFacts {
  const wallMs = slices * 20;
  const home = Math.floor(random() * cores);
  const script = 0.6 + 0.38 * random();
  const collector = 0.02 + 0.3 * random();
  const moves = Math.floor(slices * random());
  return {
    caseName,
    targetId,
    block: 4,
    wallMs,
    cores: {
      sliceMs: 20,
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
      timeline: null,
    },
    foreignShare: null,
  };
}
