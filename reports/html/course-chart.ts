/** How one trial's speed went, in a few hundred bytes: whole pixels, coloured by the stylesheet. */
import { html, raw, type Html } from './escape.ts';
import { formatTick } from './number.ts';

const width = 270;
const left = 46;
const plotWidth = width - left - 2;
const top = 4;
const plotHeight = 64;

export interface CourseChart {
  readonly points: readonly (readonly [endMs: number, value: number])[];
  readonly windowAtMs: number;
  readonly segments: readonly {
    readonly fromMs: number;
    readonly toMs: number;
    readonly level: number;
  }[];
  /** Ends of the logarithmic axis, which all targets of a case share. */
  readonly ends: readonly [least: number, most: number];
  readonly unit: string;
  readonly label: string;
}

/** Iterations as dots, segments as lines, the timed window as a pale stripe. */
export function courseChart({
  points,
  windowAtMs,
  segments,
  ends,
  unit,
  label,
}: CourseChart): Html {
  const last = points.reduce((most, [ms]) => Math.max(most, ms), windowAtMs) || 1;
  const x = (ms: number): number => left + Math.round((Math.min(ms, last) / last) * plotWidth);
  const [least, most] = ends;
  const y = (value: number): number =>
    top + Math.round((1 - Math.log(value / least) / Math.log(most / least)) * plotHeight);
  const base = top + plotHeight;
  const dots = points
    .filter(([, value]) => value > 0)
    .map(([ms, value]) => `M${String(x(ms))} ${String(y(value))}z`);
  const lines = segments
    .filter(({ level }) => level > 0)
    .map(
      ({ fromMs, toMs, level }) => `M${String(x(fromMs))} ${String(y(level))}H${String(x(toMs))}`,
    );
  const tick = (value: number, of: string): string =>
    formatTick(value, { unit: of, resolution: 0 });
  return html`<svg class="k" viewBox="0 0 ${width} ${base + 14}" role="img" aria-label="${label}">
    ${raw(`<path class="win" d="M${String(x(windowAtMs))} ${String(top)}H${String(left + plotWidth)}V${String(base)}H${String(x(windowAtMs))}z"/><path class="f" d="M${String(left)} ${String(top)}V${String(base)}h${String(plotWidth)}"/><path class="dot" d="${dots.join('')}"/><path class="seg" d="${lines.join('')}"/>`)}
    <text x="0" y="${top + 8}">${tick(most, unit)}</text>
    <text x="0" y="${base}">${tick(least, unit)}</text>
    <text x="${left}" y="${base + 12}">0</text>
    <text class="e" x="${width}" y="${base + 12}">${tick(last, 'ms')}</text>
  </svg>`;
}
