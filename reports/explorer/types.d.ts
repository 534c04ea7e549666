import type {
  FoundPair,
  FoundRow,
  WholeFindings,
} from '../../harness/core/server/api/findings-response.ts';
import type * as nights from '../../harness/core/results/nights.ts';
import type { OpenableResponse } from '../../harness/core/server/api/other-response.ts';
import type * as stored from '../../harness/core/results/stored.ts';
import type * as trials from '../../harness/core/results/stored-trials.ts';

/** The answers of the API, by its own declarations, and what the explorer derives from them. */
declare global {
  type Summary = stored.Summary;
  type FilterValues = stored.FilterValues;
  type Progress = stored.Progress;
  type Benchmark = FilterValues['benchmarks'][number];
  type Parameter = Benchmark['parameters'][number];

  type Findings = WholeFindings & {
    readonly moreTroubles: number;
    readonly next: string | null;
  };
  type Pair = FoundPair;
  type MeasuredCell = Extract<FoundRow['cells'][number], { kind: 'measured' }>;
  type Trouble = Findings['troubles'][number];

  type Run = stored.ListedRun;
  type RunList = { readonly runs: readonly Run[]; readonly next: string | null };
  type ListedTrial = trials.ListedTrial;
  type Outcome = stored.RunOutcome;
  type Night = nights.ListedNight;
  type WholeNight = nights.WholeNight;
  type Openable = OpenableResponse['benchmarks'][number];

  /** The findings by the series that they are about. */
  interface FindingsIndex {
    isBaseline(summary: Summary): boolean;
    measured(summary: Summary): MeasuredCell | null;
    pair(summary: Summary): Pair | null;
  }

  type StatisticName = 'median' | 'mean' | 'minimum';

  /** The current selection, which the address holds. */
  interface State {
    benchmark: string;
    metric: string;
    /** A case over all runs, instead of all cases of one run. */
    case: string;
    run: string;
    /** The baseline: a device; empty for the run’s own. */
    baseline: string;
    family: string[];
    browser: string[];
    version: string[];
    driver: string[];
    os: string[];
    cores: string[];
    device: string[];
    statistic: StatisticName;
    /** Curves of the mean over browsers of a family, or over all; empty: one for each target. */
    average: '' | 'family' | 'all';
    /** All curves in one panel, instead of one for each function. */
    together: boolean;
    /** The largest n, as text; empty for all. */
    largest: string;
    scale: 'log' | 'linear';
    /** Values of the benchmark’s other parameters, by name; several are divided by commas. */
    parameters: Record<string, string>;
  }
}
