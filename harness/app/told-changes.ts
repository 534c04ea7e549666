import { changeWords } from '../../reports/findings-words.ts';
import type { NightChange, SearchedSeries } from '../analysis/history.ts';
import type { SuiteHistory } from '../model/history.ts';
import type { ToldChange, ToldChanges, ToldSeries } from '../server/api/told.ts';
import type { Store } from '../store/store.ts';
import { comparisons, searchStored } from './history.ts';

/** The history of a suite as the API tells it, searched as `farm history` does. */
export async function tellChanges(
  store: Pick<Store, 'readHistory'>,
  { suite, newest }: SuiteHistory,
): Promise<ToldChanges> {
  if (comparisons.has(suite)) {
    const notSearched = `What runs of ${suite} measure is another thing each time.`;
    return { suite, run: newest, nights: 0, notSearched, series: [] };
  }
  const searched = await searchStored(store, { id: newest, suite });
  const runs = new Set(searched.flatMap(({ series }) => series.nights.map(({ run }) => run.id)));
  return {
    ...{ suite, run: newest, nights: runs.size, notSearched: null },
    series: searched.flatMap(toldSeries),
  };
}

/** Of a suite that never finished a run. */
export function noChanges(suite: string | null): ToldChanges {
  const what = suite === null ? 'No run' : `No run of ${suite}`;
  return {
    ...{ suite: suite ?? '', run: null, nights: 0, series: [] },
    notSearched: `${what} has finished.`,
  };
}

function toldSeries({ series, changes, suspect, notSearched }: SearchedSeries): ToldSeries[] {
  const { caseName, deviceId, metric, nights, begunBy } = series;
  const [first, last] = [nights[0], nights.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [
    {
      ...{ case: caseName, device: deviceId, begunBy, notSearched },
      ...{ metric: metric.id, metricTitle: metric.title },
      ...{ unit: metric.unit, direction: metric.direction },
      ...{ nights: nights.length, firstRun: first.run.id, lastRun: last.run.id },
      changes: [
        ...changes.map((change) => toldChange(change, 'settled')),
        ...(suspect === null ? [] : [toldChange(suspect, 'suspect')]),
      ],
    },
  ];
}

function toldChange(change: NightChange, state: ToldChange['state']): ToldChange {
  const { run, startedAt, before, after, ratio, p, attribution } = change;
  return {
    ...{ run, startedAt, state, before, after, ratio, p },
    cause: attribution.text,
    words: { ratio: changeWords({ ratio }) },
  };
}
