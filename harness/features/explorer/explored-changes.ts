import { html, type Html } from '../../../reports/html/escape.ts';
import { formatQuantity, plural } from '../../../reports/html/number.ts';
import { table } from '../../../reports/html/table.ts';
import type { FilterValues, Summary } from '../../core/model/history.ts';
import type { ChangeResponse, WholeChanges } from '../../core/server/api/changes-response.ts';
import type { ApiSources } from '../../core/server/api/sources.ts';
import { curveOf, labelOf } from './explored-curves.ts';

/** A change of a series that is shown. */
export interface MarkedChange extends ChangeResponse {
  readonly unit: string;
  readonly curve: string;
  readonly label: string;
}

/** A case is in few suites; each is searched separately. */
const mostSuites = 3;

/** Nights on either side of a settled change. */
const settledNights = 6;

interface SearchedCase {
  readonly case: string;
  readonly metric: string | undefined;
  readonly runs: FilterValues['runs'];
}

/** The farm's own search of the nights of one case, of every suite that the shown runs are of. */
export async function searchNights(
  shown: readonly Summary[],
  { case: caseName, metric, runs }: SearchedCase,
  changes: ApiSources['changes'],
): Promise<readonly WholeChanges[]> {
  const seen = new Set(shown.map(({ run }) => run));
  const suites = new Set(runs.filter(({ run }) => seen.has(run)).map(({ suite }) => suite));
  const found = await Promise.all([...suites].slice(0, mostSuites).map((suite) => changes(suite)));
  return found.map((one) => ({
    ...one,
    series: one.series.filter(
      (series) => series.caseName === caseName && series.metric === (metric ?? series.metric),
    ),
  }));
}

/** The changes of the devices that are shown. */
export function marksOf(
  searched: readonly WholeChanges[],
  shown: readonly Summary[],
): readonly MarkedChange[] {
  return searched.flatMap(({ series }) =>
    series.flatMap(({ targetId, unit, changes }) =>
      changes.flatMap((change) => {
        const first = shown.find(({ run, device }) => run === change.run && device === targetId);
        if (first === undefined) return [];
        // The newest run comes first: its version is the one that is named.
        const newest = shown.find((one) => curveOf(one) === curveOf(first)) ?? first;
        return [{ ...change, unit, curve: curveOf(first), label: labelOf(newest) }];
      }),
    ),
  );
}

/** The result of the search, and each change in a table. */
export function changesPart(
  searched: readonly WholeChanges[],
  marks: readonly MarkedChange[],
): Html {
  return html`<h2>Changes over the nights</h2>
    ${searched.map((one) => html`<p class="soft">${sentence(one)}</p>`)}
    ${
      marks.length > 0 &&
      html`<p class="soft">
          A dashed line in the chart is the first run after a change. A suspect is younger than six
          runs, and no verdict.
        </p>
        ${changesTable(marks)}`
    }`;
}

function sentence({ suite, nights, notSearched, series }: WholeChanges): Html {
  if (notSearched !== null) return html`${notSearched}`;
  const changes = series.reduce((sum, one) => sum + one.changes.length, 0);
  const why = series.find((one) => one.notSearched !== null)?.notSearched ?? null;
  return html`<bdi>${suite}</bdi>, medians of ${plural(nights, 'run')}:
    ${changes === 0 ? 'no level changed' : plural(changes, 'change')}.${
      nights < 2 * settledNights &&
      html` A settled change has ${settledNights} runs on either side, which so few cannot have.`
    }${why !== null && html` Not all could be searched: ${why}.`}`;
}

function changesTable(marks: readonly MarkedChange[]): Html {
  const newestFirst = marks.toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  return table({
    id: 'changes-table',
    caption: 'Changes of level, by the farm’s own search',
    columns: [
      { title: 'Browser' },
      { title: 'After / before' },
      { title: 'From … to' },
      { title: 'Since' },
      { title: 'What changed with it' },
      { title: 'State' },
    ],
    groups: [
      {
        rows: newestFirst.map((mark) => [
          html`<bdi>${mark.label}</bdi>`,
          html`<b>${mark.words.ratio}</b>`,
          `${quantity(mark.before, mark)} … ${quantity(mark.after, mark)}`,
          `${mark.startedAt.slice(0, 10)}, run ${String(mark.run)}`,
          html`<bdi>${mark.cause}</bdi>`,
          mark.state,
        ]),
      },
    ],
  });
}

function quantity(value: number, { unit }: MarkedChange): string {
  return formatQuantity(value, { unit, resolution: 0 });
}
