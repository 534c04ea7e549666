/**
 * Drawings of versions of a page: the trials of each version on an axis that they share, and the ratio of
 * each block around 1. Places are percentages, so that a drawing is as wide as its column and no text shrinks.
 */
import { html, raw, type Html } from './escape.ts';
import { findEnds, linearTicks, logTicks, ratioTicks, thinned } from './axes.ts';

/** An axis of values or ratios: logarithmic where all of them are positive. */
export interface DuelAxis {
  readonly kind: 'log' | 'linear';
  readonly from: number;
  readonly to: number;
}

/** The values of a version in one browser. */
export interface DuelValues {
  /** Values that count, in the order of their trials. */
  readonly values: readonly number[];
  /** Values of excluded trials. */
  readonly excluded: readonly number[];
  readonly centre: number;
  readonly low: number;
  readonly high: number;
}

/** The ratio of a version to the first one, in one browser. */
export interface DuelRatios {
  /** Of each block, in the order of the blocks. */
  readonly blocks: readonly number[];
  readonly ratio: number;
  /** Null before there are enough blocks. */
  readonly low: number | null;
  readonly high: number | null;
  /** The interval after each look, while blocks are still added; none when left out. */
  readonly looks?: readonly Interval[] | undefined;
}

/** The interval after a number of blocks. */
interface Interval {
  readonly blocks: number;
  readonly low: number;
  readonly high: number;
}

/** Words for the tooltip of a mark. */
export type MarkWords = (value: number, index: number) => string;

/** Gives the address of the trial with a value, where it has a page. */
export type LinkTrial = (trial: {
  readonly caseName: string;
  readonly targetId: string;
  readonly metric: string;
  readonly value: number;
}) => string | undefined;

/** Address that a mark leads to, by its value. */
type MarkLink = (value: number) => string | undefined;

/** The stylesheet of a table of versions. */
export const duelStyle = `
.duel{margin:1.25rem 0;table-layout:fixed}.duel caption{position:static;max-width:52rem}
.duel th,.duel td{border:0;padding:.1rem .9rem .1rem 0;vertical-align:middle;min-width:0}
.duel .browser th{padding-top:1rem;border-top:1px solid var(--line);font-weight:600}.duel tbody th[scope=row]{padding-left:1.1rem}
.duel .undecided,.duel .slower,.duel .faster{white-space:normal}.duel thead th:first-child{width:17%}.duel thead th:nth-child(2){width:10%}.duel thead th:nth-child(3){width:30%}.duel thead th:nth-child(4){width:21%}
.duel small{display:block}.duel .axis td{padding-bottom:.6rem}.duel tbody{color:var(--ink)}.duel .part{fill:var(--t)}.duel .parts{list-style:none;margin:0;padding:0}.duel .parts li{margin:0}
.duel-strip{width:100%;overflow:hidden}.duel-strip .g{stroke:var(--line)}.duel-strip .one{stroke:var(--strong);stroke-dasharray:4 3}.duel-strip .same{fill:var(--wash)}
.duel-strip .band{fill:var(--t);fill-opacity:.22}.duel-strip .centre{stroke:var(--t);stroke-width:2}.duel-strip .dot{fill:var(--t);fill-opacity:.75}.duel-strip .ring{fill:var(--page);stroke:var(--t);stroke-width:1.25}.duel-strip .beyond{fill:var(--page);stroke:var(--bad);stroke-width:1.5}
@media(max-width:48rem){.duel tbody th[scope=row]{padding-left:0}.duel,.duel caption,.duel tbody{display:block}.duel thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.duel tr{display:grid;grid-template-columns:1fr auto;padding:.3rem 0}.duel .browser th{grid-column:1/-1}.duel td:nth-child(3),.duel td:nth-child(4),.duel td:nth-child(5),.duel .axis td,.duel .cpu td,.duel .explained td{grid-column:1/-1;padding-right:0}.duel td:nth-child(4){order:1}.duel td:nth-child(5){order:-1}.duel .axis td:first-child,.duel .axis td:last-child{display:none}.duel tr>th,.duel tr>td:nth-child(2){order:-2}}`;

