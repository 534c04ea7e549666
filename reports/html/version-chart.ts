/**
 * A value against versions, on a linear axis. Each version is a mark that a reader can point at, or reach
 * by keyboard: what is known of it then stands above the chart, without a script. Places are percentages,
 * so that text never shrinks.
 */
import { html, raw, type Html } from './escape.ts';
import { findEnds, linearTicks } from './axes.ts';

export interface VersionMark {
  /** Place among the versions: a number of a version, or its order. */
  readonly x: number;
  readonly label: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Where the mark leads: the anchor of its row. */
  readonly href: string;
  /** The two lines that stand above the chart. */
  readonly words: readonly [string, string];
}

/** A change between two versions that follow each other among the marks. */
export interface VersionStep {
  readonly from: number;
  readonly to: number;
  readonly isSlower: boolean;
}

export interface VersionChart {
  /** The content of the chart, for screen readers. */
  readonly label: string;
  readonly marks: readonly VersionMark[];
  /** Numbered in their order. */
  readonly steps: readonly VersionStep[];
  readonly formatValue: (value: number) => string;
}

export const versionChartStyle = `
.versions{margin:1rem 0 1.5rem}.versions svg{width:100%;font-size:12px}.versions text{fill:var(--soft);font-variant-numeric:tabular-nums}
.versions .g{stroke:var(--line)}.versions .l{stroke:var(--c0);stroke-width:2}.versions .i{stroke:var(--c0);stroke-width:5;stroke-opacity:.3}
.versions .dot{fill:var(--c0);stroke:var(--page);stroke-width:1.5}.versions .hit{fill:transparent}
.versions .worse{fill:var(--s1)}.versions .better{fill:var(--f1)}.versions .number{text-anchor:middle;font-weight:600;fill:var(--ink)}.versions .x{text-anchor:middle}
.versions .words{visibility:hidden}.versions .words .first{font-weight:600;fill:var(--ink)}.versions a:hover .words,.versions a:focus .words{visibility:visible}
.versions a:hover .dot,.versions a:focus .dot{stroke:var(--ink);stroke-width:3}.versions a:focus{outline:none}.versions a:focus-visible .hit{fill:var(--ink);fill-opacity:.08}
.versions:has(a:hover) .hint,.versions:has(a:focus) .hint{visibility:hidden}.versions a:focus:not(:hover) .words{visibility:visible}.versions:has(a:hover) a:focus:not(:hover) .words{visibility:hidden}`;

const height = 380;
/** Of the words above, of the numbers of changes, and of the axis below. */
const top = 76;
const bottom = height - 30;
/** Shares of the width that the labels of the axis, and half a label of a version, take. */
const [left, right] = [0.13, 0.96];

interface Scale {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly from: number;
  readonly to: number;
}

/** Draws the marks of versions in the order of their places, with the changes between them. */
export function drawVersions(chart: VersionChart): Html {
  const { label, marks, formatValue } = chart;
  const scale = makeScale(marks, { top, bottom, left, right });
  const ticks = linearTicks(scale.from, scale.to);
  const labelled = chooseLabels(chart);
  return html`<figure class="versions">
    <svg height="${height}" role="group" aria-label="${label}">
      ${drawSteps(chart, scale)}
      ${ticks.map((tick) => {
        const y = scale.y(tick).toFixed(1);
        return html`${raw(`<line class="g" x1="0" x2="100%" y1="${y}" y2="${y}"/>`)}<text
            x="0"
            y="${Number(y) - 4}"
            >${formatValue(tick)}</text
          >`;
      })}
      ${marks.filter(({ x }) => labelled.has(x)).map((mark) => html`<text class="x" x="${scale.x(mark.x)}%" y="${height - 8}">${mark.label}</text>`)}
      ${raw(drawLine(marks, scale))}
      <text class="hint" x="0" y="16">
        Point at a version, or go through them with the Tab key.
      </text>
      ${marks.map((mark, i) => drawMark(mark, hitArea(marks, i, scale), scale))}
    </svg>
    <figcaption class="soft">${axisNote(scale, formatValue)}</figcaption>
  </figure>`;
}

/** Versions that a change began with have a label, and others that do not touch one. */
function chooseLabels({ marks, steps }: VersionChart): ReadonlySet<number> {
  const places = marks.map(({ x }) => x);
  const [first, last] = findEnds(places);
  const least = (last - first) / 9;
  const chosen: number[] = [];
  for (const place of [...steps.flatMap(({ to }) => marks[to]?.x ?? []), first, last, ...places]) {
    if (chosen.every((one) => Math.abs(one - place) >= least)) chosen.push(place);
  }
  return new Set(chosen);
}

/** The same without words, for a card that leads to it. */
export function previewVersions(chart: VersionChart): Html {
  const small = { top: 6, bottom: 84, left: 0.02, right: 0.98 };
  const scale = makeScale(chart.marks, small);
  return html`<svg class="preview" height="90" aria-hidden="true">
    ${raw(drawLine(chart.marks, scale))}${chart.marks.map((mark) => raw(dot(mark, scale, 3)))}
  </svg>`;
}

