import type { RunListener } from '../run/listener.ts';
import type { DriverLoader } from '../setup/presence.ts';

/** What a function of the library gets from its caller, beside its options. */
export interface Caller {
  /** Aborted when the caller wants no more: what is stored by then stays. */
  readonly signal: AbortSignal;
  /** Takes progress notes and warnings, one sentence at a time. */
  readonly say: (sentence: string) => void;
}

/** What a function that measures gets. */
export interface MeasuringCaller extends Caller {
  /** Watches the run; nobody does when left out. */
  readonly listener?: RunListener;
  /** Loads the driver of a device; one of the farm's own when left out. */
  readonly loadDriver?: DriverLoader;
}