const height = 30;
/** Share of the width that stays free at both ends, for marks and for the text of the last tick. */
const edge = 0.06;
const radius = 3.5;
/** More marks than this have no tooltip each: the page would grow by 100 bytes a trial. */
const mostTooltips = 200;
/** Browsers whose values span a larger ratio together have an axis each. */
const commonSpan = 2.5;
/** A value is drawn at the edge when it lies farther out than this many times the spread of most values. */
const farOut = 1.5;

/**
 * Returns the axis of each group of values (a browser's). Groups that lie close together share one; others
 * have an axis each that spans the same ratio, so that a difference of 10 % is as long in every group.
 */
export function makeAxes(groups: readonly (readonly number[])[]): readonly DuelAxis[] {
  const all = groups.flat();
  if (all.length === 0) return groups.map(() => ({ kind: 'linear', from: 0, to: 1 }));
  if (all.some((value) => value <= 0)) {
    const [from, to] = widened(...findLimits(all));
    return groups.map(() => ({ kind: 'linear', from, to }));
  }
  const limits = groups.map((values) => (values.length === 0 ? null : findLogLimits(values)));
  const known = limits.filter((one) => one !== null);
  const least = Math.min(...known.map(([from]) => from));
  const most = Math.max(...known.map(([, to]) => to));
  if (most / least <= commonSpan) {
    const axis = roomy({ kind: 'log', from: least, to: most });
    return groups.map(() => axis);
  }
  const span = Math.max(...known.map(([from, to]) => to / from));
  return limits.map((one) => {
    const middle = one === null ? 1 : Math.sqrt(one[0] * one[1]);
    const half = Math.sqrt(span);
    return roomy({ kind: 'log', from: middle / half, to: middle * half });
  });
}

/** Returns the axis of ratios, which holds 1 and the margin. */
export function makeRatioAxis(ratios: readonly number[], margin: number): DuelAxis {
  const inside = ratios.filter((ratio) => ratio > 0 && Number.isFinite(ratio));
  const seen = inside.length === 0 ? [] : findLogLimits(inside);
  const [from, to] = findEnds([...seen, 1 / (1 + margin) ** 1.5, (1 + margin) ** 1.5]);
  return roomy({ kind: 'log', from, to });
}

/** Values that differ by less than this are not stretched over the whole width. */
function roomy({ kind, from, to }: DuelAxis): DuelAxis {
  const least = 1.02;
  const middle = Math.sqrt(from * to);
  const half = Math.sqrt(Math.max(least, to / from));
  return { kind, from: middle / half, to: middle * half };
}

function widened(from: number, to: number): [number, number] {
  return to > from ? [from, to] : [from - 1, to + 1];
}

function findLogLimits(values: readonly number[]): [number, number] {
  const [from, to] = findLimits(values.map(Math.log));
  return [Math.exp(from), Math.exp(to)];
}

/** The ends of values, without the few that lie far from all others. */
function findLimits(values: readonly number[]): [number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const [low, high] = [at(0.1), at(0.9)];
  const reach = farOut * (high - low);
  const inside = reach === 0 ? sorted : sorted.filter((v) => v >= low - reach && v <= high + reach);
  return findEnds(inside);
}

/** Place on an axis in per cent of the width; values beyond it are placed at its edge. */
function place({ kind, from, to }: DuelAxis, value: number): string {
  const share =
    kind === 'log' ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
  const inside = edge + Math.min(1, Math.max(0, share)) * (1 - 2 * edge);
  return `${String(Math.round(inside * 10_000) / 100)}%`;
}

function lies({ from, to }: DuelAxis, value: number): boolean {
  return value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9);
}

/** Every trial as a dot, from the first at the top to the last, over the interval and the typical value. */
export function drawValues(
  values: DuelValues,
  axis: DuelAxis,
  words: MarkWords,
  link?: MarkLink,
): Html {
  const { centre, low, high } = values;
  return html`<svg class="duel-strip" height="${height}" aria-hidden="true">
    ${drawGrid(axis)}${band(axis, low, high)}${upright(axis, centre, 'centre')}
    ${dots(values.values, axis, { name: 'dot', words, link })}${dots(values.excluded, axis, {
      name: 'ring',
      words: (value) => `${words(value, -1)}, excluded`,
      link,
    })}
  </svg>`;
}

