/** A published chart with new numbers, as a separate picture for a page of Markdown. */
import type { Findings, RebuiltChart } from '../../../core/results/index.ts';
import { type CurvePoint, drawPanel } from '../../../../reports/html/charts.ts';
import { coreHeatMap } from '../../../../reports/html/cpu-chart.ts';
import { html, renderMarkup, raw, type Html } from '../../../../reports/html/escape.ts';
import { formatQuantity } from '../../../../reports/html/number.ts';
import { colours, shadeClasses } from '../../../../reports/html/style.ts';

/**
 * SVG with its own stylesheet, for both colour schemes; null if the run has nothing to be drawn.
 * The parts that Plot and the report draw have their own coordinates, and lie below each other.
 */
export async function drawStudyPicture(
  chart: RebuiltChart,
  { cpu }: Pick<Findings, 'cpu'>,
): Promise<string | null> {
  const parts = chart.kind === 'curves' ? await curveParts(chart) : coreParts(chart, cpu);
  if (parts.length === 0) return null;
  const placed = below(parts);
  return renderMarkup(
    html`<svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox="0 0 ${width} ${placed.height}"
      width="${1.6 * width}"
      height="${Math.round(1.6 * placed.height)}"
      role="img"
      aria-label="${chart.title}"
    >
      <style>
        ${raw(style)}
      </style>
      <rect width="100%" height="100%" fill="var(--page)" />
      ${placed.content}
    </svg> `,
  );
}

const width = 356;
const margin = 8;
const lineHeight = 16;

const style = [
  colours,
  'svg{color:var(--ink);font:11px system-ui,sans-serif;overflow:visible}text{fill:currentColor}',
  '.k text{fill:var(--soft);font-size:10px}.k .e{text-anchor:end}',
  '.k .h{fill:none;stroke:var(--c0);stroke-width:11}',
  ...shadeClasses,
].join('');

interface Part {
  readonly height: number;
  readonly content: Html;
}

function below(parts: readonly Part[]): Part {
  let y = margin;
  const content = parts.map((part) => {
    const at = y;
    y += part.height;
    return html`<g transform="translate(${margin},${at})">${part.content}</g>`;
  });
  return { height: y + margin, content: html`${content}` };
}

async function curveParts({
  over,
  unit,
  curves,
  title,
  id,
}: Extract<RebuiltChart, { kind: 'curves' }>): Promise<readonly Part[]> {
  const points = curves.flatMap(({ points: own }, curve) =>
    own.map(({ x, value, low, high }): CurvePoint => ({
      curve,
      panel: '',
      x,
      y: value,
      low: low ?? value,
      high: high ?? value,
    })),
  );
  // A clock may show none of them.
  if (!points.some(({ y }) => y > 0)) return [];
  const { svg, marks, ...size } = await drawPanel({
    id,
    title,
    caption: '',
    xLabel: over,
    yLabel: 'one call',
    unit,
    twin: false,
    curves: curves.map(({ label }, colour) => ({ label, colour })),
    points,
    describePanel: () => title,
  });
  const legend = curves.map(({ label }, index): Part => {
    const mark = html`<path
      transform="translate(6,8)"
      fill="var(--c${index})"
      d="${marks[index] ?? ''}"
    />`;
    return { height: lineHeight, content: html`${mark}<text x="16" y="12">${label}</text>` };
  });
  return [...legend, { height: size.height, content: raw(svg) }];
}

function coreParts(
  { calls }: Extract<RebuiltChart, { kind: 'cores' }>,
  cpu: Findings['cpu'],
): readonly Part[] {
  return calls.flatMap(({ label, caseName, targetId }): readonly Part[] => {
    const facts = cpu.find((one) => one.caseName === caseName && one.targetId === targetId);
    if (facts === undefined || !('busy' in facts.cores)) return [];
    const { picture, cores } = coreHeatMap(facts.cores.busy, label);
    const words = `${label}: ${formatQuantity(facts.wallMs, { unit: 'ms', resolution: 1 })}`;
    // A picture of the report is 270 wide, and states no height.
    const height = cores.length * 14 * (330 / 270);
    const sized = renderMarkup(picture).replace(
      '<svg ',
      `<svg width="330" height="${String(height)}" `,
    );
    return [
      { height: lineHeight + 4, content: html`<text y="12">${words}</text>` },
      { height: height + 10, content: raw(sized) },
    ];
  });
}
