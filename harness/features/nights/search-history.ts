import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { NightNumbers, Trends, Findings } from '../../core/results/index.ts';
import {
  describeTrends,
  makeNightSeries,
  type SearchedSeries,
  searchHistory,
} from './history/history.ts';
import { compareNights } from './history/night-numbers.ts';
import { seededGenerator } from '../../core/analysis/stats/random.ts';
import { shellWord } from '../../core/app/run/repeat-command.ts';
import { defaultDatabase } from '../../core/project.ts';
import { FarmError, unknownName } from '../../core/errors.ts';
import type { Run, RunRecord } from '../../core/model/run.ts';
import type { Store } from '../../core/store/store.ts';
import { withStore } from '../../core/app/records.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type { FindingsReading } from '../../core/app/extensions.ts';

/** Nights that a history reaches back: about a quarter of a year. */
export const nightsOfHistory = 100;

export interface HistoryOptions {
  readonly database: string;
  readonly suite: string;
  /** Of these devices alone; of every one when empty. */
  readonly device: readonly string[];
  /** How many runs it looks back; about a quarter of a year when left out. */
  readonly nights?: number;
}

export interface SearchedHistory {
  /** The newest finished run of the suite. */
  readonly run: number;
  readonly searched: readonly SearchedSeries[];
}

/**
 * Searches the nights of a suite, up to its newest finished run.
 * @throws FarmError `unknown-run` without a database, `unknown-suite` without a finished run.
 */
export async function searchSuite({
  database,
  suite,
  device,
  nights = nightsOfHistory,
}: HistoryOptions): Promise<SearchedHistory> {
  // Opening would create the file, and reading must not.
  if (!existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `No history was found: ${database} does not exist.`,
      next: howToMeasure(suite),
    });
  }
  return withStore(database, async (store) => {
    const newest = await newestRun(store, suite);
    const searched = await searchStored(store, newest, nights);
    const isChosen = ({ series }: SearchedSeries): boolean =>
      device.length === 0 || device.includes(series.deviceId);
    return { run: newest.id, searched: searched.filter(isChosen) };
  });
}

/** The command that searches the nights of a suite. */
export function historyCommand(suite: string): string {
  return `${npxCrossfarm} nightly history${suite === 'nightly' ? '' : ` --suite ${shellWord(suite)}`}`;
}

/** The option that names a database, behind a command; nothing for the one taken by default. */
export function typeDatabase(database: string): string {
  return resolve(database) === defaultDatabase() ? '' : ` --database ${shellWord(database)}`;
}

async function newestRun(store: Store, suite: string): Promise<Run> {
  const runs = await store.listRuns();
  const finished = runs.filter((one) => one.suite === suite && one.status === 'finished');
  // Smoke tests among the nights of a suite do not count.
  const newest = finished.find(({ preset }) => preset === undefined) ?? finished[0];
  if (newest !== undefined) return newest;
  const known = [...new Set(runs.map((one) => one.suite))];
  const kind = 'finished run of suite';
  const { message: what, next } = unknownName('unknown-suite', { kind, seen: suite, known });
  throw new FarmError('unknown-suite', { what, next: `${next} ${howToMeasure(suite)}` });
}

function howToMeasure(suite: string): string {
  return `Measure it every night: ${npxCrossfarm} nightly${suite === 'nightly' ? '' : ` --suite ${shellWord(suite)}`}`;
}

/** Searches the history of a run's suite. The run's number is the seed: the same run, the same answer. */
export async function searchStored(
  store: Pick<Store, 'readHistory'>,
  { id, suite }: Pick<Run, 'id' | 'suite'>,
  nights = nightsOfHistory,
): Promise<readonly SearchedSeries[]> {
  const values = await store.readHistory({ suite, until: id, nights });
  return searchHistory(makeNightSeries(values), { run: id, generator: seededGenerator(id) });
}

/** Suites whose runs measure something else each time. */
export const comparisons: ReadonlySet<string> = new Set(['compare', 'doctor']);

/** Fewer nights have no change that could be seen. */
const fewestNights = 12;

/** Describes for a run's report how its suite went over the nights until it, where they are not too few. */
export async function storedTrends(
  database: string,
  { run, question }: RunRecord,
): Promise<{ readonly trends?: Trends }> {
  if (question !== undefined || comparisons.has(run.suite)) return {};
  return withStore(database, async (store) => {
    const trends = describeTrends(await searchStored(store, run), run.suite);
    const isShort = trends.nights < fewestNights;
    return { trends: { ...trends, needed: fewestNights, ...(isShort && { trends: [] }) } };
  });
}

/**
 * Compares, for a night's report, its trials with those of the finished run before of its suite, of
 * which nothing but the medians is read. Null without one.
 */
export async function storedNightNumbers(
  database: string,
  { run: { id, suite } }: RunRecord,
): Promise<NightNumbers | null> {
  return withStore(database, async (store) => {
    return compareNights(await store.readHistory({ suite, until: id, nights: 2 }), id);
  });
}

/**
 * Adds how the suite of a run went over its nights. It is a history of all series, so a part lacks
 * it.
 */
export function addFindings({
  record,
  database,
  isPart,
}: FindingsReading): Promise<Pick<Findings, 'trends'>> {
  return isPart ? Promise.resolve({}) : storedTrends(database, record);
}