/**
 * The ratio of every block as a dot, over the margin (stripe), the interval (band) and the estimate (line).
 * With looks the band becomes narrower downwards: at the height of a block it is the interval after it.
 */
export function drawRatios(
  ratios: DuelRatios,
  axis: DuelAxis,
  { margin, words }: { readonly margin: number; readonly words: MarkWords },
): Html {
  const { ratio, low, high, blocks, looks = [] } = ratios;
  const left = low === null || high === null ? null : band(axis, low, high);
  return html`<svg class="duel-strip" height="${height}" aria-hidden="true">
    ${rectangle(axis, [1 / (1 + margin), 1 + margin], 'same')}${upright(axis, 1, 'one')}
    ${looks.length > 1 ? closing(looks, axis) : left}${upright(axis, ratio, 'centre')}
    ${dots(blocks, axis, { name: 'dot', words })}
  </svg>`;
}

/** The ticks of an axis with their texts. */
export function drawAxis(
  axis: DuelAxis,
  { of, text }: { readonly of: 'values' | 'ratios'; readonly text: (tick: number) => string },
): Html {
  const ticks = of === 'ratios' ? thinned(ratioTicks(axis.from, axis.to), 4) : chooseTicks(axis);
  return html`<svg class="line" height="18" aria-hidden="true">
    ${ticks.map((tick) => html`<text x="${place(axis, tick)}" y="13">${text(tick)}</text>`)}
  </svg>`;
}

function chooseTicks({ kind, from, to }: DuelAxis): readonly number[] {
  const ticks = kind === 'log' && to / from > 4 ? logTicks(from, to) : linearTicks(from, to);
  return thinned(ticks, 4);
}

function drawGrid(axis: DuelAxis): readonly Html[] {
  return chooseTicks(axis).map((tick) => upright(axis, tick, 'g'));
}

function upright(axis: DuelAxis, value: number, name: string): Html {
  if (!lies(axis, value)) return raw('');
  const x = place(axis, value);
  return raw(`<line class="${name}" x1="${x}" x2="${x}" y1="0" y2="${String(height)}"/>`);
}

function band(axis: DuelAxis, low: number, high: number): Html {
  return rectangle(axis, [low, high], 'band');
}

/** A slice for each look, from the block after the look before it to its own. */
function closing(looks: readonly Interval[], axis: DuelAxis): readonly Html[] {
  const most = looks.at(-1)?.blocks ?? 1;
  const heightOf = (blocks: number): number => Math.round((height * blocks) / most);
  return looks.map(({ blocks, low, high }, i) => {
    const from = heightOf(looks[i - 1]?.blocks ?? 0);
    return rectangle(axis, [low, high], 'band', [from, heightOf(blocks)]);
  });
}

function rectangle(
  axis: DuelAxis,
  [low, high]: readonly [number, number],
  name: string,
  [top, bottom]: readonly [number, number] = [0, height],
): Html {
  const [from, to] = [place(axis, low), place(axis, high)];
  const width = Math.max(0, parseFloat(to) - parseFloat(from)).toFixed(2);
  return raw(
    `<rect class="${name}" x="${from}" width="${width}%" y="${String(top)}" height="${String(bottom - top)}"/>`,
  );
}

interface DrawnMarks {
  readonly name: string;
  readonly words: MarkWords;
  readonly link?: MarkLink | undefined;
}

function dots(
  values: readonly number[],
  axis: DuelAxis,
  { name, words, link }: DrawnMarks,
): readonly Html[] {
  const room = height - 2 * (radius + 1.5);
  return values.map((value, i) => {
    const y = (radius + 1.5 + (room * (i + 0.5)) / values.length).toFixed(1);
    const beyond = lies(axis, value) ? '' : ' beyond';
    const at = html`class="${name + beyond}" cx="${place(axis, value)}" cy="${y}" r="${radius}"`;
    if (values.length > mostTooltips) return html`<circle ${at} />`;
    const mark = html`<circle ${at}><title>${words(value, i)}</title></circle>`;
    const href = link?.(value);
    // For a pointer: the drawing is hidden from others, and a list of the trials leads there.
    return href === undefined ? mark : html`<a href="${href}" tabindex="-1">${mark}</a>`;
  });
}
