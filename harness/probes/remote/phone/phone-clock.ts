import type { SampleDump } from './sample-parser.ts';

/** USER_HZ is 100 on every processor that Android runs on. */
export const msPerTick = 10;

/** /proc/uptime counts hundredths of a second. */
export const granuleMs = 10;

/** What was read in hundredths was on average half of one later. */
export const halfGranuleMs = granuleMs / 2;

export interface PhoneWindow {
  /** When the timed window began and ended, by the phone's clock. */
  readonly fromMs: number;
  readonly toMs: number;
}

export function instantOf({ atMs }: SampleDump): number {
  return atMs + halfGranuleMs;
}
