import type {
  Findings,
  GrowthChart,
  GrowthFit,
  GrowthTheory,
} from '../../harness/core/results/index.ts';
import { type CurvePoint, drawCurves } from '../html/charts.ts';
import { html, type Html } from '../html/escape.ts';
import type { Section } from './report.ts';
import {
  formatConfidence,
  formatInterval,
  formatQuantity,
  formatRatioEstimate,
  formatRatioTick,
  missingMark,
  plural,
} from '../html/number.ts';
import { table } from '../html/table.ts';
import { axisNote, drawnTwice } from '../html/axes.ts';
import { colouredName, type Legend } from '../wording/legend.ts';
import { rowAnchor } from './comparison-table.ts';

/** How the metric grows with an integer parameter: one figure a chart, one panel for each value of `by`. */
export const growthSection: Section = {
  id: 'growth',
  title: 'Growth',
  render: async ({ findings, legend }) => {
    const charts = findings.growth.filter((chart) => chart.points.length > 0);
    if (charts.length === 0) return false;
    const twin = drawnTwice(findings);
    const figures = await Promise.all(
      charts.map((chart, index) => draw(chart, { findings, legend, index, twin })),
    );
    return html`
      <p>
        Medians over a growing parameter, with their intervals as pale bars. On a logarithmic axis a
        straight line is exponential growth, and a constant gap is a constant factor. The numbers
        stand in the comparison above.
      </p>
      ${figures}
    `;
  },
};

interface Drawing {
  readonly findings: Findings;
  readonly legend: Legend;
  readonly index: number;
  readonly twin: boolean;
}

async function draw(chart: GrowthChart, { findings, legend, index, twin }: Drawing): Promise<Html> {
  const ids = [...new Set(chart.points.map((point) => point.targetId))];
  const points: CurvePoint[] = chart.points.map(({ targetId, by, ...point }) => ({
    ...point,
    curve: ids.indexOf(targetId),
    panel: by,
    title: `${legend(targetId).label}, ${chart.over} ${String(point.x)}: ${formatInterval(point, { unit: chart.unit, resolution: 0 })}`,
    href: findCaseAddress(findings, chart, { by, x: point.x }),
  }));
  const figure = await drawCurves({
    id: `growth-${String(index + 1)}`,
    title: html`<bdi>${chart.title}</bdi>`,
    caption: html`${chart.metric} over
    ${chart.over}${chart.by !== '' && html`, one panel for each ${chart.by}`}${chart.fixed !== '' && html`; ${chart.fixed}`}.
    ${axisNote({ twin, log: 'Logarithmic axis.', linear: 'Linear axis, from 0.' })}`,
    xLabel: `${chart.over} →`,
    yLabel: `↑ ${chart.metric}`,
    unit: chart.unit,
    twin,
    curves: ids.map((id) => legend(id)),
    points,
    describePanel: (panel) => inWords(chart, { panel, legend }),
  });
  return html`${figure}${fits(chart, { legend, id: `growth-${String(index + 1)}-fits` })}`;
}

/** Finds the row of the comparison that has a point; undefined where none does. */
function findCaseAddress(
  { rows }: Findings,
  chart: GrowthChart,
  { by, x }: { readonly by: string; readonly x: number },
): string | undefined {
  const wanted = [
    `${chart.over} = ${String(x)}`,
    `${chart.by} = ${by}`,
    ...chart.fixed.split(', '),
  ];
  const index = rows.findIndex(({ benchmark, parameters }) => {
    const own = Object.entries(parameters).map(([name, value]) => `${name} = ${String(value)}`);
    return benchmark === chart.benchmark && own.every((one) => wanted.includes(one));
  });
  return index < 0 ? undefined : `#${rowAnchor(index)}`;
}

/** Target × `by`: the cost of one step of the parameter, next to the theory. */
function fits(
  { fits: all, theory, over, by, metric }: GrowthChart,
  { legend, id }: { readonly legend: Legend; readonly id: string },
): Html | false {
  if (all.length === 0) return false;
  const values = [...new Set(all.map((fit) => fit.by))];
  const ids = [...new Set(all.map((fit) => fit.targetId))];
  const known = theory.filter((one) => values.includes(one.by));
  const rows = values.map((value) => {
    const said = known.find((one) => one.by === value);
    const found = ids.map((target) =>
      fitOf(
        all.find((fit) => fit.by === value && fit.targetId === target),
        said,
      ),
    );
    return [html`<bdi>${value}</bdi>`, ...(known.length > 0 ? [theoryOf(said)] : []), ...found];
  });
  return html`<p>
      How ${metric} grows when ${over} grows by 1: a line through the logarithms of the medians,
      with its ${formatConfidence(all[0]?.confidence ?? 0)} interval; 1× is no
      growth.${known.length > 0 && html` Beside it what theory says of the number of operations; a fixed cost at small ${over} makes the fitted growth smaller.`}
      A curve that is not straight above has no one growth, and its interval does not say so.
    </p>
    ${table({
      id,
      caption: html`Growth of ${metric} for each step of ${over}`,
      columns: [
        { title: by === '' ? 'Curve' : by },
        ...(known.length > 0 ? [{ title: 'In theory', kind: 'number' as const }] : []),
        ...ids.map((target) => ({ title: colouredName(legend(target)), kind: 'number' as const })),
      ],
      groups: [{ rows }],
    })}`;
}

function theoryOf(theory: GrowthTheory | undefined): Html {
  if (theory === undefined) return html`${missingMark}`;
  return html`${theory.label} ${formatRatioTick(Number(theory.perStep.toPrecision(4)))}`;
}

function fitOf(fit: GrowthFit | undefined, theory: GrowthTheory | undefined): Html {
  if (fit === undefined) return html`${missingMark}`;
  const { ratio, interval } = formatRatioEstimate({ ...fit, ratio: fit.perStep }, 0);
  const small = html`<small>${interval}, ${plural(fit.points, 'point')}</small>`;
  return html`<b>${ratio}</b>${small}${theory !== undefined && agreement(fit, theory)}`;
}

/**
 * Says by symbol and word whether the interval of the fit contains the theory. One that also holds no
 * growth at all says nothing for a theory.
 */
function agreement({ low, high }: GrowthFit, { perStep, label }: GrowthTheory): Html {
  const holds = (growth: number): boolean => low <= growth && growth <= high;
  if (!holds(perStep)) return html`<span class="tag">✗ excludes ${label}</span>`;
  if (holds(1)) return html`<span class="tag">? too wide for ${label}</span>`;
  return html`<span class="tag good">✓ holds ${label}</span>`;
}

/** Text alternative: the ends of every curve. */
function inWords(
  chart: GrowthChart,
  { panel, legend }: { readonly panel: string; readonly legend: Legend },
): string {
  const own = chart.points.filter((point) => point.by === panel).toSorted((a, b) => a.x - b.x);
  const value = (y: number): string => formatQuantity(y, { unit: chart.unit, resolution: 0 });
  const curves = [...new Set(own.map((point) => point.targetId))].map((id) => {
    const curve = own.filter((point) => point.targetId === id);
    const [first, last] = [curve[0], curve.at(-1)];
    if (first === undefined || last === undefined) return '';
    return `${legend(id).label}: from ${value(first.y)} at ${chart.over} ${String(first.x)} to ${value(last.y)} at ${String(last.x)}`;
  });
  return `${chart.metric} of ${panel} over ${chart.over}. ${curves.join('. ')}.`;
}
