import { groupBy } from '../../core/analysis/grouping.ts';
import type { FilterValues, Summary } from '../../core/model/history.ts';
import type { ExploreView } from '../../core/server/api/explore-view.ts';
import { printable } from '../../../reports/html/escape.ts';

export type Benchmark = FilterValues['benchmarks'][number];

/** One value to be drawn, and its curve and panel. */
export interface Point {
  readonly panel: string;
  /** Names its curve; curves are in the order of these. */
  readonly curve: string;
  readonly label: string;
  readonly summary: Summary;
  /** Of which it is the mean; 1 without. */
  readonly series: number;
  readonly value: number;
  /** Null without an interval: of one trial, and of anything but a median. */
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * The benchmark as it is drawn: over its parameter where some case has two values of it, else a row for
 * each case.
 */
export function withCurves(summaries: readonly Summary[], benchmark: Benchmark): Benchmark {
  const { growthOver } = benchmark;
  if (growthOver === null) return benchmark;
  const places = groupBy(summaries, ({ parameters }) =>
    JSON.stringify(Object.entries(parameters).filter(([name]) => name !== growthOver)),
  );
  const isGrowing = [...places.values()].some(
    (some) => new Set(some.map(({ parameters }) => parameters[growthOver])).size > 1,
  );
  return isGrowing ? benchmark : { ...benchmark, growthOver: null };
}

/** Narrows the series to the chosen parameters. */
export function chosen(
  summaries: readonly Summary[],
  { largest, parameters: wanted }: ExploreView,
  { growthOver }: Benchmark,
): readonly Summary[] {
  return summaries.filter(({ parameters }) => {
    const n = growthOver === null ? null : Number(parameters[growthOver]);
    if (largest !== null && n !== null && n > largest) return false;
    return Object.entries(wanted).every(
      ([name, values]) => !(name in parameters) || values.includes(String(parameters[name])),
    );
  });
}

/**
 * Places the series in curves: one for each device, for each browser family, or for all together; in
 * a panel for each case without the parameter that grows, or all of them in one.
 */
export function placePoints(
  summaries: readonly Summary[],
  view: ExploreView,
  benchmark: Benchmark,
): readonly Point[] {
  const placed = summaries.flatMap((summary): readonly Point[] => {
    const { statistics } = summary;
    if (statistics === null) return [];
    const hasInterval = view.statistic === 'median' && summary.trials > 1;
    return [
      {
        ...place(summary, view, benchmark),
        summary,
        series: 1,
        value: statistics[view.statistic],
        low: hasInterval ? statistics.low : null,
        high: hasInterval ? statistics.high : null,
      },
    ];
  });
  return view.average === '' ? placed : averaged(placed, view, benchmark);
}

/** Results of two versions of a benchmark are never on one curve; those of two versions of a browser are. */
export function curveOf({ device, benchmarkVersion }: Summary): string {
  return `${device} ${String(benchmarkVersion)}`;
}

/** A build is called by its version, which is not said twice. */
export function labelOf({ deviceName, version, driver }: Summary): string {
  const isInName = version === null || deviceName.endsWith(` ${version}`);
  return printable(`${deviceName}${isInName ? '' : ` ${version}`}, ${driver}`);
}

/** True if all curves are in one panel: over runs there is one anyway. */
function isTogether({ together, filter }: ExploreView): boolean {
  return together && filter.case === undefined;
}

function place(
  summary: Summary,
  view: ExploreView,
  { growthOver, benchmark }: Benchmark,
): Pick<Point, 'panel' | 'curve' | 'label'> {
  const others = Object.entries(summary.parameters).filter(([key]) => key !== growthOver);
  const words = others.map(([key, value]) => `${key}=${String(value)}`).join(' ');
  const [curve, label] = [curveOf(summary), labelOf(summary)];
  if (view.filter.case !== undefined) return { panel: summary.case, curve, label };
  if (growthOver === null) return { panel: benchmark, curve, label };
  if (!isTogether(view)) return { panel: words, curve, label };
  return { panel: benchmark, curve: `${words} ${curve}`, label: `${words} · ${label}` };
}

/**
 * Means over browsers, each of which counts once. A curve has the same browsers along its length: where
 * not all of them have a value it has no point.
 */
function averaged(
  placed: readonly Point[],
  view: ExploreView,
  { growthOver }: Benchmark,
): readonly Point[] {
  const curves = groupBy(placed, ({ panel, label, summary }) =>
    JSON.stringify([panel, isTogether(view) ? wordsBefore(label) : '', groupOf(summary, view)]),
  );
  return [...curves.values()].flatMap((points) => {
    const places = groupBy(points, ({ summary }) => {
      const n = growthOver === null ? '' : String(summary.parameters[growthOver]);
      return JSON.stringify([summary.case, n, summary.run]);
    });
    const members = chooseMembers([...places.values()]);
    return [...places.values()].flatMap((place) => {
      const own = place.filter(({ summary }) => members.has(curveOf(summary)));
      const [first] = own;
      return first === undefined || own.length < members.size ? [] : [meanOf(first, own, view)];
    });
  });
}

/** The browsers that leave the most values in a curve: without those that are missing at most places. */
function chooseMembers(places: readonly (readonly Point[])[]): ReadonlySet<string> {
  const known = new Map<string, Set<number>>();
  places.forEach((points, place) => {
    for (const { summary } of points) {
      const curve = curveOf(summary);
      known.set(curve, (known.get(curve) ?? new Set()).add(place));
    }
  });
  const members = new Set<string>();
  let kept = places.map((_, place) => place);
  for (const [curve, own] of [...known].sort(([, a], [, b]) => b.size - a.size)) {
    const common = kept.filter((place) => own.has(place));
    if (common.length === 0 || (members.size + 1) * common.length < members.size * kept.length) {
      continue;
    }
    members.add(curve);
    kept = common;
  }
  return members;
}

/** Of a curve among all others: its function, before the browser; empty where all have one. */
function wordsBefore(label: string): string {
  return label.slice(0, Math.max(0, label.indexOf(' · ')));
}

function groupOf({ family }: Summary, { average }: ExploreView): string {
  return average === 'all' ? 'all browsers' : (family ?? 'no family');
}

function meanOf(first: Point, group: readonly Point[], view: ExploreView): Point {
  const name = groupOf(first.summary, view);
  const names = [...new Set(group.map(({ summary }) => summary.deviceName))].sort();
  const words = isTogether(view) ? wordsBefore(first.label) : '';
  const label = words === '' ? name : `${words} · ${name}`;
  return {
    panel: first.panel,
    curve: label,
    label: printable(`${label}: ${names.join(', ')}`),
    summary: {
      ...first.summary,
      deviceName: `mean of ${names.join(', ')}`,
      version: null,
      trials: group.reduce((sum, { summary }) => sum + summary.trials, 0),
    },
    series: group.length,
    value: group.reduce((sum, { value }) => sum + value, 0) / group.length,
    low: null,
    high: null,
  };
}
