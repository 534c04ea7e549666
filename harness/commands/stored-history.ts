import type { Trends } from '../../reports/findings.ts';
import { makeNightSeries, searchHistory, type SearchedSeries } from '../analysis/history.ts';
import { describeTrends } from '../analysis/trends.ts';
import type { Run, RunRecord } from '../model/run.ts';
import { seededGenerator } from '../stats/random.ts';
import { openStore, type Store } from '../store/store.ts';

/** Nights that a history reaches back: about a quarter of a year. */
export const nightsOfHistory = 100;

/** The history of a run's suite, searched. The run's number is the seed: the same run, the same answer. */
export async function searchStored(
  store: Store,
  { id, suite }: Pick<Run, 'id' | 'suite'>,
  nights = nightsOfHistory,
): Promise<readonly SearchedSeries[]> {
  const values = await store.readHistory({ suite, until: id, nights });
  return searchHistory(makeNightSeries(values), { run: id, generator: seededGenerator(id) });
}

/** What these runs measure is another thing each time. */
const comparisons: ReadonlySet<string> = new Set(['compare', 'doctor']);

/** Fewer nights have no change that could be seen, and a section about them would only take room. */
const fewestNights = 12;

/** For a run's report: how its suite went over the nights until it; nothing where they are few. */
export async function storedTrends(
  database: string,
  { run, question }: RunRecord,
): Promise<{ readonly trends?: Trends }> {
  if (question !== undefined || comparisons.has(run.suite)) return {};
  const store = await openStore(database);
  try {
    const trends = describeTrends(await searchStored(store, run), run.suite);
    return trends.nights < fewestNights ? {} : { trends };
  } finally {
    await store.close();
  }
}
