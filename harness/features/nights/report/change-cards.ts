import type { Findings, Trend } from '../../../core/results/index.ts';
import type { AnomalyFacts } from '../../../core/results/nights.ts';
import { html, type Html } from '../../../../reports/html/escape.ts';
import { formatQuantity, isTime, plural } from '../../../../reports/html/number.ts';
import { sparkline } from '../../../../reports/html/sparkline.ts';
import { caseLabel } from '../../../../reports/wording/difference.ts';
import { changeInShort } from '../../../../reports/wording/change.ts';
import { colouredName, type Legend } from '../../../../reports/wording/legend.ts';
import { verdictSign } from '../../../../reports/wording/verdicts.ts';

/** Further ones stand in the table of the trends. */
const mostCards = 6;

export const cardStyle = `
.spark{width:100%;max-width:240px}.spark path{fill:none;stroke:var(--soft);stroke-width:1.5}.spark circle{fill:var(--bad)}.card p.change{font-size:1rem;color:inherit;margin:0 0 .4rem}`;

type Change = Trend['changes'][number];

/** A suspect is confirmed once it was measured again and became an anomaly. */
type CardState = Change['state'] | 'confirmed';

/** Series whose newest change is in this state: a card for each, with its course over the nights. */
export function changeCards(
  { trends, rows, night }: Pick<Findings, 'trends' | 'rows' | 'night'>,
  wanted: CardState,
  legend: Legend,
): Html | false {
  const changed = (trends?.trends ?? []).flatMap((trend) => {
    const change = trend.changes.at(-1);
    if (change === undefined) return [];
    const anomaly = night?.anomalies.find((one) => isOf(one, trend, change));
    return findState(change, anomaly) === wanted ? [{ trend, change, anomaly }] : [];
  });
  if (changed.length === 0) return false;
  const newest = changed.toSorted((a, b) => (a.change.startedAt < b.change.startedAt ? 1 : -1));
  const more = changed.length - mostCards;
  return html`<div class="cards">
      ${newest.slice(0, mostCards).map((one) => card(one, { rows, legend }))}
    </div>
    ${more > 0 && html`<p><a href="#trends">${plural(more, 'more series', 'more series')}</a></p>`}`;
}

/** Null for what was confirmed, and then ignored or closed: nobody waits for it. */
function findState({ state }: Change, anomaly: AnomalyFacts | undefined): CardState | null {
  if (state !== 'suspect' || anomaly === undefined) return state;
  return ['ignored', 'closed'].includes(anomaly.state) ? null : 'confirmed';
}

/** True for the anomaly that this very change became. */
function isOf({ series, since }: AnomalyFacts, trend: Trend, change: Change): boolean {
  return (
    series !== undefined &&
    series.targetId === trend.targetId &&
    series.caseName === trend.caseName &&
    series.metric === trend.metric &&
    series.builds.before === change.builds.before &&
    series.builds.after === change.builds.after &&
    since >= change.startedAt
  );
}

interface Changed {
  readonly trend: Trend;
  readonly change: Change;
  readonly anomaly: AnomalyFacts | undefined;
}

interface Names {
  readonly rows: Findings['rows'];
  readonly legend: Legend;
}

function card({ trend, change, anomaly }: Changed, { rows, legend }: Names): Html {
  const { caseName, targetId, levels } = trend;
  const of = html`<bdi>${caseLabel(rows, caseName)}</bdi>, ${colouredName(legend(targetId))}`;
  const since = html`${change.startedAt.slice(0, 10)}, run ${change.run}`;
  const medians = levels.slice(-2).map(({ median }) => median);
  const details =
    anomaly?.blame === undefined ? '' : html`<p>${anomaly.id}: <bdi>${anomaly.blame}</bdi>.</p>`;
  return changeCard({ ...trend, of, change, levels: medians, since, details });
}

export interface ChangeCard extends Pick<Trend, 'metric' | 'unit' | 'nights'> {
  /** The case and the device. */
  readonly of: Html;
  readonly change: Pick<Change, 'ratio' | 'run' | 'cause'>;
  /** Medians before and after the change. */
  readonly levels: readonly number[];
  readonly since: Html;
  readonly details?: Html | '';
}

/** A change of one series, with its course over the nights. */
export function changeCard(facts: ChangeCard): Html {
  const { of, change, metric, unit, nights, levels, since, details } = facts;
  const { ratio, run, cause } = change;
  const verdict = ratio > 1 ? ('slower' as const) : ('faster' as const);
  const words = changeInShort({ verdict, ratio, isTime: isTime(unit) });
  const [before, after] = levels.map((median) => formatQuantity(median, { unit, resolution: 0 }));
  const course = sparkline(
    nights.map(({ median }) => median),
    nights.findIndex((night) => night.run === run),
    `${metric} over ${plural(nights.length, 'night')}: ${before ?? ''}, then ${after ?? ''}.`,
  );
  return html`<div class="card">
    <p class="of">${of}</p>
    <p class="change">
      ${isTime(unit) && verdictSign(verdict)}
      <b>${words}</b>${metric !== 'duration' && ` (${metric})`}
    </p>
    ${course}
    <p>
      ${before} → ${after} since ${since}. With it:
      <bdi>${cause}</bdi>.
    </p>
    ${details}
  </div> `;
}
