import type { TruthChart } from '../../harness/core/results/index.ts';
import { type CurvePoint, drawCurves } from '../html/charts.ts';
import { type Content, html, type Html } from '../html/escape.ts';
import type { Section } from './report.ts';
import {
  formatEstimate,
  formatInterval,
  formatRatioEstimate,
  formatTick,
  missingMark,
  plural,
} from '../html/number.ts';
import { table } from '../html/table.ts';
import { axisNote, drawnTwice } from '../html/axes.ts';
import { colouredName, type Legend } from '../wording/legend.ts';

type Point = TruthChart['points'][number];

/** Recorded against known durations, on every target: the farm measured by itself. */
export const truthSection: Section = {
  id: 'truth',
  title: 'Recorded against true',
  render: async ({ findings, legend }) => {
    const charts = findings.truth.filter((chart) => chart.points.length > 0);
    if (charts.length === 0) return false;
    const twin = drawnTwice(findings);
    const figures = await Promise.all(
      charts.map((chart, index) => draw(chart, { legend, index, twin })),
    );
    return html`
      <p>
        The length of this work is known before it is timed, so what is recorded should be that
        length: a ratio of 1. Above 1, time went to something else: the call itself, or other
        programs of the machine.
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

async function draw(chart: TruthChart, { legend, index, twin }: Drawing): Promise<Html> {
  const ids = [...new Set(chart.points.map((point) => point.targetId))];
  const id = `truth-${String(index + 1)}`;
  const points: CurvePoint[] = chart.points.map((point) => ({
    curve: ids.indexOf(point.targetId),
    panel: chart.fixed,
    x: point.expected,
    y: point.recorded / point.expected,
    low: point.low / point.expected,
    high: point.high / point.expected,
    title: `${legend(point.targetId).label}: ${formatInterval({ ...point, y: point.recorded }, { unit: chart.unit, resolution: 0 })} recorded, ${formatTick(point.expected, { unit: chart.unit, resolution: 0 })} true`,
    href: `#${id}-numbers`,
  }));
  const figure = await drawCurves({
    id,
    title: html`<bdi>${chart.title}</bdi>`,
    caption: html`Recorded / true over the true length (${chart.parameter}), with the intervals of
    the medians as pale bars.
    ${axisNote({ twin, log: 'Logarithmic axes;', linear: 'Linear axis of ratios, logarithmic below;' })}
    dashed: 1.`,
    xLabel: 'true →',
    yLabel: '↑ recorded / true',
    unit: '×',
    xUnit: chart.unit,
    reference: 1,
    twin,
    curves: ids.map((target) => legend(target)),
    points,
    describePanel: () =>
      `Recorded / true over ${chart.parameter}. The numbers are in the table below.`,
  });
  return html`${figure}${numbers(chart, { legend, id: `${id}-numbers` })}`;
}

/** True length × target: what was recorded, and its ratio to the truth. */
function numbers(
  chart: TruthChart,
  { legend, id }: { readonly legend: Legend; readonly id: string },
): Html {
  const lengths = [...new Set(chart.points.map((point) => point.expected))];
  const ids = [...new Set(chart.points.map((point) => point.targetId))];
  const cellOf = (expected: number, targetId: string): Content => {
    const point = chart.points.find(
      (one) => one.expected === expected && one.targetId === targetId,
    );
    return point === undefined ? missingMark : recordedAgainstTrue(point, chart.unit);
  };
  return table({
    id,
    caption: html`Recorded / true, and ${chart.metric}
    recorded${chart.fixed !== '' && html` (${chart.fixed})`}`,
    columns: [
      { title: 'True' },
      ...ids.map((target) => ({ title: colouredName(legend(target)), kind: 'number' as const })),
    ],
    groups: [
      {
        rows: lengths
          .toSorted((one, other) => one - other)
          .map((expected) => [
            formatTick(expected, { unit: chart.unit, resolution: 0 }),
            ...ids.map((target) => cellOf(expected, target)),
          ]),
      },
    ],
  });
}

function recordedAgainstTrue(point: Point, unit: string): Html {
  const { recorded, low, high, expected, trials, resolution } = point;
  const shown = formatEstimate({ median: recorded, low, high }, { unit, resolution });
  const relative = { ratio: recorded / expected, low: low / expected, high: high / expected };
  const { ratio } = formatRatioEstimate(relative, resolution / expected);
  const small = html`<small>${shown.median}, ${plural(trials, 'trial')}</small>`;
  return html`<b>${ratio}</b>${small}`;
}
