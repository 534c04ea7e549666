import { renderMarkup } from '../../../reports/html/escape.ts';
import { palette } from '../../../reports/html/style.ts';
import type { CountedRun, History, Summary } from '../../core/model/history.ts';
import type { ExploreView } from '../../core/server/api/explore-view.ts';
import type { ApiSources } from '../../core/server/api/sources.ts';
import { changedCards } from './changed-cards.ts';
import { changesPart, marksOf, searchNights } from './explored-changes.ts';
import { addedSections } from '../../core/app/extensions.ts';
import type { FirstScreen } from '../../../reports/comparison.ts';
import { liveFindings } from './live-findings.ts';
import { drawExplored, type ExploredBenchmark } from './explored-chart.ts';
import { chosen } from './explored-curves.ts';

/** As many series as the page reads for its table. */
const mostSeries = 2_000;
const pageLength = 500;

/** Parts of the explorer's pages, in the drawing of the reports. */
export function explorerParts(
  history: Pick<History, 'filterValues' | 'run' | 'look' | 'series'>,
  { summaries, changes, ended }: PartSources,
): ApiSources['parts'] {
  const read = async (view: ExploreView): Promise<ReadView | null> => {
    const { benchmarks, runs } = await history.filterValues();
    const benchmark = benchmarks.find((one) => one.benchmark === view.filter.benchmark);
    if (benchmark === undefined) return null;
    const shown = chosen(await readAll(view, summaries), view, benchmark);
    return { explored: { view, benchmark }, shown, runs };
  };
  return {
    palette: () => Promise.resolve(palette),
    async runStyle() {
      const { firstScreenStyle } = await import('../../../reports/comparison.ts');
      return firstScreenStyle('found', await addedSections());
    },
    async run(id) {
      const run = await history.run(id);
      if (run === null) return null;
      const { heading, markup } =
        run.status === 'running' ? await showSoFar(run, history) : await ended(id);
      const report = `href="/report?run=${String(id)}#`;
      return { heading, found: markup.replaceAll('href="#', report) };
    },
    async chart(view) {
      const found = await read(view);
      return found && renderMarkup(await drawExplored(found.shown, found.explored));
    },
    async changes(view) {
      const found = await read(view);
      const { case: caseName, metric } = view.filter;
      if (found === null || caseName === undefined) return null;
      const { explored, shown, runs } = found;
      const searched = await searchNights(shown, { case: caseName, metric, runs }, changes);
      const marks = marksOf(searched, shown);
      // A change is one of a device, which a mean does not show.
      const isMarked = marks.length > 0 && view.average === '';
      return {
        changes: renderMarkup(changesPart(searched, marks)),
        chart: isMarked
          ? renderMarkup(await drawExplored(shown, { ...explored, changes: marks }))
          : null,
      };
    },
    async changed(suite) {
      const cards = changedCards(await changes(suite));
      return cards && renderMarkup(cards);
    },
  };
}

interface PartSources extends Pick<ApiSources, 'summaries' | 'changes'> {
  /** The first screen of a run that has ended. */
  readonly ended: (run: number) => Promise<FirstScreen>;
}

/** More series are no picture any more. */
const mostSoFar = 500;

/** Two short reads, and the drawing: no analysis, which would disturb the trials of the run. */
async function showSoFar(
  run: CountedRun,
  history: Pick<History, 'look' | 'series'>,
): Promise<FirstScreen> {
  const look = await history.look(run.id);
  const { rows } = await history.series({ run: run.id }, { limit: mostSoFar, after: null });
  const { renderSoFar } = await import('../../../reports/comparison.ts');
  return renderSoFar(liveFindings(run, rows, look));
}

interface ReadView {
  readonly explored: ExploredBenchmark;
  readonly shown: readonly Summary[];
  readonly runs: Parameters<typeof searchNights>[1]['runs'];
}

async function readAll(
  { filter }: ExploreView,
  summaries: ApiSources['summaries'],
): Promise<readonly Summary[]> {
  const all: Summary[] = [];
  let after: Parameters<typeof summaries>[1]['after'] = null;
  do {
    const { rows, next } = await summaries(filter, { limit: pageLength, after });
    all.push(...rows);
    after = next;
  } while (after !== null && all.length < mostSeries);
  return all;
}
