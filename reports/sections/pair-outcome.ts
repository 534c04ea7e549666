import type { Findings } from '../../harness/core/results/index.ts';
import type { CarryOver, Course, PairVerdict } from '../../harness/core/results/verdicts.ts';
import { html, join, type Html, type Content } from '../html/escape.ts';
import {
  formatCount,
  formatRatioEstimate,
  formatRatioTick,
  formatLevel,
  missingMark,
  plural,
} from '../html/number.ts';
import { table } from '../html/table.ts';
import {
  axisNote,
  inBothAxes,
  type AxisKind,
  findEnds,
  linearTicks,
  ratioTicks,
  thinned,
} from '../html/axes.ts';
import { describeLevel, placedPairs, findVerdict, type PlacedPair } from '../wording/difference.ts';
import { targetName, type Legend } from '../wording/legend.ts';
import { noProof, seenWith } from './why.ts';
import {
  describeClaim,
  openReason,
  describeRatio,
  describeRelevance,
  verdictTag,
} from '../wording/verdicts.ts';
import type { PlotOptions } from '@observablehq/plot';
import { compact, openPlot } from '../html/plot.ts';

/** The first screen of a run that compared one pair: the verdict in words, and how it came about. */
export async function pairOutcome(findings: Findings, legend: Legend): Promise<Html | false> {
  const { course } = findings.verdicts;
  const [placed] = placedPairs(findings);
  if (course === null || placed === undefined) return false;
  const { margin, alpha, smallestBlocks } = findings.verdicts;
  const firstLook = course.looks[0]?.blocks ?? smallestBlocks;
  const chart = await drawRunningInterval({
    ...course,
    margin,
    caption: html`a / b in each block (dots), and its interval after each look (band, from block
    ${firstLook} on), which holds at every look at once with a probability of
    ${formatLevel(1 - alpha)}. Pale stripe: the margin. ${axisNote(chartAxes)}`,
    label: inWords(placed.pair, course.ratios),
  });
  const { verdict, why, proof } = outcomeOf(placed, findings, legend);
  return html`${verdict} ${why} ${sides(placed, legend)}
  ${chart}${blockByBlock(course)}${carriedOver(course.carryOver)}${proof}`;
}

/** The picture of the interval in numbers, for readers who cannot see it. */
function blockByBlock({ ratios, looks }: Course): Html {
  const after = new Map(looks.map(({ blocks, low, high }) => [blocks, { low, high }]));
  return html`<details>
    <summary>Block by block, in numbers</summary>
    ${table({
      id: 'course-table',
      caption: 'The ratio of each block, and the interval that is left after it',
      hideCaption: true,
      columns: [
        { title: 'Block' },
        { title: 'a / b', kind: 'number' },
        { title: 'Interval', kind: 'number' },
      ],
      groups: [
        {
          rows: ratios.map((ratio, i) => {
            const interval = after.get(i + 1);
            return [
              i + 1,
              shortRatio(ratio),
              interval === undefined
                ? missingMark
                : `${shortRatio(interval.low)} … ${shortRatio(interval.high)}`,
            ];
          }),
        },
      ],
    })}
  </details>`;
}

function shortRatio(ratio: number): string {
  return formatRatioTick(Number(ratio.toPrecision(4)));
}

/** The same without its picture; false where no pair was compared alone. */
export function pairSentences(findings: Findings, legend: Legend): Html | false {
  const [placed] = placedPairs(findings);
  if (findings.verdicts.course === null || placed === undefined) return false;
  const { verdict, why, proof } = outcomeOf(placed, findings, legend);
  return html`${verdict} ${why} ${sides(placed, legend)} ${proof}`;
}

/** Observations with the difference of the pair, and what would prove a cause; false without a difference. */
export function pairWhy(findings: Findings, legend: Legend): Html | false {
  const [placed] = placedPairs(findings);
  if (placed === undefined) return false;
  const { why, proof } = outcomeOf(placed, findings, legend);
  return why && html`${why} ${proof}`;
}

