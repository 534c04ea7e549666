import { renderMarkup } from '../../../reports/html/escape.ts';
import { palette } from '../../../reports/html/style.ts';
import type { CountedRun, History, StoredSeries, Summary } from '../../core/model/history.ts';
import type { ExploreView } from '../../core/server/api/explore-view.ts';
import type { ApiSources, CasePart, CaseWanted } from '../../core/server/api/sources.ts';
import { changedCards } from './changed-cards.ts';
import { changesPart, marksOf, searchNights } from './explored-changes.ts';
import { addedSections } from '../../core/app/extensions.ts';
import type { FirstScreen, OpenableTrial } from '../../../reports/comparison.ts';
import type { Analyst } from './analyst.ts';
import { liveFindings } from './live-findings.ts';
import { drawExplored, type ExploredBenchmark } from './explored-chart.ts';
import { chosen } from './explored-curves.ts';

/** As many series as the page reads for its table. */
const mostSeries = 2_000;
const pageLength = 500;

/** Parts of the explorer's pages, in the drawing of the reports. */
export function explorerParts(
  history: Pick<History, 'filterValues' | 'run' | 'look' | 'series' | 'trials'>,
  { summaries, changes, ended, caseInShort }: PartSources,
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
      return { heading, found: linkReport(markup, id) };
    },
    case: (wanted) => showCase(wanted, { history, caseInShort }),
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
  readonly caseInShort: Analyst['caseInShort'];
}

/** Leads from a part of a report into the whole of it. */
function linkReport(markup: string, run: number): string {
  return markup.replaceAll('href="#', `href="/report?run=${String(run)}#`);
}

/** A case in one run, the newest when left out; of a run that goes on what is known so far. */
async function showCase(
  { case: name, run: wanted }: CaseWanted,
  {
    history,
    caseInShort,
  }: {
    readonly history: Pick<History, 'run' | 'look' | 'series' | 'trials'>;
    readonly caseInShort: Analyst['caseInShort'];
  },
): Promise<CasePart | null> {
  const filter = { case: name, ...(wanted !== undefined && { run: wanted }) };
  const [first] = (await history.series(filter, { limit: 1, after: null })).rows;
  const run = first === undefined ? null : await history.run(first.run);
  if (first === undefined || run === null) return null;
  const screen =
    run.status === 'running'
      ? await showSoFar(run, history, name)
      : await caseInShort(run.id, name, await listTrials(first, history));
  if (screen === null) return null;
  const { heading, markup } = screen;
  return { heading, found: linkReport(markup, run.id), run: run.id, startedAt: run.startedAt };
}

/** More trials have no link each. */
const mostLinked = 500;

/** The trials of a benchmark in a run, with the addresses of their pages. */
async function listTrials(
  { run, benchmark }: Pick<StoredSeries, 'run' | 'benchmark'>,
  history: Pick<History, 'trials'>,
): Promise<readonly OpenableTrial[]> {
  const { rows } = await history.trials({ run, benchmark }, { limit: mostLinked, after: null });
  return rows.flatMap(({ trial, case: caseName, device: targetId, values }) =>
    values.flatMap(({ metric, value }) =>
      value === null
        ? []
        : [{ caseName, targetId, metric, value, href: `/trials/${String(trial)}` }],
    ),
  );
}

/** More series are no picture any more. */
const mostSoFar = 500;

/** Two short reads, and the drawing: no analysis, which would disturb the trials of the run. */
async function showSoFar(
  run: CountedRun,
  history: Pick<History, 'look' | 'series'>,
  caseName?: string,
): Promise<FirstScreen> {
  const look = await history.look(run.id);
  const { rows } = await history.series(
    { run: run.id, case: caseName },
    { limit: mostSoFar, after: null },
  );
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
