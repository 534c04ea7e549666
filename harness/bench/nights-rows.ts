import { rateInterval } from '../stats/rate-interval.ts';
import {
  farmOfTheIssue,
  findShifts,
  flagSeries,
  quietNights,
  type Found,
  type QuietNight,
  type SimulatedFarm,
} from './nights.ts';
import type { BenchRow } from './row.ts';

const seed = 20_260_102;

/** Farms whose shifts are counted, of 200 series each. */
const farms = 5;

/** What the search over nights finds, and what it finds where nothing is, by simulation. */
export function nightsBench(): Promise<readonly BenchRow[]> {
  return Promise.resolve([0.5, 0].flatMap((memory) => rowsOf({ ...farmOfTheIssue, memory })));
}

function rowsOf(farm: SimulatedFarm): readonly BenchRow[] {
  const noise = farm.memory === 0 ? 'no memory' : `AR(${String(farm.memory)})`;
  return [...quietRows(farm, noise), ...flagRows(farm, noise), ...shiftRows(farm, noise)];
}

function quietRows(farm: SimulatedFarm, noise: string): readonly BenchRow[] {
  const nights = quietNights(farm, seed);
  const share = (figure: string, count: (night: QuietNight) => number): BenchRow =>
    rateRow(
      `A/A, ${noise}: nights with ${figure}`,
      nights.map((night) => count(night) > 0),
      `of ${String(farm.nights)} nights × ${String(farm.series)} series; ${(sum(nights, count) / nights.length).toFixed(2)} a night`,
    );
  return [
    share('a suspect', ({ suspects }) => suspects),
    share('a suspect where nothing changed', ({ suspects, measured }) => suspects - measured),
    share('a false anomaly', ({ anomalies }) => anomalies),
  ];
}

function flagRows(farm: SimulatedFarm, noise: string): readonly BenchRow[] {
  const flagged = flagSeries(farm, seed);
  const detail = `of ${String(flagged.length)} A/A series of 100 nights`;
  return [
    rateRow(
      `A/A, ${noise}: series said to change`,
      flagged.map(({ ours }) => ours),
      detail,
    ),
    rateRow(
      `A/A, ${noise}: series said to change by plain E-divisive`,
      flagged.map(({ eDivisive }) => eDivisive),
      detail,
    ),
  ];
}

function shiftRows(farm: SimulatedFarm, noise: string): readonly BenchRow[] {
  return [true, false].flatMap((isKnown) => {
    const shift = { ratio: 1.05, share: 0.25, isKnown };
    const found = Array.from({ length: farms }, (_, index) => findShifts(farm, shift, seed + index));
    const what = `5 %, ${noise}, ${isKnown ? 'a browser was updated' : 'nothing known changed'}`;
    const mean = (pick: (one: Found) => number): number => sum(found, pick) / found.length;
    const detail = `of ${String(farms * farm.series * shift.share)} shifted series, after ${String(farm.past)} nights`;
    return [
      row(`${what}: found by night 2`, mean(({ bySecond }) => bySecond), detail),
      row(`${what}: found by night 3`, mean(({ byThird }) => byThird), detail),
      row(`${what}: found and confirmed`, mean(({ confirmed }) => confirmed), detail),
    ];
  });
}

function rateRow(figure: string, events: readonly boolean[], of: string): BenchRow {
  const { rate, low, high } = rateInterval({
    count: events.filter(Boolean).length,
    of: events.length,
  });
  return row(figure, rate, `${of} (${percent(low)} … ${percent(high)})`);
}

function row(figure: string, share: number, detail: string): BenchRow {
  return { bench: 'nights', figure, value: 100 * share, unit: '%', ratio: null, detail };
}

function sum<Item>(items: readonly Item[], pick: (item: Item) => number): number {
  return items.reduce((total, item) => total + pick(item), 0);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
