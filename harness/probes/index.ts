import { createCpuCoreProbe } from './cpu-core.ts';
import { createCpuThreadProbe } from './cpu-thread.ts';
import { createEnvironmentProbe } from './environment.ts';
import type { Probe } from './probe.ts';

/**
 * The probes that watch every trial. Readings are taken in this order at the start and should be
 * stopped in the reverse one, so that the finest clock lies next to the window.
 */
export function defaultProbes(): readonly Probe[] {
  return [createEnvironmentProbe(), createCpuThreadProbe(), createCpuCoreProbe()];
}