interface Outcome {
  readonly verdict: Html;
  /** Observations with a difference, and what would prove a cause; false without one. */
  readonly why: Html | false;
  readonly proof: Html | false;
}

function outcomeOf(placed: PlacedPair, findings: Findings, legend: Legend): Outcome {
  const word = findVerdict(placed.pair);
  const differs = word === 'slower' || word === 'faster';
  return {
    verdict: html`<p class="verdict">${verdictTag(word)} ${sentence(placed, findings, legend)}</p>`,
    why: differs && html`<p>${seenWith(placed, findings)}</p>`,
    proof: differs && noProof([placed], findings),
  };
}

/** Says whether trials affect the next one; silent on a side that has too few of either kind. */
function carriedOver({ a, b }: Course['carryOver']): Html | false {
  const texts = [...sideAfter('a', 'b', a), ...sideAfter('b', 'a', b)];
  if (texts.length === 0) return false;
  return html`<p class="soft">Carry-over from one trial to the next: ${join(texts, '; ')}.</p>`;
}

function sideAfter(side: string, other: string, seen: CarryOver | null): readonly Html[] {
  if (seen === null) return [];
  const { ratio, interval } = formatRatioEstimate(seen, 0);
  const isNothing = seen.low <= 1 && seen.high >= 1;
  return [
    html`${side} right after ${other} took ${ratio} as long as right after itself
    (${interval}${isNothing && ', which is compatible with none'})`,
  ];
}

const chartAxes = { twin: true, log: 'Logarithmic axis.', linear: 'Linear axis.' };

/** The verdict on the first side, with its evidence. */
function sentence(placed: PlacedPair, { verdicts }: Findings, legend: Legend): Html {
  const { pair } = placed;
  const { ratio, interval } = describeRatio(placed);
  const [a, b] = [pair.a, pair.b].map((side) => targetName(legend(side.targetId)));
  const reason = openReason(pair, verdicts);
  const relevance = describeRelevance(pair);
  const range =
    interval === null
      ? pair.blocks < verdicts.smallestBlocks
        ? html`there is no interval before block ${verdicts.smallestBlocks}`
        : html`there is no interval yet`
      : html`between ${interval} at every look`;
  return html`${a} ${describeClaim(pair, { ratio, other: html`${b}` })}; ${range},
  ${plural(pair.blocks, 'block')}, margin ± ${formatLevel(verdicts.margin)}, α =
  ${formatLevel(verdicts.alpha)}.${reason !== '' && html` Undecided: ${reason}.`}${relevance !== '' && html` <span class="soft">${relevanceSentence(pair, relevance)}</span>`}${meanNote(placed)}`;
}

/** The ratio of the means, which rare slow sessions move; false where nothing is known of it. */
function meanNote({ pair: { mean } }: PlacedPair): Html | false {
  if (mean === undefined || !Number.isFinite(mean.high)) return false;
  const { ratio, interval } = formatRatioEstimate(mean, 0);
  return html` <span class="soft">The ratio of the means is ${ratio} (${interval}).</span>`;
}

function relevanceSentence({ verdict }: PairVerdict, relevance: string): string {
  return verdict === 'equivalent' ? `There is ${relevance}.` : `The true ratio is ${relevance}.`;
}

function sides(placed: PlacedPair, legend: Legend): Html {
  const { pair, a, b } = placed;
  const described = [
    ['a', pair.a, a],
    ['b', pair.b, b],
  ] as const;
  return html`<dl class="facts">
    ${described.map(
      ([letter, side, cell]) =>
        html`<dt>${letter}</dt>
          <dd>
            ${targetName(legend(side.targetId))}, <bdi>${side.caseName}</bdi>:
            ${describeLevel(cell, placed.row.unit).centre} over ${plural(cell.trials, 'trial')}
          </dd> `,
    )}
  </dl>`;
}

