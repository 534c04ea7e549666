import type { WarmUpFacts } from '../harness/core/results/index.ts';
import { type Content, html, type Html, printable } from './html/escape.ts';
import {
  drawIterations,
  type IterationChart,
  poolIterations,
  type Pool,
} from './html/iteration-chart.ts';
import { formatCount, formatQuantity, plural, formatPlain, formatTick } from './html/number.ts';
import { page } from './html/page.ts';
import { type Row, table } from './html/table.ts';
import { explainWarmUp } from './wording/warm-up.ts';
import { findEnds } from './html/axes.ts';

/** One trial's iterations: a chart, and every number of it as a section. */
export async function warmUpParts(
  facts: WarmUpFacts,
): Promise<{ readonly chart: Html; readonly numbers: Html }> {
  const chart = await drawIterations({
    warmUp: facts.warmUp,
    timed: facts.timed,
    disturbed: facts.course?.disturbed ?? [],
    ...placesOf(facts),
    unit: facts.unit,
    yLabel: `↑ ${facts.metric} of one operation`,
    caption: captionOf(facts),
    label: `${plural(facts.warmUp.length, 'iteration')} before the window, then ${plural(facts.timed.length, 'timed one')}. The numbers are in the table below.`,
  });
  return { chart, numbers: numbersOf(facts) };
}

/** One trial's iterations as an HTML file: a chart, its explanation in words, and the numbers. */
export async function renderWarmUp(facts: WarmUpFacts): Promise<string> {
  const { chart, numbers } = await warmUpParts(facts);
  return page({
    title: facts.title,
    body: html`<a class="skip" href="#in-short">Skip to the findings</a>
      <header>
        <p class="kicker">crossfarm · warm-up of one trial</p>
        <h1><bdi>${facts.title}</bdi></h1>
        <p class="soft">
          Written <time datetime="${facts.writtenAt}">${facts.writtenAt}</time> by crossfarm
          ${facts.farmVersion}.
        </p>
      </header>
      <main>
        <section class="lead" aria-labelledby="in-short">
          <h2 id="in-short">In short</h2>
          ${explainWarmUp(facts).map((sentence) => html`<p>${sentence}</p> `)} ${origin(facts)}
          ${chart}
        </section>
        ${numbers}
      </main>`,
    data: { format: 'crossfarm-warm-up-2', ...facts },
  });
}

/** Older trials do not say when an iteration ended: theirs stand in order. */
function placesOf({
  warmUp,
  timed,
  course,
}: WarmUpFacts): Pick<IterationChart, 'places' | 'windowFrom' | 'segments' | 'xLabel'> {
  if (course === null) {
    return {
      places: Array.from({ length: warmUp.length + timed.length }, (_, i) => i + 1),
      windowFrom: warmUp.length + 0.5,
      segments: [],
      xLabel: 'iteration →',
    };
  }
  return {
    places: course.endMs,
    windowFrom: course.windowAtMs,
    segments: course.segments.map(({ fromMs, toMs, level }) => ({ from: fromMs, to: toMs, level })),
    xLabel: 'ms since the first call began →',
  };
}

function captionOf({ warmUp, timed, course, value }: WarmUpFacts): Content {
  const hidden = [...warmUp, ...timed].filter((value) => !(value > 0)).length;
  return html`Rings: before the timed window, from the very first call on; dots: the timed window,
  on the pale stripe after the dashed
  line${value.disturbed > 0 && '; crosses: iterations of it that do not count, because the machine ran slower than it can'}${course !== null && '; lines: the segments, each a stretch of one speed'}.
  Logarithmic
  axis.${hidden > 0 && html` ${plural(hidden, 'iteration')} lasted less than one step of the clock.`}`;
}

function origin({ run, block, target, chosen, caseName }: WarmUpFacts): Html {
  const facts = [
    ['Case', caseName],
    ['Browser', `${target.name} (${target.browser})`],
    ['Trial', `run ${String(run)}, block ${String(block)}: ${chosen}`],
  ] as const;
  return html`<dl class="facts">
    ${facts.map(
      ([label, text]) =>
        html`<dt>${label}</dt>
          <dd><bdi>${text}</bdi></dd> `,
    )}
  </dl>`;
}

const mostRows = 60;

