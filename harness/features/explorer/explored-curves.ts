import { groupBy } from '../../core/analysis/grouping.ts';
import type { FilterValues, Summary } from '../../core/model/history.ts';
import type { ExploreView } from '../../core/server/api/explore-view.ts';
import { printable } from '../../../reports/html/escape.ts';
import { plural } from '../../../reports/html/number.ts';

export type Benchmark = FilterValues['benchmarks'][number];

/** One value to be drawn, and its curve and panel. */
export interface Point {
  readonly panel: string;
  /** Names its curve; curves are in the order of these. */
  readonly curve: string;
  readonly label: string;
  readonly summary: Summary;
  readonly value: number;
  /** Null without an interval: of one trial, and of anything but a median. */
  readonly low: number | null;
  readonly high: number | null;
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

/** The mean over devices at each place of a panel: each counts once, however many trials it has. */
function averaged(
  placed: readonly Point[],
  view: ExploreView,
  { growthOver }: Benchmark,
): readonly Point[] {
  const groups = groupBy(placed, ({ panel, label, summary }) => {
    const n = growthOver === null ? '' : String(summary.parameters[growthOver]);
    const words = isTogether(view) ? label.split(' · ')[0] : '';
    return JSON.stringify([panel, words, summary.case, n, summary.run, groupOf(summary, view)]);
  });
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [meanOf(first, group, view)];
  });
}

function groupOf({ family }: Summary, { average }: ExploreView): string {
  return average === 'all' ? 'all targets' : (family ?? 'no family');
}

function meanOf(first: Point, group: readonly Point[], view: ExploreView): Point {
  const name = groupOf(first.summary, view);
  const words = isTogether(view) ? `${first.label.split(' · ')[0] ?? ''} · ` : '';
  return {
    panel: first.panel,
    curve: `${words}${name}`,
    label: `${words}${name}`,
    summary: {
      ...first.summary,
      deviceName: `mean of ${plural(group.length, 'target')} (${name})`,
      version: null,
      trials: group.reduce((sum, { summary }) => sum + summary.trials, 0),
    },
    value: group.reduce((sum, { value }) => sum + value, 0) / group.length,
    low: null,
    high: null,
  };
}
