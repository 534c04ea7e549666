import type { Parameters } from './case.ts';
import type { Family } from './family.ts';
import type { Reading } from './reading.ts';
import type { CellCounts, Run, RunStatus } from './run.ts';
import type { Outcome } from './trial.ts';
import type {
  FilterValues,
  ListedCell,
  ListedDevice,
  MeasuredMetric,
  Place,
  RunLook,
  StoredProgress,
  Subject,
} from '../results/stored.ts';
import type { ListedTrial, WholeSamples, WholeTrial } from '../results/stored-trials.ts';

export type * from '../results/stored.ts';
export type * from '../results/stored-trials.ts';

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

/** One series in one run, with the value of each of its trials. */
export interface StoredSeries extends Place, Subject, MeasuredMetric {
  /** Cells, with or without an outcome. */
  readonly planned: number;
  readonly trials: readonly SeriesTrial[];
}

export interface SeriesTrial {
  readonly outcome: Outcome['kind'];
  readonly block: number;
  /** True if it was measured in place of an excluded one. */
  readonly isRepeat: boolean;
  /** Why it is excluded; empty where it counts. */
  readonly quarantine: readonly string[];
  /** Null where the trial did not complete or gave no such metric. */
  readonly value: number | null;
}

/** A run as a list shows it. */
export interface CountedRun extends Run {
  /** Its measurement, in a line: see `nameOfRun`. */
  readonly name: string;
  readonly counts: CellCounts;
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
  /** In the order of the plan; null when the run is unknown. */
  cells(run: number, page: PageWanted): Promise<Page<ListedCell> | null>;
  progress(run: number): Promise<StoredProgress | null>;
  /** The comparisons of a run, when its farm looked at them last; null before. */
  look(run: number): Promise<RunLook | null>;
  /** Of the newest run first. */
  series(filter: HistoryFilter, page: PageWanted): Promise<Page<StoredSeries>>;
  /** Of the newest run first. */
  trials(filter: HistoryFilter, page: PageWanted): Promise<Page<ListedTrial>>;
  trial(id: number): Promise<WholeTrial | null>;
  /** Null when the trial is unknown; empty without any. */
  samples(trial: number): Promise<readonly WholeSamples[] | null>;
  /** Readings of the probes; null when the trial is unknown. */
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
