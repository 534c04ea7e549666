/**
 * The trial protocol between a page and the farm: the only declaration of it.
 *
 * A page is opened as `…/index.html?trial=<token>`. The token is unguessable and good for one
 * trial. The page then speaks, always to its own origin:
 *
 *   GET  /trial/<token>/assignment   → Assignment          (once; a second time answers 409)
 *   POST /trial/<token>/window       ← WindowMark          (answered when the probes have started / stopped)
 *   POST /trial/<token>/result       ← TrialResult         (ends the trial)
 *   POST /trial/<token>/error        ← TrialError          (ends the trial)
 *
 * The window marks are sent right before and right after the timed window, never inside it.
 * A page without a token runs with its defaults and shows the result to the person.
 * A runtime is given the same URL as an argument, and does the same.
 */

export type ParameterValue = string | number | boolean;
export type Parameters = Readonly<Record<string, ParameterValue>>;

/** What the farm asks one trial to do. */
export interface Assignment {
  readonly protocol: 1;
  /** Benchmark id; a page refuses an assignment that is not its own. */
  readonly benchmark: string;
  readonly parameters: Parameters;
  readonly measurement: MeasurementRules;
  /** Only for a page that is not ours. */
  readonly guest?: GuestTask;
}

/**
 * How the numbers of a page that is not ours are read. `times` is how many make its result: 1 when
 * left out. A global or an expression is read again and again until it is a finite number, or a
 * list of them.
 */
export type GuestReader =
  | { readonly by: 'bench'; readonly times?: number }
  | { readonly by: 'measure'; readonly name: string; readonly times?: number }
  | { readonly by: 'global'; readonly name: string }
  | { readonly by: 'expression'; readonly expression: string };

/** What the adapter of a page that is not ours is told. */
export interface GuestTask {
  readonly reader: GuestReader;
  /** An expression that begins the work, once the page has loaded; without it the page begins by itself. */
  readonly begin?: string;
  readonly metric: string;
  readonly unit: string;
}

/** How long to warm up and how much to time. All durations are in milliseconds. */
export interface MeasurementRules {
  /** Timed iterations to take. */
  readonly iterations: number;
  /** The timed window ends early after this long, but never before `minIterations`. */
  readonly maxTimedMs: number;
  readonly minIterations: number;
  /** A timed iteration lasts at least this many clock granules; shorter work is repeated inside it. */
  readonly minGranules: number;
  /** Warm-up ends when iterations are steady, or at whichever cap comes first. */
  readonly warmUp: {
    readonly minIterations: number;
    readonly maxIterations: number;
    readonly maxMs: number;
  };
}

export interface WindowMark {
  readonly mark: 'start' | 'end';
}

/** The clock of this session, as measured by the page. */
export interface ClockFacts {
  /** Smallest step that the page's clock was seen to make, in microseconds. */
  readonly granuleUs: number;
  /**
   * `crossOriginIsolated`: isolated pages get finer clocks and shared memory. Always true in a
   * runtime, which keeps neither from anybody.
   */
  readonly isolated: boolean;
}

/** What the host says of itself. It is a claim, not a fact: WebKitGTK says 4 cores on a 2-core machine. */
export interface HostFacts {
  readonly userAgent: string;
  readonly hardwareConcurrency: number | null;
}

/**
 * Whether the iterations had stopped changing when timing began:
 * `steady`: warm-up ended by its rule; `slowing`: a cap ended it and iterations still get slower;
 * `no steady state`: a cap ended it and they wander or still get faster; `first run`: there was no
 * warm-up, because the first run is what is measured.
 */
export type Steadiness = 'steady' | 'slowing' | 'no steady state' | 'first run';

/**
 * One metric's values in its declared unit. The kit's `duration` has one for each iteration, already
 * divided by `repeats`; what a benchmark measures besides has as many as it likes.
 */
export interface MetricSamples {
  readonly metric: string;
  readonly unit: string;
  readonly warmUp: readonly number[];
  readonly timed: readonly number[];
}

export interface TrialResult {
  readonly protocol: 1;
  readonly clock: ClockFacts;
  readonly host: HostFacts;
  /** How often the operation ran inside one iteration (k). */
  readonly repeats: number;
  readonly steadiness: Steadiness;
  readonly samples: readonly MetricSamples[];
  /** Numbers that are not samples, such as a count of calls. */
  readonly counters: Readonly<Record<string, number>>;
}

export interface TrialError {
  /** Where it happened. `check` means: the benchmark ran and gave a wrong value. */
  readonly phase: 'load' | 'prepare' | 'warm-up' | 'timed' | 'check' | 'finish';
  readonly message: string;
}
