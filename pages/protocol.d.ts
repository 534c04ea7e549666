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
 * The window marks are sent right before and right after the timed window, never inside it. A window
 * in which the speed still changed may be followed by another: the last one counts.
 * The farm begins the window of an external page before it opens the page; only where
 * the farm begins the page's work (`begin`) does its adapter mark the start.
 * A page without a token runs with its defaults and shows the result to the person.
 * A runtime is given the same URL as an argument, and does the same.
 */

export type ParameterValue = string | number | boolean;
export type Parameters = Readonly<Record<string, ParameterValue>>;

/** Work that the farm assigns to one trial. */
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
 * How a number of a page that is not ours is read. `times` is how many make its result, unless the
 * page stops before: 1 when left out. A global or an expression is read again and again until it is
 * a finite number, or a list of them; with `key`, until it is a record with such a value. The others
 * are times since the navigation began, except `layout-shift` (the score), `long-tasks` (how long they blocked the main
 * thread beyond 50 ms each), `transferred` (kB, headers and all, as far as other origins let it be
 * seen), `heap` (MB of JavaScript's objects) and `interaction` (interaction to next paint): these are
 * read when the page has loaded, and after its input, and has become quiet.
 */
export type GuestReader =
  | { readonly by: 'bench'; readonly times?: number }
  | { readonly by: 'measure'; readonly name: string; readonly times?: number }
  | { readonly by: 'global'; readonly name: string; readonly key?: string }
  | { readonly by: 'expression'; readonly expression: string; readonly key?: string }
  | { readonly by: 'mark'; readonly name: string }
  | { readonly by: 'load' }
  | { readonly by: 'paint'; readonly name: PaintName }
  | { readonly by: 'layout-shift' }
  | { readonly by: 'long-tasks' }
  | { readonly by: 'transferred' }
  | { readonly by: 'heap' }
  | { readonly by: 'interaction' }
  /** From a click or key to the next paint: of the page to which it leads, if it leads to one. */
  | { readonly by: 'step'; readonly name: string };

export type PaintName = 'first-paint' | 'first-contentful-paint' | 'largest-contentful-paint';

export interface GuestMetric {
  readonly metric: string;
  readonly unit: string;
  readonly reader: GuestReader;
  /** The result is complete without it: not every browser gives it, nor every load of a page. */
  readonly optional?: boolean;
  /** Time after the load in which an optional one is waited for, in milliseconds; until the page is quiet when left out. */
  readonly withinMs?: number;
}

/** A stretch that `bench` timed, in milliseconds since the navigation began. */
export interface TimedStretch {
  readonly duration: number;
  readonly endedAt: number;
  /** Not in the page's own thread. */
  readonly elsewhere?: boolean;
}

/** A measure or mark of the page, of a frame of it, or of a worker, which is elsewhere. */
export type GuestEntry = Omit<PerformanceEntry, 'toJSON'> & Pick<TimedStretch, 'elsewhere'>;

/** The record of an external page from its beginning until its adapter comes. */
export interface GuestHead {
  /** Of the trial. */
  readonly token: string;
  /** How many bytes of the page are the farm's. */
  readonly bytes: number;
  readonly timed: TimedStretch[];
  /** The first errors. */
  readonly faults: readonly Event[];
  /** Every measure and mark so far, also those that the page has cleared. */
  readonly entries: GuestEntry[];
  /** What fills them. */
  readonly listener: PerformanceObserver;
}

/** How a page goes on after its load, as the look before the first trial has found it. */
export interface GuestCourse {
  /** Milliseconds without an event after which it is quiet; the kit's own when left out. */
  readonly quietMs?: number;
  /** It says itself that it has finished: `bench.done()`, or `performance.mark('crossfarm:done')`. */
  readonly awaitsDone?: true;
}

/** Instructions for the adapter of a page that is not ours. */
export interface GuestTask extends GuestCourse {
  readonly metrics: readonly GuestMetric[];
  /** An expression that begins the work, once the page has loaded; without it the page begins by itself. */
  readonly begin?: string;
  /** The farm will click and type; nothing is read before that is over. */
  readonly awaitsInput?: true;
  /**
   * Count what the page offers, as `offers`, when it is quiet and each of these has a value: a
   * number, or a record of numbers.
   */
  readonly discover?: readonly GuestReader[];
}

/**
 * How long a trial measures. A trial goes on until its last segment, the stretch since the speed
 * last changed, can be believed, and then times a window inside it. All durations are in
 * milliseconds, of page time.
 */
export interface SegmentRules {
  /** A timed iteration lasts at least this many clock granules; shorter work is repeated inside it. */
  readonly minGranules: number;
  /** The last speed is believed when it has lasted this time and this number of calls, without interruptions. */
  readonly settled: { readonly ms: number; readonly calls: number };
  /** Shortest duration of the timed window, and fewest iterations in it. */
  readonly window: { readonly ms: number; readonly iterations: number };
  /** After this long the trial ends with what it has; the window is never cut short for it. */
  readonly maxMs: number;
  /**
   * A smoke test: no steady state is searched for and no reference work is done, and the window
   * begins after one call that its clock can time.
   */
  readonly fast?: true;
}

/** The form before steady state was searched for: older suites have it, and bundles with their own pages. */
export interface FormerRules {
  readonly iterations: number;
  readonly maxTimedMs: number;
  readonly minIterations: number;
  readonly minGranules: number;
  readonly warmUp: {
    readonly minIterations: number;
    readonly maxIterations: number;
    readonly maxMs: number;
  };
}

export type MeasurementRules = SegmentRules | FormerRules;

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

/** Claims of the host about itself, not facts: WebKitGTK says 4 cores on a 2-core machine. */
export interface HostFacts {
  readonly userAgent: string;
  readonly hardwareConcurrency: number | null;
}

/**
 * Course of the series of iterations until the window ended. The classes of Barrett et al. (2017):
 * `flat`: one speed from the first call on; `warm-up`: the window lies in the last segment, and no
 * earlier one was faster; `slowdown`: it does, and an earlier one was; `no steady state`: the speed
 * changed inside the window, or there were too few iterations to tell. `first run`: the timed call is
 * a first run, or each call is one in its own process.
 */
export type Steadiness = 'flat' | 'warm-up' | 'slowdown' | 'no steady state' | 'first run';

/**
 * Of trials that were measured before steady state was searched for, by a rule that looked at six
 * iterations. They are read, and never pooled with others.
 */
export type FormerSteadiness = 'steady' | 'slowing';

/** A stretch of the series without a change of speed. Times are since the first call began. */
export interface SegmentFacts {
  readonly fromMs: number;
  readonly toMs: number;
  /** Geometric mean of one operation, in milliseconds. */
  readonly level: number;
}

/** The whole series with its samples. Times are in milliseconds since the first call began. */
export interface SteadyState {
  /** The very first call. */
  readonly firstMs: number;
  /** When the speed of the window was first reached, with none faster after it; null where there was no steady state. */
  readonly steadyAfterMs: number | null;
  /** No change of speed in the window, and iterations that differ a lot all the same. */
  readonly noisy: boolean;
  /**
   * Indices in `timed` of the iterations that do not count, because the machine ran slower than it
   * can: the reference work between iterations took longer before them or after them.
   */
  readonly disturbed?: readonly number[];
  /** The reference work. */
  readonly reference?: {
    /** Its time in the window. */
    readonly windowMs: number;
    /** How much of it that was. */
    readonly rounds?: number;
    /** Time of one round while the machine was as fast as it ever was in this session. */
    readonly roundNs: number;
    /** The same for the iterations of the window that count; left out where it was read too seldom. */
    readonly calmNs?: number;
  };
  /** How long others kept the thread off its core in the window. The harness counts it, not the page. */
  readonly preemptedMs?: number;
  /** When the timed window began. */
  readonly windowAtMs: number;
  /** When each of the iterations of `warmUp` ended. */
  readonly warmUpEndMs: readonly number[];
  readonly segments: readonly SegmentFacts[];
}

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
  readonly steadiness: Steadiness | FormerSteadiness;
  /** Left out where one first run counts, by pages that are not ours, and by older ones. */
  readonly steadyState?: SteadyState;
  /** Milliseconds of the timed call, where its duration is what the work itself recorded: of a program, say. */
  readonly callMs?: number;
  readonly samples: readonly MetricSamples[];
  /** Numbers that are not samples, such as a count of calls. */
  readonly counters: Readonly<Record<string, number>>;
  /**
   * When each of `timed` ended, by metric, in milliseconds since 1970: of a page that is not ours, for
   * the durations that its main thread took. The farm reads it and does not store it.
   */
  readonly endedAt?: Readonly<Record<string, readonly number[]>>;
  /** How often a page offers each of its numbers, where it was only looked at. */
  readonly offers?: Readonly<Record<string, number>>;
  /** The first of its errors then, as a console would say them; or what the work says went wrong. */
  readonly errors?: readonly string[];
  /** Of a page that is not ours. They are stored as a reading (`harness/core/model/explanation.ts`). */
  readonly explanations?: readonly Explanation[];
}

