/**
 * CPU over time in a few hundred bytes: cores as a heat map, thread roles stacked, and both on the same
 * time axis. Whole pixels, one path for each shade or role; colours come from the stylesheet by class.
 */
import { html, raw, renderMarkup, type Html } from './escape.ts';
import { formatPlain } from './number.ts';

const width = 270;
const left = 38;
const plotWidth = 196;

/** More slices than pixels of a card would not be seen, and cost their bytes. */
const mostSteps = 240;
const mostCores = 16;
const rowHeight = 14;

/** Shades of a cell; an idle slice is not drawn. More of them could not be distinguished. */
const shades = 5;
/** Below this a core counts as idle: the kernel's own work. */
const idleShare = 0.02;

export interface CoreChart {
  readonly picture: Html;
  /** Mean share of each core that is drawn, and its number. */
  readonly cores: readonly { readonly core: number; readonly mean: number }[];
  readonly hidden: number;
}

/** Cores × time, the busiest cores when there are too many: the fuller the shade, the busier the slice. */
export function coreHeatMap(busy: readonly (readonly number[])[], label: string): CoreChart {
  const all = busy.map((slices, core) => ({ core, slices, mean: mean(slices) }));
  const shown =
    all.length <= mostCores
      ? all
      : all
          .toSorted((a, b) => b.mean - a.mean)
          .slice(0, mostCores)
          .toSorted((a, b) => a.core - b.core);
  const columns = Math.max(8, Math.floor(mostSteps / Math.max(1, shown.length)));
  const paths = Array.from({ length: shades }, () => '');
  const names = shown.map(({ core, slices, mean: share }, row) => {
    for (const cell of runsOf(pooled(slices, columns).map(shadeOf))) {
      if (cell.value === 0) continue;
      const at = `M${String(left + cell.from)} ${String(row * rowHeight + 6)}`;
      paths[cell.value - 1] += `${at}h${String(cell.to - cell.from)}`;
    }
    const base = String(row * rowHeight + 10);
    return (
      `<text x="0" y="${base}">core ${String(core)}</text>` +
      `<text class="e" x="${String(width)}" y="${base}">${String(Math.round(share * 100))} %</text>`
    );
  });
  const cells = paths.map((d, i) =>
    d === '' ? '' : `<path class="h h${String(i + 1)}" d="${d}"/>`,
  );
  return {
    picture: figure(label, Math.max(1, shown.length) * rowHeight, [
      titleOf('the fuller a slice, the busier its core'),
      ...names,
      ...cells,
    ]),
    cores: shown.map(({ core, mean: share }) => ({ core, mean: share })),
    hidden: all.length - shown.length,
  };
}

function shadeOf(share: number): number {
  return share < idleShare ? 0 : Math.min(shades, Math.ceil(share * shades));
}

/**
 * Runs of one value, in whole pixels of the plot; runs that would be narrower than one are left
 * out.
 */
function runsOf(
  values: readonly number[],
): readonly { readonly value: number; readonly from: number; readonly to: number }[] {
  const edge = (i: number): number => Math.round((i / values.length) * plotWidth);
  const starts = values.map((_, i) => i).filter((i) => i === 0 || values[i] !== values[i - 1]);
  return starts
    .map((start, i) => ({
      value: values[start] ?? 0,
      from: edge(start),
      to: edge(starts[i + 1] ?? values.length),
    }))
    .filter(({ from, to }) => to > from);
}

export interface RoleChart {
  readonly roles: readonly { readonly role: string; readonly busy: readonly number[] }[];
  /** Whole cores that the height spans, so that targets of one case can be compared. */
  readonly cores: number;
  readonly label: string;
}

const stackHeight = 56;
const mostStackSlices = 40;

/**
 * Roles stacked over time, in cores. Every role is painted down to the base, the topmost sum first,
 * so that only one edge of each has to be written.
 */
