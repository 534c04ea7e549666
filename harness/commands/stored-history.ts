import { makeNightSeries, searchHistory, type SearchedSeries } from '../analysis/history.ts';
import type { Run } from '../model/run.ts';
import { seededGenerator } from '../stats/random.ts';
import type { Store } from '../store/store.ts';

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
