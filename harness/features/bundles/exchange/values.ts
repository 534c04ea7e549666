import { createHash } from 'node:crypto';
import type { Decision } from '../../../core/analysis/stats/verdict.ts';
import { holdRun, type Standing } from '../../../core/analysis/fail-on.ts';
import { asJudged, versionNames } from '../../../core/analysis/run-pairs.ts';
import { makeSeries, type Series } from '../../../core/analysis/series.ts';
import { medianInterval } from '../../../core/analysis/stats/median-interval.ts';
import { centreBeside } from '../../../core/analysis/table.ts';
import { readPage } from '../../../core/model/case-label.ts';
import { type Case, caseName, type Metric } from '../../../core/model/case.ts';
import type { RunRecord } from '../../../core/model/run.ts';

/** A number of a run for a history of another program: what counts, by names that stay the same. */
export interface ExportedValue {
  readonly deviceId: string;
  readonly benchmark: string;
  /** The case; of versions of a page `base` or `head` is in the place of the version. */
  readonly name: string;
  readonly metric: Metric;
  /** It is not the first metric of its benchmark, or which is the first may differ between runs. */
  readonly namesMetric: boolean;
  /** As in the report: the median, and of a decided version what its ratio makes of the first one's. */
  readonly value: number;
  /** The interval of the median. */
  readonly low: number;
  readonly high: number;
  /** Of the trials that count, in block order. */
  readonly replicates: readonly number[];
  /** As its user named it; null where the run has no versions. */
  readonly version: string | null;
  /** Null where it is compared with nothing. */
  readonly standing: Standing | null;
}

/** Lists the numbers of a run that count. Cells without one are left out: a history wants no other. */
export function exportedValues(record: RunRecord): readonly ExportedValue[] {
  const judged = asJudged(record);
  const names = stableNames(record);
  const nameBenchmark = benchmarkNames(record);
  const isVersions = versionNames(record) !== null;
  const held = isVersions ? holdRun(record).rows : [];
  const series = makeSeries(judged).filter((one) => counted(one).length > 0);
  return series.map((one): ExportedValue => {
    const { deviceId, metric } = one;
    const row = held.find(({ entry: { pair } }) => {
      const ours = pair.a.deviceId === deviceId && pair.metric.id === metric.id;
      return ours && caseName(pair.a.case) === one.caseName;
    });
    const replicates = counted(one);
    const { median: middle, low, high } = medianInterval(replicates);
    const made = row?.entry.decision;
    const base = series.find(
      (other) =>
        row !== undefined &&
        other.deviceId === deviceId &&
        other.metric.id === metric.id &&
        other.caseName === caseName(row.entry.pair.b.case),
    );
    const decision = made?.kind === 'decided-on' ? made.decision : null;
    return {
      deviceId,
      benchmark: nameBenchmark(one.case),
      name: names(one.case),
      metric,
      namesMetric: isVersions || one.case.benchmark.metrics[0]?.id !== metric.id,
      value: besideBase(base, decision) ?? middle,
      low,
      high,
      replicates,
      version: isVersions ? readVersionName(one.case) : null,
      standing: row?.standing ?? null,
    };
  });
}

function besideBase(base: Series | undefined, decision: Decision | null): number | null {
  if (base === undefined || decision === null || !(decision.ratio > 0)) return null;
  return centreBeside(medianInterval(counted(base)).median, decision.ratio);
}

/** `values` fall back to the quarantined ones where there are no others; a history wants neither. */
function counted({ values, quarantined }: Series): readonly number[] {
  return values === quarantined ? [] : values.map(({ value }) => value);
}

function readVersionName({ parameters }: Case): string {
  return String(parameters['version']);
}

/** `base` for the first version, `head` for the second, then `head-2` and so on, by their names. */
export function versionRoles(record: RunRecord): ReadonlyMap<string, string> {
  const names = versionNames(record) ?? [];
  return new Map(names.map((name, index) => [name, roleAt(index)]));
}

function roleAt(index: number): string {
  if (index === 0) return 'base';
  return index === 1 ? 'head' : `head-${String(index)}`;
}

/** Names cases so that the next commit has the same ones: a version is a hash, or a folder for a while. */
export function stableNames(record: RunRecord): (one: Case) => string {
  const roles = versionRoles(record);
  const nameBenchmark = benchmarkNames(record);
  return (one) => {
    const role = roles.get(readVersionName(one));
    if (role === undefined) return caseName(one);
    const benchmark = { ...one.benchmark, id: nameBenchmark(one) };
    return caseName({ benchmark, parameters: { ...one.parameters, version: role } });
  };
}

/** Names a page that all versions have by its path, so that two pages of one project are two histories. */
function benchmarkNames(record: RunRecord): (one: Case) => string {
  const [, quoted, bare] = / --page (?:'([^']*)'|(\S+))/.exec(record.run.command) ?? [];
  const page = versionNames(record) === null ? undefined : (quoted ?? bare);
  return (one) => (page === undefined || readPage(one) !== null ? one.benchmark.id : page);
}

/** Shortens a name to what its reader takes, so that different ones stay different. */
export function shortened(name: string, most: number): string {
  if (name.length <= most) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, most - hash.length - 1)}~${hash}`;
}
