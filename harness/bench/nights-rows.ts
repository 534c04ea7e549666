import { seededGenerator } from '../stats/random.ts';
import { rateInterval } from '../stats/rate-interval.ts';
import {
  equalSeries,
  farmOfTheIssue,
  findShifts,
  flagSeries,
  quietNights,
  shiftedSeries,
  type Found,
  type QuietNight,
  type SimulatedFarm,
} from './nights.ts';
import { otavaChangePoints } from './otava.ts';
import type { BenchRow } from './row.ts';

const seed = 20_260_102;

/** Farms whose shifts are counted, of 200 series each. */
const farms = 5;
const shift = { ratio: 1.05, share: 0.25 };

/** What the search over nights finds, and what it finds where nothing is, by simulation. */
export async function nightsBench(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const memory of [0.5, 0]) rows.push(...(await rowsOf({ ...farmOfTheIssue, memory })));
  return rows;
}

async function rowsOf(farm: SimulatedFarm): Promise<readonly BenchRow[]> {
  const noise = farm.memory === 0 ? 'no memory' : `AR(${String(farm.memory)})`;
  return [
    ...quietRows(farm, noise),
    ...flagRows(farm, noise),
    ...shiftRows(farm, noise),
    ...(await otavaRows(farm, noise)),
  ];
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
  const flagged = flagSeries(equalSeries(farm, seed), seed);
  const detail = `of ${String(flagged.length)} A/A series of 100 nights`;
  return [
    rateRow(
      `A/A, ${noise}: series said to change`,
      flagged.map(({ ours }) => ours),
      detail,
    ),
    rateRow(
      `A/A, ${noise}: … by plain E-divisive`,
      flagged.map(({ eDivisive }) => eDivisive),
      detail,
    ),
  ];
}

function shiftRows(farm: SimulatedFarm, noise: string): readonly BenchRow[] {
  return [true, false].flatMap((isKnown) => {
    const found = Array.from({ length: farms }, (_, index) =>
      findShifts(farm, { ...shift, isKnown }, seed + index),
    );
    const what = `5 %, ${noise}, ${isKnown ? 'a browser was updated' : 'nothing known changed'}`;
    const mean = (pick: (one: Found) => number): number => sum(found, pick) / found.length;
    const detail = `of ${String(farms * farm.series * shift.share)} shifted series, after ${String(farm.past)} nights`;
    return [
      row(
        `${what}: found by night 2`,
        mean(({ bySecond }) => bySecond),
        detail,
      ),
      row(
        `${what}: found by night 3`,
        mean(({ byThird }) => byThird),
        detail,
      ),
      row(
        `${what}: found and confirmed`,
        mean(({ confirmed }) => confirmed),
        detail,
      ),
    ];
  });
}

/** Otava on the same equal series, and on shifted ones as they stand on the third night. */
async function otavaRows(farm: SimulatedFarm, noise: string): Promise<readonly BenchRow[]> {
  const shifted = shiftedSeries(farm, { ...shift, share: 1 }, seededGenerator(seed));
  // It takes the values themselves: a change in them is a share of what was before.
  const values = [...equalSeries(farm, seed), ...shifted].map((series) => series.map(Math.exp));
  const found = await otavaChangePoints(values);
  if (found === null) return [];
  const [equal, changed] = [found.slice(0, farm.series), found.slice(farm.series)];
  const near = (index: number): boolean => Math.abs(index - farm.past) <= 1;
  return [
    rateRow(
      `A/A, ${noise}: … by Apache Otava`,
      equal.map((points) => points.length > 0),
      `of ${String(farm.series)} A/A series of 100 nights, its defaults`,
    ),
    rateRow(
      `5 %, ${noise}: found by night 3 by Apache Otava`,
      changed.map((points) => points.some(near)),
      `of ${String(farm.series)} shifted series, after ${String(farm.past)} nights, its defaults`,
    ),
  ];
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
