import { createCpuCoreProbe } from './cpu-core.ts';
import { createCpuThreadProbe } from './cpu-thread.ts';
import { createEnvironmentProbe } from './environment.ts';
import type { Probe } from './probe.ts';
import { createSchedProbe } from './sched.ts';
import type { OptInProbe } from '../model/reading.ts';

/**
 * The probes that watch every trial. Readings are taken in this order at the start and should be
 * stopped in the reverse one, so that the finest clock lies next to the window.
 */
export function defaultProbes(): readonly Probe[] {
  return [createEnvironmentProbe(), createCpuThreadProbe(), createCpuCoreProbe()];
}

export interface ProbeChoice {
  /** Whether the probes that watch every trial do. */
  readonly defaults: boolean;
  /** Others that were asked for by name. */
  readonly named: readonly OptInProbe[];
}

/** The observers of a run. A trace is no observer: the browser writes it (`trace.ts`). */
export function chooseProbes({ defaults, named }: ProbeChoice): readonly Probe[] {
  return [
    ...(defaults ? defaultProbes() : []),
    // The last, so that the switch lies next to the window and the others' reading outside of it.
    ...(named.includes('sched') ? [createSchedProbe()] : []),
  ];
}
