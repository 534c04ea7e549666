import type { SampleDump } from './sample-parser.ts';

/** USER_HZ is 100 on every processor that Android runs on. */
export const msPerTick = 10;

/** /proc/uptime counts hundredths of a second. */
export const granuleMs = 10;

/** Readings in hundredths are on average half of one late. */
export const halfGranuleMs = granuleMs / 2;

export interface PhoneWindow {
  /** When the timed window began and ended, by the phone's clock. */
  readonly fromMs: number;
  readonly toMs: number;
}

export function findInstant({ atMs }: SampleDump): number {
  return atMs + halfGranuleMs;
}