export function roleStack({ roles, cores, label }: RoleChart): Html {
  const base = stackHeight + 4;
  const sums: { readonly role: string; readonly sum: readonly number[] }[] = [];
  for (const { role, busy } of roles) {
    const below = sums.at(-1)?.sum;
    const slices = pooled(busy, mostStackSlices);
    sums.push({ role, sum: slices.map((value, i) => value + (below?.[i] ?? 0)) });
  }
  const lines = Array.from({ length: Math.min(cores, 16) + 1 }, (_, i) => {
    const share = i / Math.min(cores, 16);
    return `M${String(left)} ${String(Math.round(base - share * stackHeight))}h${String(plotWidth)}`;
  });
  const areas = sums.toReversed().map(({ role, sum }) => {
    const levels = sum.map((value) => Math.round(Math.min(1, value / cores) * stackHeight));
    const words = titleOf(role);
    return `<path class="${roleClass(role)}" d="${steps(levels, base)}">${words}</path>`;
  });
  return figure(label, base + 2, [
    `<text x="0" y="10">${String(cores)} ${cores === 1 ? 'core' : 'cores'}</text>`,
    `<text x="0" y="${String(base)}">0</text>`,
    `<path class="f" d="${lines.join('')}"/>`,
    ...areas,
  ]);
}

/** A step line over levels in pixels, closed at the base. */
function steps(levels: readonly number[], base: number): string {
  let path = `M${String(left)} ${String(base)}`;
  let drawnLevel = 0;
  let drawnTo = 0;
  levels.forEach((level, i) => {
    const from = Math.round((i / levels.length) * plotWidth);
    if (level === drawnLevel) return;
    path += `${from === drawnTo ? '' : `h${String(from - drawnTo)}`}v${String(drawnLevel - level)}`;
    drawnLevel = level;
    drawnTo = from;
  });
  return `${path}H${String(left + plotWidth)}V${String(base)}z`;
}

/** Stacked by role, in cores: the whole width is `cores`, so that bars of several targets can be compared. */
export function roleBar(
  roles: readonly { readonly role: string; readonly cores: number }[],
  { cores, label }: { readonly cores: number; readonly label: string },
): Html {
  let x = 0;
  const parts = roles.map(({ role, cores: share }) => {
    const from = x;
    x += (share / cores) * width;
    const length = x - from;
    if (length < 0.5) return '';
    // A thin gap separates roles without colour.
    return `<path class="${roleClass(role)}" d="M${from.toFixed(1)} 0h${Math.max(0.5, length - 1).toFixed(1)}v16H${from.toFixed(1)}z">${titleOf(`${role}: ${formatPlain(share)} cores`)}</path>`;
  });
  const ticks = Array.from({ length: Math.min(Math.floor(cores), 64) }, (_, i) => {
    const at = ((i + 1) / cores) * width;
    return `M${Math.min(at, width - 0.5).toFixed(1)} 0v20`;
  });
  return figure(label, 20, [`<path class="f" d="M0 16h270${ticks.join('')}"/>`, ...parts]);
}

function titleOf(words: string): string {
  return renderMarkup(html`<title>${words}</title>`);
}

function figure(label: string, height: number, parts: readonly string[]): Html {
  return html`<svg class="k" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    ${raw(parts.join(''))}
  </svg>`;
}

/** Roles that have a colour in the stylesheet; all others share the colour of `other`. */
const colouredRoles: ReadonlySet<string> = new Set([
  'js-main',
  'js-worker',
  'gc',
  'jit',
  'compositor',
  'io',
  'foreign',
]);

/** Class of a thread role. */
export function roleClass(role: string): string {
  return `r-${colouredRoles.has(role) ? role : 'other'}`;
}

/** Averages adjacent slices, so that at most `most` remain. */
export function pooled(slices: readonly number[], most: number): readonly number[] {
  const size = Math.ceil(slices.length / most);
  if (size <= 1) return slices;
  const groups = Math.ceil(slices.length / size);
  return Array.from({ length: groups }, (_, i) => mean(slices.slice(i * size, (i + 1) * size)));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
