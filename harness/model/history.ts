import type { SteadyState } from '../../pages/protocol.d.ts';
import type { Parameter, Parameters } from './case.ts';
import type { Family } from './family.ts';
import type { Reading } from './reading.ts';
import type { CellCounts, Run, RunStatus } from './run.ts';
import type { FailureCode, Outcome } from './trial.ts';

/**
 * Filter of everything that was ever stored. Every member narrows it; of several values of
 * one member each will do.
 */
export interface HistoryFilter {
  /** `latest`: the newest run that is not still running, if there is one. */
  readonly run?: number | 'latest' | undefined;
  readonly benchmark?: string | undefined;
  /** Canonical name: `fib function=asyncFib n=20 place=worker`. */
  readonly case?: string | undefined;
  readonly metric?: string | undefined;
  readonly outcome?: Outcome['kind'] | undefined;
  readonly device?: readonly string[] | undefined;
  /** Products: chromium, firefox, … */
  readonly browser?: readonly string[] | undefined;
  readonly family?: readonly Family[] | undefined;
  readonly os?: readonly string[] | undefined;
  readonly cores?: readonly number[] | undefined;
  readonly driver?: readonly string[] | undefined;
  readonly version?: readonly string[] | undefined;
}

/** Numbers of the row after which a page begins; where it stood, not what was in it. */
export type Cursor = readonly number[];

export interface PageWanted {
  readonly limit: number;
  readonly after: Cursor | null;
}

/** Some rows of many, and where the next ones begin; null after the last. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: Cursor | null;
}

/** A target of one run, with what its results are filtered by. */
export interface Place {
  readonly run: number;
  /** When its run began; ISO 8601, UTC. */
  readonly runStartedAt: string;
  /** Id in `devices.json`. */
  readonly device: string;
  readonly deviceName: string;
  /** Product. */
  readonly browser: string;
  /** Null for a program of which only its owner knows what it is. */
  readonly family: Family | null;
  /** Null where the device was missing. */
  readonly version: string | null;
  readonly driver: string;
  /** linux, macos, windows, android, ios. */
  readonly os: string;
  /** Name of the system; null on a phone, which nobody asked. */
  readonly system: string | null;
  /** Logical cores that it could use; null on a phone, which nobody asked. */
  readonly cores: number | null;
  /** A browser that pretends to be another device: never put together with a real one. */
  readonly emulated: boolean;
}

/** A case as one run declared it. */
export interface Subject {
  readonly benchmark: string;
  readonly benchmarkVersion: number;
  readonly case: string;
  readonly parameters: Parameters;
}

export interface MeasuredMetric {
  readonly metric: string;
  readonly metricTitle: string;
  readonly unit: string;
  readonly direction: 'lower' | 'higher';
}

/** One series in one run, with the value of each of its trials. */
export interface StoredSeries extends Place, Subject, MeasuredMetric {
  /** Cells, with or without an outcome. */
  readonly planned: number;
  readonly trials: readonly SeriesTrial[];
}

export interface SeriesTrial {
  readonly outcome: Outcome['kind'];
  readonly quarantined: boolean;
  /** Null where the trial did not complete or gave no such metric. */
  readonly value: number | null;
}

/** A trial as a list shows it. */
export interface ListedTrial extends Place, Subject {
  readonly trial: number;
  /** Place of its cell in the plan. */
  readonly ordinal: number;
  readonly block: number;
  readonly outcome: Outcome['kind'];
  readonly startedAt: string;
  readonly wallMs: number;
  readonly failureCode: FailureCode | null;
  /** Observation, or reason of a skip: hostile, because it may quote a page. */
  readonly message: string | null;
  /** What disturbed it: it counts at most where versions of a page are compared. Empty when nothing did. */
  readonly quarantine: readonly string[];
  readonly steadiness: string | null;
  /** The browser's name for itself: hostile. */
  readonly userAgent: string | null;
  readonly values: readonly TrialValues[];
}

/** A trial as its own page shows it. */
export interface WholeTrial extends ListedTrial {
  /** Null where it was not searched for. */
  readonly steadyState: SteadyState | null;
}

export interface TrialValues {
  readonly metric: string;
  readonly unit: string;
  /** Null when the trial gave none. */
  readonly value: number | null;
  readonly iterations: number;
}

/** Every sample of one trial and metric, in the order in which they were taken. */
export interface WholeSamples {
  readonly metric: string;
  readonly unit: string;
  readonly warmUp: readonly number[];
  readonly timed: readonly number[];
}

/** Statistics of one series in one run, over its trials' values. */
export interface Statistics {
  readonly mean: number;
  readonly median: number;
  readonly minimum: number;
  readonly maximum: number;
  /** Of the median; it describes this series, and no comparison may be decided by it. */
  readonly low: number;
  readonly high: number;
  /** True coverage of the interval, 0–1. */
  readonly confidence: number;
}

/** One series in one run. */
export interface Summary extends Place, Subject, MeasuredMetric {
  readonly planned: number;
  /** How many values stand behind the statistics. */
  readonly trials: number;
  /** Completed trials that do not count. */
  readonly quarantined: number;
  /** Trials that did not complete. */
  readonly notCompleted: number;
  /** True: no trial counts, and the statistics are of those that do not. */
  readonly fromQuarantined: boolean;
  /** Null when no trial gave a value. */
  readonly statistics: Statistics | null;
}