function axisNote({ from, to }: Scale, formatValue: (value: number) => string): string {
  const cut = 'An interval that is longer than the chart is cut.';
  return from === 0
    ? `The axis begins at 0. ${cut}`
    : `The axis shows ${formatValue(from)} to ${formatValue(to)}; it does not begin at 0. ${cut}`;
}

interface Room {
  /** In pixels. */
  readonly top: number;
  readonly bottom: number;
  /** Shares of the width. */
  readonly left: number;
  readonly right: number;
}

function makeScale(marks: readonly VersionMark[], room: Room): Scale {
  const [from, to] = findLimits(marks);
  const [first, last] = findEnds(marks.map(({ x }) => x));
  const width = room.right - room.left;
  return {
    from,
    to,
    x: (value) => {
      const share = last > first ? (value - first) / (last - first) : 0.5;
      return Math.round((room.left + share * width) * 10_000) / 100;
    },
    y: (value) => {
      const inside = Math.min(to, Math.max(from, value));
      return room.bottom - ((inside - from) / (to - from)) * (room.bottom - room.top);
    },
  };
}

/** Values that differ by less than this share are not stretched over the whole height. */
const leastRange = 0.03;

/** The ends of the axis: those of the values, and of intervals as far as these leave the values readable. */
function findLimits(marks: readonly VersionMark[]): readonly [number, number] {
  const [least, most] = findEnds(marks.map(({ value }) => value));
  const room = Math.max(most - least, Math.abs(most) * leastRange);
  const [low, high] = findEnds([
    ...[least, most],
    ...marks.map((mark) => Math.max(mark.low, least - room / 2)),
    ...marks.map((mark) => Math.min(mark.high, most + room / 2)),
  ]);
  const edge = Math.max(room, high - low) * 0.08;
  // From a few times as much on, a length says how much.
  const from = least > 0 && low - edge < most / 3 ? 0 : low - edge;
  return [from, high + edge];
}

function drawSteps({ marks, steps }: VersionChart, scale: Scale): readonly Html[] {
  return steps.flatMap(({ from, to, isSlower }, i) => {
    const [before, since] = [marks[from], marks[to]];
    if (before === undefined || since === undefined) return [];
    const [x1, x2] = [scale.x(before.x), scale.x(since.x)];
    const tone = isSlower ? 'worse' : 'better';
    return raw(
      `<rect class="${tone}" x="${String(x1)}%" width="${Math.max(0, x2 - x1).toFixed(2)}%" y="52" height="${String(bottom - 52)}"/>` +
        `<text class="number" x="${((x1 + x2) / 2).toFixed(2)}%" y="67">${String(i + 1)}</text>`,
    );
  });
}

function drawLine(marks: readonly VersionMark[], scale: Scale): string {
  return marks
    .slice(1)
    .map((mark, i) => {
      const before = marks[i] ?? mark;
      return `<line class="l" x1="${String(scale.x(before.x))}%" y1="${scale.y(before.value).toFixed(1)}" x2="${String(scale.x(mark.x))}%" y2="${scale.y(mark.value).toFixed(1)}"/>`;
    })
    .join('');
}

function dot({ x, value }: VersionMark, scale: Scale, radius: number): string {
  return `<circle class="dot" cx="${String(scale.x(x))}%" cy="${scale.y(value).toFixed(1)}" r="${String(radius)}"/>`;
}

/** The strip around a mark that reaches half way to its neighbours: small marks are hard to point at. */
function hitArea(
  marks: readonly VersionMark[],
  i: number,
  { x }: Scale,
): readonly [number, number] {
  const at = (place: number): number | null => {
    const mark = marks[place];
    return mark === undefined ? null : x(mark.x);
  };
  const own = at(i) ?? 0;
  const [before, after] = [at(i - 1), at(i + 1)];
  return [
    before === null ? own - 2 : (before + own) / 2,
    after === null ? own + 2 : (own + after) / 2,
  ];
}

function drawMark(mark: VersionMark, [from, to]: readonly [number, number], scale: Scale): Html {
  const { low, high, href, words } = mark;
  const [first, second] = words;
  const x = `${String(scale.x(mark.x))}%`;
  return html`<a href="${href}" aria-label="${words.join(', ')}">
    ${raw(
      `<rect class="hit" x="${from.toFixed(2)}%" width="${(to - from).toFixed(2)}%" y="${String(top)}" height="${String(bottom - top)}"/>` +
        `<line class="i" x1="${x}" x2="${x}" y1="${scale.y(low).toFixed(1)}" y2="${scale.y(high).toFixed(1)}"/>${dot(mark, scale, 5)}`,
    )}
    <g class="words"
      ><text class="first" x="0" y="16">${first}</text><text x="0" y="34">${second}</text></g
    >
  </a> `;
}
