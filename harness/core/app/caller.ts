import type { RunListener } from '../run/listener.ts';
import type { DriverLoader } from '../setup/presence.ts';

/** The context of a library function, besides its options. */
export interface Caller {
  /** Aborted when the caller wants no more: what is stored by then stays. */
  readonly signal: AbortSignal;
  /** Takes progress notes and warnings, one sentence at a time. */
  readonly say: (sentence: string) => void;
}

/** The context of a function that measures. */
export interface MeasuringCaller extends Caller {
  /** Watches the run, if given. */
  readonly listener?: RunListener;
  /** Loads the driver of a device; one of the farm's own when left out. */
  readonly loadDriver?: DriverLoader;
}
