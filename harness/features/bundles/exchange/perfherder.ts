import { makeSeries, type Series } from '../../../core/analysis/series.ts';
import { median } from 'simple-statistics';
import type { RunRecord } from '../../../core/model/run.ts';

/**
 * A run in the shape of Perfherder's PERFHERDER_DATA (treeherder,
 * schemas/performance-artifact.json). A suite is one benchmark on one device, a subtest one case;
 * its replicates are the trials' values in block order, its value their median. Quarantined trials
 * are left out. A suite has no value, because a mean over different cases means nothing.
 */
export interface PerfherderData {
  readonly framework: { readonly name: string };
  readonly suites: readonly PerfherderSuite[];
}

interface PerfherderSuite {
  readonly name: string;
  /** The device, which identifies a history together with `emulated`. */
  readonly extraOptions: readonly string[];
  readonly subtests: readonly PerfherderSubtest[];
}

interface PerfherderSubtest {
  readonly name: string;
  readonly value: number;
  readonly replicates: readonly number[];
  readonly unit: string;
  readonly lowerIsBetter: boolean;
}

export function perfherderData(record: RunRecord): PerfherderData {
  const suites = new Map<string, Series[]>();
  for (const series of makeSeries(record)) {
    // `values` fall back to the quarantined ones where there are no others; a history wants neither.
    if (counted(series).length === 0) continue;
    const key = `${series.case.benchmark.id} ${series.deviceId}`;
    suites.set(key, [...(suites.get(key) ?? []), series]);
  }
  return {
    framework: { name: 'crossfarm' },
    suites: [...suites].map(([name, all]) => ({
      name,
      extraOptions: optionsOf(record, all),
      subtests: all.map(subtestOf),
    })),
  };
}

function optionsOf({ presences }: RunRecord, all: readonly Series[]): readonly string[] {
  const ids = new Set(all.map(({ deviceId }) => deviceId));
  const emulated = presences.some(
    ({ device }) => ids.has(device.id) && device.emulation !== undefined,
  );
  return emulated ? [...ids, 'emulated'] : [...ids];
}

function counted({ values, quarantined }: Series): readonly number[] {
  return values === quarantined ? [] : values.map(({ value }) => value);
}

function subtestOf(series: Series): PerfherderSubtest {
  const { caseName, metric } = series;
  const replicates = counted(series);
  const first = series.case.benchmark.metrics[0]?.id === metric.id;
  return {
    name: first ? caseName : `${caseName} ${metric.id}`,
    value: median([...replicates]),
    replicates,
    unit: metric.unit,
    lowerIsBetter: metric.direction === 'lower',
  };
}
