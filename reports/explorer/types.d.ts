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

type StatisticName = 'median' | 'mean' | 'minimum';

/** What is shown, and all that the address says. */
interface State {
  benchmark: string;
  metric: string;
  /** A case over all runs, instead of all cases of one run. */
  case: string;
  run: string;
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
