import type { Findings, GrowthChart } from '../findings.ts';
import { drawCurves, type CurvePoint } from '../html/charts.ts';
import { html, type Html } from '../html/escape.ts';
import { formatQuantity } from '../html/number.ts';
import type { Legend } from './legend.ts';

/** How the metric grows with an integer parameter: one figure a chart, one panel for each value of `by`. */
export async function growthSection(findings: Findings, legend: Legend): Promise<Html | false> {
  const charts = findings.growth.filter((chart) => chart.points.length > 0);
  if (charts.length === 0) return false;
  const figures = await Promise.all(charts.map((chart, i) => draw(chart, { legend, index: i })));
  return html`<section aria-labelledby="growth">
    <h2 id="growth">Growth</h2>
    <p>
      Medians over a growing parameter, with their intervals as pale bars. On a logarithmic axis a
      straight line is exponential growth, and a constant gap is a constant factor. The numbers
      stand in the comparison above.
    </p>
    ${figures}
  </section> `;
}

async function draw(
  chart: GrowthChart,
  { legend, index }: { readonly legend: Legend; readonly index: number },
): Promise<Html> {
  const ids = [...new Set(chart.points.map((point) => point.targetId))];
  const points: CurvePoint[] = chart.points.map(({ targetId, by, ...point }) => ({
    ...point,
    curve: ids.indexOf(targetId),
    panel: by,
  }));
  return drawCurves({
    id: `growth-${String(index + 1)}`,
    title: html`<bdi>${chart.title}</bdi>`,
    caption: html`${chart.metric} over
    ${chart.over}${chart.by !== '' && html`, one panel for each ${chart.by}`}${chart.fixed !== '' && html`; ${chart.fixed}`}.
    Logarithmic axis.`,
    xLabel: `${chart.over} →`,
    yLabel: `↑ ${chart.metric}`,
    unit: chart.unit,
    curves: ids.map((id) => legend(id)),
    points,
    describePanel: (panel) => inWords(chart, { panel, legend }),
  });
}

/** The ends of every curve, which is what the picture says to who sees it. */
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
