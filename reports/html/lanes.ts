/**
 * Which thread was on which core when, one lane per core. A lane has a fixed number of columns:
 * each shows the role that had most of it.
 */
import { html, raw, type Html } from './escape.ts';
import { roleClass } from './cpu-chart.ts';

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly role: string;
}

export interface Lanes {
  readonly cores: readonly (readonly Span[])[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Labels of both ends of the time axis. */
  readonly ends: readonly [string, string];
  readonly label: string;
}

/** All lanes of a figure together: with one path step in each this is at most about 16 kB. */
const mostColumns = 1_600;
const widest = 640;
const mostLanes = 16;
/** A column of which less was used is idle. */
const idleShare = 0.15;

const laneHeight = 32;

/** The busiest cores when there are too many; labels stay as large as they are on any screen. */
export function drawLanes({ cores, fromMs, toMs, ends, label }: Lanes): Html {
  const all = cores.map((spans, core) => ({ core, spans: within(spans, fromMs, toMs) }));
  const shown = all
    .map((lane) => ({ ...lane, busyMs: busyOf(lane.spans) }))
    .toSorted((a, b) => b.busyMs - a.busyMs)
    .slice(0, mostLanes)
    .toSorted((a, b) => a.core - b.core);
  const columns = Math.min(widest, Math.floor(mostColumns / Math.max(1, shown.length)));
  const scale = columns / (toMs - fromMs);
  const paths = new Map<string, string>();
  shown.forEach(({ spans }, lane) => {
    const y = String(lane * laneHeight + 22);
    for (const { role, from, to } of columnRuns(spans, { fromMs, scale, columns })) {
      const name = roleClass(role);
      const step = `M${String(from)} ${y}h${String(to - from)}`;
      paths.set(name, (paths.get(name) ?? '') + step);
    }
  });
  const height = shown.length * laneHeight + 16;
  const names = shown.map(({ core, busyMs }, lane) => {
    const share = Math.round((100 * busyMs) / (toMs - fromMs));
    return html`<text y="${lane * laneHeight + 11}">core ${core}, ${share} % in use</text>`;
  });
  const marks = [...paths].map(
    ([name, d]) =>
      html`<path class="${name}" d="${d}"><title>${name.replace('r-', '')}</title></path>`,
  );
  return html`<svg class="lanes" height="${height}" role="img" aria-label="${label}">
      ${names}
      <svg viewBox="0 0 ${columns} ${height}" preserveAspectRatio="none">
        <path
          class="f"
          d="${raw(shown.map((_, i) => `M0 ${String(i * laneHeight + 30)}h${String(columns)}`).join(''))}"
        />
        ${marks}
      </svg>
      <text y="${height - 3}">${ends[0]}</text>
      <text class="e" x="100%" y="${height - 3}">${ends[1]}</text>
    </svg>
    ${all.length > shown.length && html`<p>The busiest ${shown.length} of ${all.length} cores are drawn.</p>`}`;
}

/** The parts of spans that lie between two instants. */
function within(spans: readonly Span[], fromMs: number, toMs: number): readonly Span[] {
  return spans
    .filter((span) => span.toMs > fromMs && span.fromMs < toMs)
    .map((span) => ({
      ...span,
      fromMs: Math.max(span.fromMs, fromMs),
      toMs: Math.min(span.toMs, toMs),
    }));
}

function busyOf(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + span.toMs - span.fromMs, 0);
}

interface Columns {
  readonly fromMs: number;
  /** Columns per millisecond. */
  readonly scale: number;
  readonly columns: number;
}

interface Run {
  readonly role: string;
  readonly from: number;
  to: number;
}

/** Runs of columns of one role, in order; idle ones are left out. */
function columnRuns(spans: readonly Span[], options: Columns): readonly Run[] {
  const shares = rolesByColumn(spans, options);
  const runs: Run[] = [];
  shares.forEach((roles, column) => {
    const role = mostOf(roles);
    const last = runs.at(-1);
    if (role === null) return;
    if (last?.role === role && last.to === column) last.to = column + 1;
    else runs.push({ role, from: column, to: column + 1 });
  });
  return runs;
}

/** How much of each column every role had. */
function rolesByColumn(
  spans: readonly Span[],
  { fromMs, scale, columns }: Columns,
): readonly ReadonlyMap<string, number>[] {
  const shares = Array.from({ length: columns }, () => new Map<string, number>());
  for (const span of spans) {
    const [from, to] = [(span.fromMs - fromMs) * scale, (span.toMs - fromMs) * scale];
    for (let column = Math.floor(from); column < Math.min(columns, Math.ceil(to)); column += 1) {
      const share = Math.min(to, column + 1) - Math.max(from, column);
      const roles = shares[column];
      roles?.set(span.role, (roles.get(span.role) ?? 0) + share);
    }
  }
  return shares;
}

function mostOf(roles: ReadonlyMap<string, number>): string | null {
  let most: string | null = null;
  let total = 0;
  for (const [role, share] of roles) {
    total += share;
    if (most === null || share > (roles.get(most) ?? 0)) most = role;
  }
  return total < idleShare ? null : most;
}
