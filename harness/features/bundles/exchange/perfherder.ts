import { groupBy } from '../../../core/analysis/grouping.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import { type ExportedValue, exportedValues, shortened } from './values.ts';

/**
 * A run in the shape of Perfherder's PERFHERDER_DATA (treeherder,
 * schemas/performance-artifact.json). A suite is one benchmark on one device, a subtest one case;
 * its replicates are the trials' values in block order, its value that of the report. Trials that
 * do not count are left out. A suite has no value, because a mean over different cases means nothing.
 */
export interface PerfherderData {
  readonly framework: { readonly name: string };
  readonly suites: readonly PerfherderSuite[];
}

/** Its database has no longer names, and its schema no longer units. */
const [longestName, longestUnit] = [80, 20];

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
  /** Absent for a number without a unit. */
  readonly unit?: string;
  readonly lowerIsBetter: boolean;
  /** The version of a page. The name leaves it out: a history goes over versions. */
  readonly version?: string;
}

export function perfherderData(record: RunRecord): PerfherderData {
  const suites = groupBy(
    exportedValues(record),
    ({ benchmark, deviceId }) => `${benchmark} ${deviceId}`,
  );
  return {
    framework: { name: 'crossfarm' },
    suites: [...suites].map(([name, all]) => ({
      name: shortened(name, longestName),
      extraOptions: optionsOf(record, all),
      subtests: all.map(subtestOf),
    })),
  };
}

function optionsOf({ presences }: RunRecord, all: readonly ExportedValue[]): readonly string[] {
  const ids = new Set(all.map(({ deviceId }) => deviceId));
  const emulated = presences.some(
    ({ device }) => ids.has(device.id) && device.emulation !== undefined,
  );
  return emulated ? [...ids, 'emulated'] : [...ids];
}

function subtestOf(one: ExportedValue): PerfherderSubtest {
  const { name, namesMetric, metric, value, replicates, version } = one;
  return {
    name: shortened(namesMetric ? `${name} ${metric.id}` : name, longestName),
    value,
    replicates,
    ...(metric.unit !== '' && { unit: shortened(metric.unit, longestUnit) }),
    lowerIsBetter: metric.direction === 'lower',
    ...(version !== null && { version }),
  };
}
