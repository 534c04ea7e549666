import type { RunRecord } from '../../../core/model/run.ts';
import { type ExportedValue, exportedValues, shortened, versionRoles } from './values.ts';

/** A run for programs that keep a history of benchmarks: each gets the numbers of `exportedValues`. */

type Bmf = Readonly<
  Record<
    string,
    Readonly<Record<string, Readonly<Record<'value' | 'lower_value' | 'upper_value', number>>>>
  >
>;

/** Bencher's names of measures are no longer; its names of benchmarks are at most 1,024 characters. */
const longestMeasure = 64;
const longestBenchmark = 1024;

/** In the Bencher Metric Format, for its adapter `json`: the interval is that of the median. */
export function bencherMetrics(record: RunRecord): Bmf {
  const benchmarks = new Map<string, Map<string, Bmf[string][string]>>();
  for (const one of exportedValues(record)) {
    const name = shortened(`${one.name} ${one.deviceId}`, longestBenchmark);
    const measures = benchmarks.get(name) ?? new Map<string, Bmf[string][string]>();
    // Bencher knows a unit for each measure, and none for each value.
    const measure = shortened(`${one.metric.id} (${one.metric.unit})`, longestMeasure);
    const { value, low, high } = one;
    const [lower, upper] = [Math.min(low, value), Math.max(high, value)];
    measures.set(measure, { value, lower_value: lower, upper_value: upper });
    benchmarks.set(name, measures);
  }
  return Object.fromEntries(
    [...benchmarks].map(([name, measures]) => [name, Object.fromEntries(measures)]),
  );
}

interface ActionBenchmark {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly range: string;
  readonly extra: string;
}

/** For github-action-benchmark, which takes what is better smaller and what is better bigger apart. */
export function actionBenchmarks(
  record: RunRecord,
  direction: 'lower' | 'higher',
): readonly ActionBenchmark[] {
  return exportedValues(record)
    .filter(({ metric }) => metric.direction === direction)
    .map(({ name, namesMetric, deviceId, metric, value, low, high, ...one }) => ({
      name: `${name}${namesMetric ? ` ${metric.id}` : ''} ${deviceId}`,
      unit: metric.unit,
      value,
      // It rescales what is written so, and nothing else.
      range: `± ${String(Math.max(value - low, high - value))}`,
      extra: [
        `${String(one.replicates.length)} trials`,
        ...(one.version === null ? [] : [`version ${one.version}`]),
        ...(one.standing === null ? [] : [`compared with base: ${one.standing}`]),
      ].join('\n'),
    }));
}

type Labels = Readonly<Record<string, string>>;

/**
 * For Prometheus' text format 0.0.4, such as node_exporter's folder of text files, which takes no
 * times. `crossfarm_failed` is 1 for what `--fail-on` fails.
 */
export function prometheusText(record: RunRecord): string {
  const values = exportedValues(record);
  const roles = Object.fromEntries([...versionRoles(record)].map(([name, role]) => [role, name]));
  const { run } = record;
  const family = (
    name: string,
    help: string,
    lines: readonly (readonly [Labels, number])[],
  ): string =>
    lines.length === 0
      ? ''
      : [
          `# HELP crossfarm_${name} ${help}`,
          `# TYPE crossfarm_${name} gauge`,
          ...lines.map(([labels, value]) => sample(`crossfarm_${name}`, labels, value)),
          '',
        ].join('\n');
  const versions = Object.entries(roles).map(
    ([role, name]) => [`version_${role.replace('-', '_')}`, name] as const,
  );
  const info: Labels = { run: String(run.id), suite: run.suite, ...Object.fromEntries(versions) };
  const failed = values.flatMap((one) =>
    one.standing === null || one.standing === 'undecided'
      ? []
      : [[labelsOf(one), one.standing === 'within' ? 0 : 1] as const],
  );
  const of = (pick: (one: ExportedValue) => number): (readonly [Labels, number])[] =>
    values.map((one) => [labelsOf(one), pick(one)]);
  return [
    family('run_info', 'The run, and the versions that it compared.', [[info, 1]]),
    family(
      'value',
      'Median of the trials that count, in the unit of its label.',
      of(({ value }) => value),
    ),
    family(
      'trials',
      'Trials that count.',
      of(({ replicates }) => replicates.length),
    ),
    family('failed', '1 where a version is slower than its limit, 0 where it is not.', failed),
  ].join('');
}

function labelsOf({ deviceId, name, metric }: ExportedValue): Labels {
  const { id, unit, direction } = metric;
  return { device: deviceId, case: name, metric: id, unit, better: direction };
}

function sample(name: string, labels: Labels, value: number): string {
  const said = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `${name}{${said.join(',')}} ${String(value)}`;
}

/** A page may have given the text: no control character of it reaches a terminal. */
function escapeLabel(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, '?');
}