function inWords({ low, high, ratio }: PairVerdict, ratios: readonly number[]): string {
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  const seen = formatRatioEstimate({ ratio, low: least, high: most }, 0);
  const blocks = `a / b in ${formatCount(ratios.length)} blocks: ${seen.interval}, about ${seen.ratio}.`;
  if (low === null || high === null) return `${blocks} No interval yet.`;
  return `${blocks} Interval after the last: ${formatRatioEstimate({ ratio, low, high }, 0).interval}.`;
}

/** How the interval of one ratio closed, block by block, with every block's own ratio as a dot. */

interface RunningChart {
  /** a / b of each block, in order. */
  readonly ratios: readonly number[];
  readonly looks: readonly {
    readonly blocks: number;
    readonly low: number;
    readonly high: number;
  }[];
  readonly margin: number;
  readonly caption: Content;
  /** Text alternative of the picture. */
  readonly label: string;
}

/** More ticks on the axis of blocks would touch each other. */
const mostTicks = 10;

/** Blocks to the right, ratios upward; the margin as a pale stripe around 1. */
async function drawRunningInterval(chart: RunningChart): Promise<Html> {
  const pictures = inBothAxes(await draw(chart, 'log'), await draw(chart, 'linear'));
  return html`<figure class="course">
    <div role="img" aria-label="${chart.label}">${pictures}</div>
    <figcaption>${chart.caption}</figcaption>
  </figure>`;
}

async function draw(chart: RunningChart, axis: AxisKind): Promise<string> {
  const { Plot, document } = await openPlot();
  const { ratios, looks, margin } = chart;
  const dots = ratios.map((ratio, i) => ({
    block: i + 1,
    ratio,
    title: `block ${String(i + 1)}: ${shortRatio(ratio)}`,
  }));
  const [from, to] = [0.5, dots.length + 0.5];
  const stripe = { x1: from, x2: to, y1: 1 / (1 + margin), y2: 1 + margin };
  const bound = { x: 'blocks', stroke: 'var(--c0)', strokeWidth: 1.75 } as const;
  const figure = Plot.plot({
    document,
    ...scalesOf(chart, [from, to], axis),
    marks: [
      Plot.rect([stripe], {
        x1: 'x1',
        x2: 'x2',
        y1: 'y1',
        y2: 'y2',
        fill: 'currentColor',
        fillOpacity: 0.1,
      }),
      Plot.ruleY([1], { stroke: 'currentColor', strokeDasharray: '5 4' }),
      Plot.areaY(looks, {
        x: 'blocks',
        y1: 'low',
        y2: 'high',
        fill: 'var(--c0)',
        fillOpacity: 0.2,
      }),
      Plot.lineY(looks, { ...bound, y: 'low' }),
      Plot.lineY(looks, { ...bound, y: 'high' }),
      Plot.dot(dots, { x: 'block', y: 'ratio', fill: 'var(--c1)', r: 3, title: 'title' }),
    ],
  });
  return compact(figure.outerHTML);
}

function scalesOf(
  { ratios, looks, margin }: RunningChart,
  span: [number, number],
  axis: AxisKind,
): PlotOptions {
  const [least, most] = findEnds([
    ...ratios,
    ...looks.flatMap(({ low, high }) => [low, high]),
    1 / (1 + margin),
    1 + margin,
  ]);
  const room = Math.max(1.01, (most / least) ** 0.08);
  const domain: [number, number] = [least / room, most * room];
  const blocks = ratios.map((_, i) => i + 1);
  return {
    className: 'plot',
    width: 520,
    height: 300,
    marginLeft: 58,
    marginTop: 28,
    marginBottom: 42,
    x: { domain: span, ticks: thinned(blocks, mostTicks), tickFormat: String, label: 'block →' },
    y: {
      type: axis,
      domain,
      ticks: (axis === 'log' ? ratioTicks : linearTicks)(...domain),
      tickFormat: formatRatioTick,
      label: '↑ a / b',
      grid: true,
    },
  };
}
