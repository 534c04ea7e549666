import type { Crossing, CrossingPlace, CrossoverChart } from '../../harness/core/results/index.ts';
import { type CurvePoint, drawCurves } from '../html/charts.ts';
import { html, type Html } from '../html/escape.ts';
import type { Section } from './report.ts';
import {
  formatConfidence,
  formatEstimate,
  formatInterval,
  formatQuantity,
  formatRatioTick,
  missingMark,
  plural,
} from '../html/number.ts';
import { table } from '../html/table.ts';
import { axisNote, drawnTwice } from '../html/axes.ts';
import { colouredName, type Legend } from '../wording/legend.ts';

/** From which amount of work on one choice beats another: one figure a chart, one panel for each value of `by`. */
export const crossoverSection: Section = {
  id: 'crossover',
  title: 'Crossover',
  render: async ({ findings, legend }) => {
    const charts = findings.crossover.filter((chart) => chart.points.length > 0);
    if (charts.length === 0) return false;
    const twin = drawnTwice(findings);
    const figures = await Promise.all(
      charts.map((chart, index) => draw(chart, { legend, index, twin })),
    );
    return html`
      <p>
        Who has to be started first loses while there is little to do, and may win when there is
        much. The crossover is the amount of work at which both take the same time.
      </p>
      ${figures}
    `;
  },
};

interface Drawing {
  readonly legend: Legend;
  readonly index: number;
  readonly twin: boolean;
}

async function draw(chart: CrossoverChart, { legend, index, twin }: Drawing): Promise<Html> {
  const ids = [...new Set(chart.points.map((point) => point.targetId))];
  const id = `crossover-${String(index + 1)}`;
  const against = `${chart.by} = ${chart.base}`;
  const points: CurvePoint[] = chart.points.map(({ targetId, by, ...point }) => ({
    ...point,
    curve: ids.indexOf(targetId),
    panel: `${chart.by} = ${by}`,
    title: `${legend(targetId).label}, ${chart.over} ${String(point.x)}: ${formatInterval(point, { unit: '×', resolution: 0 })}`,
    href: `#${id}-numbers`,
  }));
  const figure = await drawCurves({
    id,
    title: html`<bdi>${chart.title}</bdi>`,
    caption: html`${chart.metric} as a multiple of that with ${against}, over
    ${chart.over}${chart.fixed !== '' && html`; ${chart.fixed}`}. Medians over blocks, with their
    intervals as pale bars.
    ${axisNote({ twin, log: 'Logarithmic axes;', linear: 'Linear axis of ratios, logarithmic below;' })}
    dashed: 1, below which it wins.`,
    xLabel: `${chart.over} →`,
    yLabel: `↑ ratio to ${against}`,
    unit: '×',
    xUnit: '',
    reference: 1,
    twin,
    curves: ids.map((target) => legend(target)),
    points,
    describePanel: (panel) => inWords(chart, { panel, legend }),
  });
  return html`${figure}${crossings(chart, { legend, id: `${id}-numbers` })}`;
}

/** Value of `by` × target: from which amount on it wins. */
function crossings(
  chart: CrossoverChart,
  { legend, id }: { readonly legend: Legend; readonly id: string },
): Html {
  const values = [...new Set(chart.crossings.map(({ by }) => by))];
  const ids = [...new Set(chart.crossings.map(({ targetId }) => targetId))];
  const rows = values.map((value) => [
    html`<bdi>${value}</bdi>`,
    ...ids.map((target) => {
      const found = chart.crossings.find((one) => one.by === value && one.targetId === target);
      return found === undefined ? html`${missingMark}` : crossingOf(found);
    }),
  ]);
  return html`<p>
      The median over blocks, with its interval and what that covers. Between two amounts that were
      measured both durations are taken as straight lines; beyond them nothing is known. A gain of
      less than 2 % at the largest amount is none.
    </p>
    ${table({
      id,
      caption: html`From how many ${chart.over} on each takes less than ${chart.by} = ${chart.base}`,
      columns: [
        { title: chart.by },
        ...ids.map((target) => ({ title: colouredName(legend(target)), kind: 'number' as const })),
      ],
      groups: [{ rows }],
    })}`;
}

function crossingOf({ confidence, blocks, ...crossing }: Crossing): Html {
  const { place, interval } = inFigures(crossing);
  const sure = confidence > 0 ? `, ${formatConfidence(confidence)}` : '';
  const small = html`<small
    >${interval !== '' && html`${interval}, `}${plural(blocks, 'block')}${sure}</small
  >`;
  return html`<b>${place}</b>${small}`;
}

type Places = Omit<Crossing, 'confidence' | 'blocks'>;

function inFigures(crossing: Places): { readonly place: string; readonly interval: string } {
  const { at, low, high } = crossing;
  const exact = { unit: '', resolution: 0 };
  if (typeof at === 'number' && typeof low === 'number' && typeof high === 'number') {
    const shown = formatEstimate({ median: at, low, high }, exact);
    return { place: shown.median, interval: low === high ? '' : shown.interval };
  }
  const words = (place: CrossingPlace): string => placeInWords(place, crossing);
  return { place: words(at), interval: low === high ? '' : `${words(low)} … ${words(high)}` };
}

function placeInWords(place: CrossingPlace, { smallest, largest }: Places): string {
  const amount = (value: number): string => formatQuantity(value, { unit: '', resolution: 0 });
  if (place === 'always') return `below ${amount(smallest)}`;
  return place === 'never' ? `not up to ${amount(largest)}` : amount(place);
}

/** Text alternative: the ends of every curve. */
function inWords(
  chart: CrossoverChart,
  { panel, legend }: { readonly panel: string; readonly legend: Legend },
): string {
  const own = chart.points
    .filter(({ by }) => `${chart.by} = ${by}` === panel)
    .toSorted((a, b) => a.x - b.x);
  const curves = [...new Set(own.map(({ targetId }) => targetId))].map((id) => {
    const curve = own.filter(({ targetId }) => targetId === id);
    const [first, last] = [curve[0], curve.at(-1)];
    if (first === undefined || last === undefined) return '';
    const ratio = (value: number): string => formatRatioTick(Number(value.toPrecision(3)));
    return `${legend(id).label}: from ${ratio(first.y)} at ${chart.over} ${String(first.x)} to ${ratio(last.y)} at ${String(last.x)}`;
  });
  return `${chart.metric} with ${panel} as a multiple of that with ${chart.by} = ${chart.base}. ${curves.join('. ')}.`;
}
