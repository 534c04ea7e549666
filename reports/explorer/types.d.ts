/** What the API answers, as far as the explorer reads it: `/api/openapi.json` has the whole of it. */

type ParameterValue = string | number | boolean;

interface Statistics {
  mean: number;
  median: number;
  minimum: number;
  maximum: number;
  low: number;
  high: number;
  confidence: number;
}

interface Summary {
  run: number;
  runStartedAt: string;
  device: string;
  deviceName: string;
  browser: string;
  version: string | null;
  driver: string;
  benchmark: string;
  benchmarkVersion: number;
  case: string;
  parameters: Record<string, ParameterValue>;
  metric: string;
  metricTitle: string;
  unit: string;
  planned: number;
  trials: number;
  quarantined: number;
  notCompleted: number;
  fromQuarantined: boolean;
  statistics: Statistics | null;
}

interface Parameter {
  kind: 'choice' | 'integer';
  name: string;
  values?: ParameterValue[];
}

interface Benchmark {
  benchmark: string;
  title: string;
  parameters: Parameter[];
  metrics: { metric: string; metricTitle: string; unit: string }[];
  growthOver: string | null;
  newestRun: number;
}

interface NamedRun {
  run: number;
  suite: string;
  status: 'running' | 'finished' | 'interrupted';
  startedAt: string;
}

interface FilterValues {
  benchmarks: Benchmark[];
  devices: string[];
  browsers: string[];
  families: string[];
  operatingSystems: string[];
  cores: number[];
  drivers: string[];
  versions: { browser: string; version: string }[];
  runs: NamedRun[];
}

interface Progress {
  run: number;
  status: NamedRun['status'];
  counts: {
    planned: number;
    completed: number;
    failed: number;
    timedOut: number;
    skipped: number;
  };
  recent: { case: string; device: string; startedAt: string }[];
}

interface MeasuredNumbers {
  words: { median: string; interval: string; onlySure: string | null };
}

interface Pair {
  case: string;
  metric: string;
  device: string;
  verdict: 'faster' | 'slower' | 'equivalent' | 'undecided';
  words: { verdict: string; ratio: string; interval: string | null; note: string };
}

interface Trouble {
  kind: string;
  device: string;
  case: string;
  trials: number;
  code: string;
  message: string;
  remedy: string;
}

interface Growth {
  metricTitle: string;
  over: string;
  by: string;
  fixed: string;
  fits: {
    device: string;
    by: string;
    points: number;
    words: { perStep: string; interval: string };
  }[];
  theory: { by: string; perStep: number; label: string }[];
}

interface Findings {
  run: number;
  baseline: string | null;
  margin: number;
  alpha: number;
  smallestBlocks: number;
  targets: { device: string; deviceName: string; status: 'found' | 'missing' }[];
  rows: {
    case: string;
    metric: string;
    cells: { device: string; measured: MeasuredNumbers | null }[];
  }[];
  pairs: Pair[];
  growth: Growth[];
  troubles: Trouble[];
  moreTroubles: number;
  cautions: string[];
  next: string | null;
}

/** The findings by the series that they are about. */
interface Told {
  isBaseline(summary: Summary): boolean;
  measured(summary: Summary): MeasuredNumbers | null;
  pair(summary: Summary): Pair | null;
}

interface Change {
  run: number;
  startedAt: string;
  state: 'settled' | 'suspect';
  before: number;
  after: number;
  cause: string;
  words: { ratio: string };
}

interface Changes {
  suite: string;
  nights: number;
  notSearched: string | null;
  series: { device: string; unit: string; notSearched: string | null; changes: Change[] }[];
}

/** A change of a target that is drawn. */
interface MarkedChange extends Change {
  suite: string;
  unit: string;
  /** Index of its target, which is its colour. */
  target: number;
  label: string;
}

type StatisticName = 'median' | 'mean' | 'minimum';

/** What is shown, and all that the address says. */
interface State {
  benchmark: string;
  metric: string;
  /** A case over all runs, instead of all cases of one run. */
  case: string;
  run: string;
  /** Device that ratios are set against; empty for the run’s own. */
  baseline: string;
  family: string[];
  browser: string[];
  version: string[];
  driver: string[];
  os: string[];
  cores: string[];
  device: string[];
  statistic: StatisticName;
  /** The largest n, as text; empty for all. */
  largest: string;
  scale: 'log' | 'linear';
  /** Values of the benchmark’s other parameters, by name. */
  parameters: Record<string, string>;
}

/** One value to be drawn. */
interface Point {
  summary: Summary;
  /** Index of its target, which is its colour. */
  target: number;
  value: number;
  low: number | null;
  high: number | null;
}

interface Target {
  key: string;
  label: string;
}
