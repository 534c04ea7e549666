import { formatPercent } from '../../reports/html/number.ts';
import { seededGenerator } from '../core/analysis/stats/random.ts';
import { rateInterval } from '../core/analysis/stats/rate-interval.ts';
import {
  equalSeries,
  farmOfTheIssue,
  findShifts,
  flagSeries,
  type DetectionShares,
  mostPower,
  type QuietNight,
  quietNights,
  shiftedSeries,
  type SimulatedFarm,
  spread,
} from './nights.ts';
import { askOtava } from './python.ts';
import type { BenchRow } from './row.ts';

/** Not a seed that the levels of the search were chosen by: those are small numbers. */
const seed = 20_261_121;

/** 5 % slower, and by the noise of a night. */
const ratio = 1.05;

interface Scenario {
  readonly what: string;
  /** After / before; 5 % when left out. */
  readonly ratio?: number;
  readonly isKnown: boolean;
  /** The share of a farm's series that shift, and the number of farms. */
  readonly share: number;
  readonly farms: number;
}

const scenarios: readonly Scenario[] = [
  { what: 'a browser was updated', isKnown: true, share: 0.25, farms: 10 },
  { what: 'nothing known changed, 50 series shift', isKnown: false, share: 0.25, farms: 10 },
  { what: 'nothing known changed, 4 series shift', isKnown: false, share: 0.02, farms: 25 },
  {
    what: 'nothing known changed, 4 series shift',
    isKnown: false,
    share: 0.02,
    farms: 25,
    ratio: 1.1,
  },
];

/** Measures by simulation what the search over nights finds, and its false alarms. */
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
      `of ${String(farm.nights)} nights × ${String(farm.series)} series; ${(sum(nights, count) / nights.length).toFixed(2)} a night, at most ${String(Math.max(...nights.map(count)))}`,
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
  return [
    ...scenarios.flatMap((scenario) => scenarioRows(farm, noise, scenario)),
    boundRow(farm, noise),
  ];
}

function scenarioRows(farm: SimulatedFarm, noise: string, scenario: Scenario): readonly BenchRow[] {
  const { isKnown, share, farms } = scenario;
  const shift = { ratio, ...scenario };
  const what = `${percentOf(shift.ratio)}, ${noise}, ${scenario.what}`;
  const found = Array.from({ length: farms }, (_, index) => findShifts(farm, shift, seed + index));
  const shifted = farms * Math.round(farm.series * share);
  const shareRow = (figure: string, pick: (one: DetectionShares) => number): BenchRow => {
    const value = sum(found, pick) / farms;
    const { low, high } = rateInterval({ count: Math.round(value * shifted), of: shifted });
    const of = `of ${String(shifted)} shifted series, after ${String(farm.past)} nights`;
    const detail = `${of} (${formatPercent(low, 1)} … ${formatPercent(high, 1)})`;
    return row(`${what}: ${figure}`, value, detail);
  };
  return [
    shareRow('found by night 2', ({ bySecond }) => bySecond),
    shareRow('found by night 3', ({ byThird }) => byThird),
    // Without a known change an old state to compare with is missing.
    ...(isKnown ? [shareRow('found and confirmed', ({ confirmed }) => confirmed)] : []),
    row(
      `${what}: suspects of night 3 that had not shifted`,
      sum(found, ({ mistaken }) => mistaken) / farms,
      'share of that night’s suspects',
    ),
  ];
}

/**
 * The most that could be found of one series if level, spread, memory and night were known, without
 * spikes.
 */
function boundRow({ memory, series }: SimulatedFarm, noise: string): BenchRow {
  const alpha = 0.05 / series;
  const value = mostPower({ size: Math.log(ratio) / spread, memory, nights: 3, alpha });
  return row(
    `${percentOf(ratio)}, ${noise}, nothing known changed, one series shifts: the most that nights alone can tell by night 3`,
    value,
    `likelihood ratio of known noise, false in 5 % of nights of ${String(series)} series`,
  );
}

/** Apache Otava on the same equal series, and on shifted ones as on the third night. */
async function otavaRows(farm: SimulatedFarm, noise: string): Promise<readonly BenchRow[]> {
  const shifted = shiftedSeries(farm, { ratio, share: 1 }, seededGenerator(seed));
  // It takes the values themselves: a change is a share of the former ones.
  const values = [...equalSeries(farm, seed), ...shifted].map((series) => series.map(Math.exp));
  const answer = await askOtava(values);
  if (answer.kind === 'not-there') {
    return [row(`${noise}: Apache Otava was not asked`, NaN, answer.because)];
  }
  const { changePoints, version } = answer;
  const [equal, changed] = [changePoints.slice(0, farm.series), changePoints.slice(farm.series)];
  const near = (index: number): boolean => Math.abs(index - farm.past) <= 1;
  const defaults = `Apache Otava ${version}, its defaults`;
  return [
    rateRow(
      `A/A, ${noise}: … by Apache Otava`,
      equal.map((points) => points.length > 0),
      `of ${String(farm.series)} A/A series of 100 nights, ${defaults}`,
    ),
    rateRow(
      `${percentOf(ratio)}, ${noise}: found by night 3 by Apache Otava`,
      changed.map((points) => points.some(near)),
      `of ${String(farm.series)} shifted series, after ${String(farm.past)} nights, ${defaults}`,
    ),
  ];
}

function rateRow(figure: string, events: readonly boolean[], of: string): BenchRow {
  const { rate, low, high } = rateInterval({
    count: events.filter(Boolean).length,
    of: events.length,
  });
  return row(figure, rate, `${of} (${formatPercent(low, 1)} … ${formatPercent(high, 1)})`);
}

function row(figure: string, share: number, detail: string): BenchRow {
  return { bench: 'nights', figure, value: 100 * share, unit: '%', ratio: null, detail };
}

function sum<Item>(items: readonly Item[], pick: (item: Item) => number): number {
  return items.reduce((total, item) => total + pick(item), 0);
}

function percentOf(ratio: number): string {
  return formatPercent(ratio - 1, 0);
}
