import { createCpuCoreProbe } from './cpu-core.ts';
import { createCpuThreadProbe } from './cpu-thread.ts';
import { createEnvironmentProbe } from './environment.ts';
import { createMainThreadWaitProbe } from './main-thread-wait.ts';
import { createMemoryProbe } from './memory.ts';
import type { Probe, RegisteredProbe } from './probe.ts';
import { createSchedProbe } from './sched.ts';
import { profileProbe } from './trace.ts';
import type { OptInProbe } from '../model/reading.ts';

/**
 * Every probe. Readings begin in this order and end in the reverse one, so that the finest clock lies
 * next to the window, and the switch of `sched` next to it, with the others' reading outside.
 */
export const probes: readonly RegisteredProbe[] = [
  createMemoryProbe(),
  { name: 'environment', create: createEnvironmentProbe },
  { name: 'cpu-thread', create: createCpuThreadProbe },
  // With the cores: both find the time of others in a stretch.
  createMainThreadWaitProbe(),
  { name: 'cpu-core', create: createCpuCoreProbe },
  { name: 'sched', create: createSchedProbe, onRequest: 'exact schedule; root' },
  // No observer: the browser writes it (`trace.ts`).
  { name: 'trace', onRequest: 'the browser’s own' },
  // A feature makes it of that.
  { name: profileProbe, onRequest: 'which function ran when' },
];

/** The probes that watch every trial. */
export function defaultProbes(): readonly Probe[] {
  return chooseProbes({ defaults: true, named: [] });
}

export interface ProbeChoice {
  /** Settings of the probes that watch every trial. */
  readonly defaults: boolean;
  /** Others, asked for by name. */
  readonly named: readonly OptInProbe[];
}

/** The observers of a run. */
export function chooseProbes({ defaults, named }: ProbeChoice): readonly Probe[] {
  return probes.flatMap((one) => {
    const isChosen = one.onRequest === undefined ? defaults : named.includes(one.name);
    return isChosen && one.create !== undefined ? [one.create()] : [];
  });
}

/** The names that `--probe` takes, each with what it gives. */
export function optInProbes(): ReadonlyMap<OptInProbe, string> {
  const pairs = probes.flatMap((one) =>
    one.onRequest === undefined ? [] : [[one.name, one.onRequest] as const],
  );
  return new Map(pairs);
}
