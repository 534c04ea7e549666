import { changeWords } from '../../../reports/wording/findings.ts';
import type { NightChange, SearchedSeries } from '../nights/history/history.ts';
import type { SuiteHistory } from '../../core/model/history.ts';
import type {
  ChangeResponse,
  WholeChanges,
  SeriesResponse,
} from '../../core/server/api/changes-response.ts';
import type { Store } from '../../core/store/store.ts';
import { comparisons, searchStored } from '../nights/search-history.ts';

/** The history of a suite as the API answers it, searched as `farm nightly history` does. */
export async function changesResponse(
  store: Pick<Store, 'readHistory'>,
  { suite, newest }: SuiteHistory,
): Promise<WholeChanges> {
  if (comparisons.has(suite)) {
    const notSearched = `What runs of ${suite} measure is another thing each time.`;
    return { suite, run: newest, nights: 0, notSearched, series: [] };
  }
  const searched = await searchStored(store, { id: newest, suite });
  const runs = new Set(searched.flatMap(({ series }) => series.nights.map(({ run }) => run.id)));
  return {
    suite,
    run: newest,
    nights: runs.size,
    notSearched: null,
    series: searched.flatMap(seriesResponse),
  };
}

/** Of a suite that never finished a run. */
export function noChanges(suite: string | null): WholeChanges {
  const what = suite === null ? 'No run' : `No run of ${suite}`;
  return {
    suite: suite ?? '',
    run: null,
    nights: 0,
    series: [],
    notSearched: `${what} has finished.`,
  };
}

function seriesResponse({
  series,
  changes,
  suspect,
  notSearched,
}: SearchedSeries): SeriesResponse[] {
  const { caseName, deviceId, metric, nights, begunBy } = series;
  const [first, last] = [nights[0], nights.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [
    {
      caseName,
      targetId: deviceId,
      begunBy,
      notSearched,
      metric: metric.id,
      metricTitle: metric.title,
      unit: metric.unit,
      direction: metric.direction,
      nights: nights.length,
      course: isChanged(changes, suspect) ? nights.map(nightOf) : [],
      firstRun: first.run.id,
      lastRun: last.run.id,
      changes: [
        ...changes.map((change) => changeResponse(change, 'settled')),
        ...(suspect === null ? [] : [changeResponse(suspect, 'suspect')]),
      ],
    },
  ];
}

function isChanged(changes: readonly NightChange[], suspect: NightChange | null): boolean {
  return changes.length > 0 || suspect !== null;
}

function nightOf({ run, median }: SearchedSeries['series']['nights'][number]) {
  return { run: run.id, startedAt: run.startedAt, median };
}

function changeResponse(change: NightChange, state: ChangeResponse['state']): ChangeResponse {
  const { run, startedAt, before, after, ratio, p, attribution } = change;
  return {
    run,
    startedAt,
    state,
    before,
    after,
    ratio,
    p,
    cause: attribution.text,
    words: { ratio: changeWords({ ratio }) },
  };
}
