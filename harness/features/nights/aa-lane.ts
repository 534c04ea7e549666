import { median } from 'simple-statistics';
import { decidePair } from '../../core/analysis/decide.ts';
import { indexPairs, type Pair, type TrialsOfPair } from '../../core/analysis/pairs.ts';
import { groupBy } from '../../core/analysis/grouping.ts';
import { listCases } from '../../core/analysis/series.ts';
import { caseName } from '../../core/model/case.ts';
import type { Presence, FoundDevice } from '../../core/model/device.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { rateInterval } from '../../core/analysis/stats/rate-interval.ts';
import { defaultAlpha, defaultMargin } from '../../core/analysis/stats/verdict.ts';
import type { AaLane, LaneHistory, LaneResult } from './night-document.ts';

/**
 * The A/A lane: one target is measured a second time under another name. Nothing else knows of it,
 * so every verdict on that pair is on no difference: an alarm is false, and the width of the
 * interval is what the farm cannot see. No device of an inventory may have such a name.
 */
const suffix = '@aa';

export function isTwin(deviceId: string): boolean {
  return deviceId.endsWith(suffix);
}

export type LaneOfNight = Omit<AaLane, 'history'>;

/** The target again, under its second name. */
export function twinOf(presence: FoundDevice): Presence {
  const { id, name } = presence.device;
  const device = { ...presence.device, id: `${id}${suffix}`, name: `${name} (again)` };
  return { ...presence, device, target: { ...presence.target, device } };
}

/**
 * Which target is measured against itself tonight: the one for which that is longest ago, so that
 * each has its turn; of those that never had one the first.
 * @param before the targets of earlier nights, the newest first.
 */
export function chooseTwin(
  presences: readonly Presence[],
  before: readonly string[],
): FoundDevice | null {
  const found = presences.filter((presence) => presence.status === 'found');
  const nightsAgo = ({ device }: Presence): number => {
    const index = before.indexOf(device.id);
    return index === -1 ? Infinity : index;
  };
  const longest = Math.max(...found.map(nightsAgo));
  return found.find((presence) => nightsAgo(presence) === longest) ?? null;
}

/** Result of the lane of one run; null without one. */
export function judgeLane(record: RunRecord): LaneOfNight | null {
  const twin = record.presences.find(({ device }) => isTwin(device.id));
  if (twin === undefined) return null;
  const target = twin.device.id.slice(0, -suffix.length);
  const trialsOf = indexPairs(record.trials);
  const results = listCases(record).flatMap((one) =>
    one.benchmark.metrics.flatMap((metric) => {
      const a = { deviceId: twin.device.id, case: one };
      const b = { deviceId: target, case: one };
      return judgePair({ a, b, metric }, trialsOf);
    }),
  );
  return { target, results };
}

/** Nothing for a pair that was not planned, or whose metric the case does not have. */
function judgePair(pair: Pair, trialsOf: TrialsOfPair): readonly LaneResult[] {
  const told = decidePair(trialsOf(pair), pair, { margin: defaultMargin, alpha: defaultAlpha });
  if (told.kind !== 'decided-on') return [];
  const { blocks, low, high, significant } = told.decision;
  return [
    {
      case: caseName(pair.a.case),
      metric: pair.metric.id,
      blocks,
      low,
      high,
      // Half the width of the interval: a difference below it would not have been seen.
      smallestVisible: low === null || high === null ? null : (Math.log(high) - Math.log(low)) / 2,
      alarm: significant,
    },
  ];
}

/**
 * Summarises the lanes of several nights. The comparisons count as independent, because
 * each has its own trials. Those with too few blocks for any verdict cannot raise an alarm, and
 * are left out of the rate.
 */
export function summariseLanes(lanes: readonly LaneOfNight[]): LaneHistory {
  const results = lanes.flatMap(({ target, results: own }) =>
    own.map((one) => ({ ...one, device: target })),
  );
  const able = results.filter(({ low }) => low !== null);
  const alarms = able.filter(({ alarm }) => alarm).length;
  const groups = groupBy(results, (one) => JSON.stringify([one.device, one.case, one.metric]));
  return {
    nights: lanes.length,
    comparisons: able.length,
    alarms,
    rate: able.length === 0 ? null : rateOf(alarms, able.length),
    smallest: [...groups.values()].flatMap(summariseCase),
  };
}

function rateOf(count: number, of: number): LaneHistory['rate'] {
  const { rate, low, high } = rateInterval({ count, of });
  return { rate, low, high };
}

/** The nights of one case on one device; the median, since one noisy night says little of the farm. */
function summariseCase(
  nights: readonly (LaneResult & { readonly device: string })[],
): LaneHistory['smallest'] {
  const seen = nights.map((one) => one.smallestVisible).filter((value) => value !== null);
  const smallestVisible = seen.length === 0 ? null : median(seen);
  return nights.slice(0, 1).map(({ device, case: name, metric }) => ({
    device,
    case: name,
    metric,
    nights: nights.length,
    smallestVisible,
  }));
}