/** A planned trial, with how it ended if it has. */
export interface ListedCell {
  readonly ordinal: number;
  readonly block: number;
  readonly case: string;
  readonly device: string;
  /** Of the cell whose trial was quarantined and that this one does once more. */
  readonly repeats: number | null;
  readonly outcome: Outcome['kind'] | null;
  readonly trial: number | null;
}

/** A run as a list shows it. */
export interface CountedRun extends Run {
  /** What it measured, in a line: see `nameOfRun`. */
  readonly name: string;
  readonly counts: CellCounts;
}

/** How far a run is. */
export interface RunProgress {
  readonly run: number;
  readonly status: RunStatus;
  readonly counts: CellCounts;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Trials that ended last, the newest first; none once the run has ended. */
  readonly recent: readonly RecentTrial[];
}

/** A cell that has an outcome. */
export interface EndedCell {
  readonly trial: number;
  /** Place in the plan. */
  readonly ordinal: number;
  /** Null where it was skipped. */
  readonly wallMs: number | null;
}

export interface RecentTrial {
  readonly trial: number;
  readonly case: string;
  readonly device: string;
  readonly outcome: Outcome['kind'];
  readonly startedAt: string;
  readonly wallMs: number;
}

/** A device as the newest run that looked for it found it. */
export interface ListedDevice extends Place {
  readonly status: 'found' | 'missing';
  readonly reason: string | null;
  readonly remedy: string | null;
  readonly headless: boolean;
  readonly flags: readonly string[];
}

/** Everything that the history can be narrowed by, as it occurs in it. */
export interface FilterValues {
  readonly benchmarks: readonly ListedBenchmark[];
  readonly devices: readonly string[];
  readonly browsers: readonly string[];
  readonly families: readonly Family[];
  readonly operatingSystems: readonly string[];
  readonly cores: readonly number[];
  readonly drivers: readonly string[];
  readonly versions: readonly { readonly browser: string; readonly version: string }[];
  /** The newest first, and not all of very many. */
  readonly runs: readonly NamedRun[];
}

export interface NamedRun {
  readonly run: number;
  readonly suite: string;
  readonly status: RunStatus;
  readonly startedAt: string;
}

/** A benchmark as its newest run declared it. */
export interface ListedBenchmark {
  readonly benchmark: string;
  readonly title: string;
  readonly version: number;
  readonly parameters: readonly Parameter[];
  readonly metrics: readonly MeasuredMetric[];
  /** Parameter that results are drawn over. */
  readonly growthOver: string | null;
  /** Run that declared it last. */
  readonly newestRun: number;
}

/** Completed trials of one case of a benchmark after another, for who pools them over all runs. */
export interface PooledTrial {
  readonly trial: number;
  /** Number of its target: see `PlacedTarget`. */
  readonly target: number;
  readonly parameters: Parameters;
  readonly value: number;
}

export interface PlacedTarget extends Place {
  readonly target: number;
}

export interface PoolWanted {
  readonly benchmark: string;
  readonly metric: string;
  /** Values that the case's parameters have. */
  readonly parameters: Parameters;
  /** The most that these parameters are. */
  readonly most: Readonly<Record<string, number>>;
  readonly targets: readonly number[];
  readonly limit: number;
}

/** A suite whose runs make up a history. */
export interface SuiteHistory {
  readonly suite: string;
  /** Its newest finished run. */
  readonly newest: number;
  /** Finished ones. */
  readonly runs: number;
}

/** Queries on everything that was ever stored. None of them reads all rows for a page. */
export interface History {
  /** Differs whenever something was stored or removed meanwhile. */
  lastChange(): Promise<string>;
  filterValues(): Promise<FilterValues>;
  /** The newest first. */
  runs(status: RunStatus | null, page: PageWanted): Promise<Page<CountedRun>>;
  run(id: number): Promise<CountedRun | null>;
  /** In the order of the plan; null when there is no such run. */
  cells(run: number, page: PageWanted): Promise<Page<ListedCell> | null>;
  progress(run: number): Promise<RunProgress | null>;
  /** Cells of a run whose trial was stored after this one (0: all of them), in that order. */
  endedSince(run: number, trial: number): Promise<readonly EndedCell[]>;
  /** Of the newest run first. */
  series(filter: HistoryFilter, page: PageWanted): Promise<Page<StoredSeries>>;
  /** Of the newest run first. */
  trials(filter: HistoryFilter, page: PageWanted): Promise<Page<ListedTrial>>;
  trial(id: number): Promise<WholeTrial | null>;
  /** Null when there is no such trial; empty when it has none. */
  samples(trial: number): Promise<readonly WholeSamples[] | null>;
  /** Readings of the probes; null when there is no such trial. */
  readings(trial: number): Promise<readonly Reading[] | null>;
  /** Of a suite, or of the newest run's; null when it has no finished run. */
  suiteHistory(suite: string | null): Promise<SuiteHistory | null>;
  devices(): Promise<readonly ListedDevice[]>;
  /** The run that answers a question of this id best; null when none has. */
  answeredBy(question: string): Promise<number | null>;
  targets(): Promise<readonly PlacedTarget[]>;
  /** Of trials that count, the newest run's first. */
  pooled(wanted: PoolWanted): Promise<readonly PooledTrial[]>;
  close(): Promise<void>;
}