/** Every iteration, pooled where there are too many to read. */
function numbersOf(facts: WarmUpFacts): Html {
  const { warmUp, timed, unit, resolution, course } = facts;
  const ended = (last: number): readonly string[] =>
    course === null
      ? []
      : [formatQuantity(course.endMs[last - 1] ?? NaN, { unit: 'ms', resolution: 0 })];
  const rowsOf = (values: readonly number[], from: number): readonly Row[] =>
    poolIterations(values, { from, most: mostRows }).map(({ first, last, low, middle, high }) => [
      first === last ? formatCount(first) : `${formatCount(first)}–${formatCount(last)}`,
      ...ended(last),
      ...[middle, low, high].map((value) => formatQuantity(value, { unit, resolution })),
    ]);
  return html`<section aria-labelledby="numbers">
    <h2 id="numbers">Every iteration</h2>
    ${table({
      id: 'numbers-caption',
      caption: html`${facts.metric} of one operation; neighbours are taken together where there are
      more than ${mostRows}`,
      columns: [
        { title: 'Iteration' },
        ...(course === null ? [] : [{ title: 'Ended after', kind: 'number' as const }]),
        { title: 'Median', kind: 'number' },
        { title: 'Least', kind: 'number' },
        { title: 'Most', kind: 'number' },
      ],
      groups: [
        { title: 'Before the window', rows: rowsOf(warmUp, 1) },
        { title: 'Timed', rows: rowsOf(timed, warmUp.length + 1) },
      ],
    })}
  </section> `;
}

const mostBars = { warmUp: 24, timed: 12 } as const;
const barWidth = 40;

/**
 * One trial's iterations for a terminal: a bar and a number for each, in order, and what they show
 * in words. Plain text without colours; invisible characters are stripped from all names.
 */
export function drawWarmUp(facts: WarmUpFacts): string {
  const { target, run, block, chosen } = facts;
  const warmUp = poolIterations(facts.warmUp, { from: 1, most: mostBars.warmUp });
  const timed = poolIterations(facts.timed, {
    from: facts.warmUp.length + 1,
    most: mostBars.timed,
  });
  const scale = scaleOver([...warmUp, ...timed]);
  const lines = [
    facts.title,
    `${target.name} (${target.browser}), run ${String(run)}, block ${String(block)}: ${chosen}`,
    '',
    `before the window: ${facts.metric} of one operation${orderNote(facts)}${scaleNote(scale, facts.unit)}`,
    ...warmUp.map((pool) => row(pool, { facts, scale })),
    'timed:',
    ...timed.map((pool) => row(pool, { facts, scale })),
    '',
    ...explainWarmUp(facts),
  ];
  return lines.map((line) => printable(line).replaceAll('\u00a0', ' ').trimEnd()).join('\n');
}

interface Scale {
  readonly from: number;
  readonly to: number;
  readonly logarithmic: boolean;
}

/** Linear from 0, unless the first calls are so slow that the others would have no bar at all. */
function scaleOver(pools: readonly Pool[]): Scale {
  const positive = pools.map(({ middle }) => middle).filter((value) => value > 0);
  if (positive.length === 0) return { from: 0, to: 1, logarithmic: false };
  const [least, most] = findEnds(positive);
  if (most / least <= 8) return { from: 0, to: most, logarithmic: false };
  return { from: least / 2, to: most, logarithmic: true };
}

function scaleNote({ from, to, logarithmic }: Scale, unit: string): string {
  const [low, high] = [from, to].map((end) => formatTick(end, { unit, resolution: 0 }));
  return logarithmic ? `; bars logarithmic, from ${String(low)} to ${String(high)}` : '';
}

/** Explains the left column: when the iterations ended, or their numbers where that is not known. */
function orderNote({ course }: WarmUpFacts): string {
  return course === null ? '' : ', by the time since the first call began';
}

function barOf(value: number, { from, to, logarithmic }: Scale): string {
  if (!(value > 0)) return '';
  const share = logarithmic
    ? Math.log(value / from) / Math.log(to / from)
    : (value - from) / (to - from);
  return '█'.repeat(Math.max(1, Math.round(share * barWidth)));
}

function row(
  pool: Pool,
  { facts, scale }: { readonly facts: WarmUpFacts; readonly scale: Scale },
): string {
  const { first, last, middle, count } = pool;
  const { unit, resolution, course } = facts;
  const numbers = first === last ? String(first) : `${String(first)}–${String(last)}`;
  const endMs = course?.endMs[last - 1];
  const place =
    endMs === undefined ? numbers : formatQuantity(endMs, { unit: 'ms', resolution: 0 });
  const value = formatQuantity(middle, { unit, resolution });
  const note =
    count > 1 && pool.high > pool.low ? `  up to ${formatPlain(pool.high / middle)}×` : '';
  return `${place.padStart(11)}  ${value.padStart(10)}  ${barOf(middle, scale)}${middle > 0 ? note : ''}`;
}