/** Parts of a largest contentful paint, and of an interaction to the next paint, in their order. */
export type ExplainedPart =
  | 'firstByte'
  | 'loadDelay'
  | 'loadDuration'
  | 'renderDelay'
  | 'inputDelay'
  | 'processing'
  | 'presentation';

/** How the browser itself explains a value of a page that is not ours. */
export interface Explanation {
  readonly metric: string;
  /** Milliseconds, which add up to the value. */
  readonly parts?: Readonly<Partial<Record<ExplainedPart, number>>>;
  /** The largest element, or the one that took the input, as a selector. */
  readonly element?: string;
  /** The picture or other file of that element. */
  readonly resource?: string;
  /** The input, such as `click`. */
  readonly event?: string;
  /** Why there is nothing of these. */
  readonly lacks?: string;
  /** The longest animation frame meanwhile; left out where none was long. */
  readonly frame?: ExplainedFrame;
  /** Why there can be none. */
  readonly lacksFrame?: string;
}

/** A long animation frame (W3C Long Animation Frames), in milliseconds. */
export interface ExplainedFrame {
  readonly ms: number;
  /** How long it kept input from being answered. */
  readonly blockedMs: number;
  /** The number of long ones meanwhile. */
  readonly frames: number;
  /** Those that ran longest. */
  readonly scripts: readonly ExplainedScript[];
}

export interface ExplainedScript {
  readonly ms: number;
  /** Style and layout that it forced, within that time. */
  readonly layoutMs: number;
  /** Of its function; empty without a name. */
  readonly name: string;
  /** Its file; empty of a script of another origin. */
  readonly source: string;
  readonly line?: number;
  readonly column?: number;
  /** Of one on the page's own server, for its source map; it is not stored. */
  readonly url?: string;
  /** What called it, such as `BUTTON#go.onclick`. */
  readonly invoker: string;
}

export interface TrialError {
  /** Where it happened. `check` means: the benchmark ran and gave a wrong value. */
  readonly phase: 'load' | 'prepare' | 'warm-up' | 'timed' | 'check' | 'finish';
  readonly message: string;
}
