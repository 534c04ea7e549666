import type { FindingsReading } from '../../app/extensions.ts';
import type { Findings } from '../../results/index.ts';
import { storedTrends } from './search-history.ts';

/** Adds how the suite of a run went over its nights. It is a history of all series, so a part has none. */
export function addFindings({
  record,
  database,
  isPart,
}: FindingsReading): Promise<Pick<Findings, 'trends'>> {
  return isPart ? Promise.resolve({}) : storedTrends(database, record);
}
