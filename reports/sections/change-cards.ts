import type { Findings, Trend, TrendChange } from '../../harness/results/index.ts';
import { html, type Html } from '../html/escape.ts';
import { formatQuantity, isTime, plural } from '../html/number.ts';
import { sparkline } from '../html/sparkline.ts';
import { caseLabel } from '../wording/case-label.ts';
import { changeInShort } from '../wording/change.ts';
import { colouredName, type Legend } from '../wording/legend.ts';
import { verdictSign } from '../wording/verdicts.ts';

/** Further ones stand in the table of the trends. */
const mostCards = 6;

/** Series whose newest change is in this state: a card for each, with its course over the nights. */
export function changeCards(
  { trends, rows }: Pick<Findings, 'trends' | 'rows'>,
  state: TrendChange['state'],
  legend: Legend,
): Html | false {
  const changed = (trends?.trends ?? []).flatMap((trend) => {
    const change = trend.changes.at(-1);
    return change?.state === state ? [{ trend, change }] : [];
  });
  if (changed.length === 0) return false;
  const newest = changed.toSorted((a, b) => (a.change.startedAt < b.change.startedAt ? 1 : -1));
  const more = changed.length - mostCards;
  return html`<div class="cards">
      ${newest.slice(0, mostCards).map(({ trend, change }) => card(trend, change, { rows, legend }))}
    </div>
    ${more > 0 && html`<p><a href="#trends">${plural(more, 'more series', 'more series')}</a></p>`}`;
}

interface Names {
  readonly rows: Findings['rows'];
  readonly legend: Legend;
}

function card(trend: Trend, change: TrendChange, { rows, legend }: Names): Html {
  const { caseName, metric, unit, targetId, nights, levels } = trend;
  const { ratio, run, startedAt, cause } = change;
  const verdict = ratio > 1 ? ('slower' as const) : ('faster' as const);
  const words = changeInShort({ verdict, ratio, isTime: isTime(unit) });
  const [before, after] = levels
    .slice(-2)
    .map(({ median }) => formatQuantity(median, { unit, resolution: 0 }));
  const course = sparkline(
    nights.map(({ median }) => median),
    nights.findIndex((night) => night.run === run),
    `${metric} over ${plural(nights.length, 'night')}: ${before ?? ''}, then ${after ?? ''}.`,
  );
  return html`<div class="card">
    <p class="of"><bdi>${caseLabel(rows, caseName)}</bdi>, ${colouredName(legend(targetId))}</p>
    <p class="change">
      ${isTime(unit) && verdictSign(verdict)}
      <b>${words}</b>${metric !== 'duration' && ` (${metric})`}
    </p>
    ${course}
    <p>
      ${before} → ${after} since ${startedAt.slice(0, 10)}, run ${run}. With it:
      <bdi>${cause}</bdi>.
    </p>
  </div> `;
}
