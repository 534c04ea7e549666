import type { NightNumbers, Trends } from '../../reports/findings.ts';
import { makeNightSeries, searchHistory, type SearchedSeries } from '../analysis/history.ts';
import { compareNights } from '../analysis/night-numbers.ts';
import { describeTrends } from '../analysis/trends.ts';
import type { Run, RunRecord } from '../model/run.ts';
import { seededGenerator } from '../analysis/stats/random.ts';
import { openStore, type Store } from '../store/store.ts';

/** Nights that a history reaches back: about a quarter of a year. */
export const nightsOfHistory = 100;

/** The history of a run's suite, searched. The run's number is the seed: the same run, the same answer. */
export async function searchStored(
  store: Pick<Store, 'readHistory'>,
  { id, suite }: Pick<Run, 'id' | 'suite'>,
  nights = nightsOfHistory,
): Promise<readonly SearchedSeries[]> {
  const values = await store.readHistory({ suite, until: id, nights });
  return searchHistory(makeNightSeries(values), { run: id, generator: seededGenerator(id) });
}

/** What these runs measure is another thing each time. */
export const comparisons: ReadonlySet<string> = new Set(['compare', 'doctor']);

/** Fewer nights have no change that could be seen. */
const fewestNights = 12;

/** For a run's report: how its suite went over the nights until it, where they are not too few. */
export async function storedTrends(
  database: string,
  { run, question }: RunRecord,
): Promise<{ readonly trends?: Trends }> {
  if (question !== undefined || comparisons.has(run.suite)) return {};
  const store = await openStore(database);
  try {
    const trends = describeTrends(await searchStored(store, run), run.suite);
    const isShort = trends.nights < fewestNights;
    return { trends: { ...trends, needed: fewestNights, ...(isShort && { trends: [] }) } };
  } finally {
    await store.close();
  }
}

/**
 * For a night's report: its trials against those of the finished run before of its suite, of which
 * nothing but the medians is read. Null without one.
 */
export async function storedNightNumbers(
  database: string,
  { run: { id, suite } }: RunRecord,
): Promise<NightNumbers | null> {
  const store = await openStore(database);
  try {
    return compareNights(await store.readHistory({ suite, until: id, nights: 2 }), id);
  } finally {
    await store.close();
  }
}
