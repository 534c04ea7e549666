import type {
  Estimate,
  Findings,
  SteadyCell,
  SteadyFindings,
  SteadyMetric,
} from '../../harness/core/results/index.ts';
import type { PairVerdict, Verdicts } from '../../harness/core/results/verdicts.ts';
import { type Content, html, type Html, join } from '../html/escape.ts';
import type { Section } from './report.ts';
import {
  formatConfidence,
  formatCount,
  formatEstimate,
  formatQuantity,
  formatRatioEstimate,
  formatShare,
  missingMark,
  plural,
} from '../html/number.ts';
import { type Row, type RowGroup, table } from '../html/table.ts';
import { caseLabel, findVerdict } from '../wording/difference.ts';
import { colouredName, type Legend, targetName } from '../wording/legend.ts';
import { baselineName, openReason, verdictTag } from '../wording/verdicts.ts';
import { disturbance, meanings } from '../wording/warm-up.ts';
import { rowAnchor } from './comparison-table.ts';

/** How the trials of each case came to their speed, and what that took; nothing where it was not searched for. */
export const steadyStateSection: Section = {
  id: 'steady',
  title: 'Steady state',
  render: ({ findings, legend }) => {
    const { steady } = findings;
    if (steady === undefined || steady.cells.length === 0) return false;
    const shown = slowestToSettle(steady.cells);
    return html`<p>
      The iterations of a trial, from the very first call on, are one series. A search for its
      changes of speed splits it into segments; the timed window lies inside the last one.
      ${strikingWarmUp(findings, legend)} ${inconsistency(steady.cells)}
      ${disturbance(steady.cells.map(({ disturbed }) => disturbed))}
    </p>
    <details${shown.length <= mostOpen && html` open`}>
      <summary>
        Each case: its class, its first call, its time to steady state, and its CPU time
      </summary>
      ${timesTable(shown, { findings, legend, of: steady.cells.length })}
    </details>
    ${spreadDetails(shown, { findings, legend })} ${classKey(steady, findings.verdicts, legend)}`;
  },
};

/** A table of more lines is folded away: what is unusual is marked in the comparison, too. */
const mostOpen = 12;

function timesTable(
  shown: readonly SteadyCell[],
  { findings, legend, of }: ShownFindings & { readonly of: number },
): Html {
  const left =
    shown.length < of &&
    html`; the ${formatCount(shown.length)} lines that tell most of ${formatCount(of)}, the others
    are in the raw data`;
  const against = 'against baseline';
  return table({
    id: 'steady-table',
    caption: html`How trials ended, and medians over them with their intervals; the baseline is
    ${baselineName(findings.verdicts, legend)}${left}`,
    stack: true,
    columns: [
      { title: 'Browser' },
      { title: 'Trials by class', label: 'Trials' },
      { title: 'First call', label: 'First call', kind: 'number' },
      { title: against, label: 'First call against the baseline', kind: 'number' },
      { title: 'To steady state', label: 'To steady state', kind: 'number' },
      { title: against, label: 'To steady state against the baseline', kind: 'number' },
      { title: 'CPU time', label: 'CPU time', kind: 'number' },
      { title: against, label: 'CPU time against the baseline', kind: 'number' },
    ],
    groups: groupsOf(shown, { findings, row: (cell) => cellRow(cell, { findings, legend }) }),
  });
}

/** Most lines that the table of a large report has. */
const mostShown = 120;

/** In their order, those with the longest ways to a steady state. */
function slowestToSettle(cells: readonly SteadyCell[]): readonly SteadyCell[] {
  if (cells.length <= mostShown) return cells;
  // Infinity − Infinity would be no order.
  const weight = (cell: SteadyCell): number =>
    isConsistent(cell) ? (cell.steadyAfterMs?.median ?? Number.MAX_VALUE) : Number.MAX_VALUE;
  const chosen = new Set(cells.toSorted((a, b) => weight(b) - weight(a)).slice(0, mostShown));
  return cells.filter((cell) => chosen.has(cell));
}

/**
 * Tells whether all trials ended alike: in one class, at one speed. Those that are flat and those
 * that warm up both end at their fastest.
 */
function isConsistent({ classes, speeds }: SteadyCell): boolean {
  const endsFastest = classes.every(({ name }) => name === 'flat' || name === 'warm-up');
  return (classes.length === 1 || endsFastest) && speeds === undefined;
}

// ---------------------------------------------------------------- in sentences

/** A shorter warm-up than this is not mentioned. */
const strikingMs = 100;

/**
 * The longest way to a steady state, and the shortest one of another device in that case; of
 * targets most of whose trials had one.
 */
export function strikingWarmUp({ steady, rows }: Findings, legend: Legend): Html | false {
  const timed = (steady?.cells ?? []).flatMap((cell) =>
    cell.steadyAfterMs === null || !isMostlySteady(cell)
      ? []
      : [{ cell, ms: cell.steadyAfterMs.median }],
  );
  const [slowest] = timed.toSorted((a, b) => b.ms - a.ms);
  if (slowest === undefined || slowest.ms < strikingMs) return false;
  const { caseName, targetId } = slowest.cell;
  const [quickest] = timed
    .filter(({ cell }) => cell.caseName === caseName && cell.targetId !== targetId)
    .toSorted((a, b) => a.ms - b.ms);
  const index = rows.findIndex((row) => row.caseName === caseName);
  const name = html`<bdi>${caseLabel(rows, caseName)}</bdi>`;
  const place = index === -1 ? name : html`<a href="#${rowAnchor(index)}">${name}</a>`;
  const other =
    quickest !== undefined &&
    html`; ${targetName(legend(quickest.cell.targetId))} ${milliseconds(quickest.ms)}`;
  return html`${targetName(legend(targetId))} needs ${milliseconds(slowest.ms)} to reach its speed
  in ${place}${other}.`;
}

function isMostlySteady({ classes, trials }: SteadyCell): boolean {
  const without = classes.find(({ name }) => name === 'no steady state')?.trials ?? 0;
  return 2 * without < trials;
}

function inconsistency(cells: readonly SteadyCell[]): Html {
  const many = cells.filter((cell) => !isConsistent(cell)).length;
  const two = cells.filter(({ speeds }) => speeds !== undefined).length;
  const all = plural(cells.length, 'case in a browser', 'cases × browsers');
  if (many === 0) return html`The trials of each of ${all} ended alike.`;
  const more =
    two > 0 &&
    html` ${formatCount(two)} of them ${two === 1 ? 'has' : 'have'} two speeds: the comparison shows
    both, and no median between them.`;
  return html`Of ${all} ${formatCount(many)} ${many === 1 ? 'is' : 'are'} inconsistent: trials ended
  in different classes, or at different speeds.${more}`;
}

/** Explains the words of the table. */
function classKey({ cells }: SteadyFindings, verdicts: Verdicts, legend: Legend): Html {
  const seen = new Set(cells.flatMap(({ classes }) => classes.map(({ name }) => name)));
  const words = [...seen].flatMap((name) => {
    const meaning = meanings[name];
    return meaning === undefined ? [] : [html`<b>${name}</b>: ${meaning}`];
  });
  return html`<details>
    <summary>What the words mean</summary>
    <p>
      ${join(words, '; ')}. <b>noisy</b>: one speed in the window, and iterations that differ a lot
      all the same. <b>inconsistent</b>: several trials end in different classes (other than flat
      and warm-up, which both end at their fastest) or at different speeds. The classes are those of
      <a href="https://doi.org/10.1145/3133876" rel="noreferrer">Barrett et al. 2017</a>. Trials
      without a steady state are left out of the time to it. <b>CPU time</b>: how long the thread
      that measures was on a core, for one operation of the window, and not while others had its
      core. What other threads did meanwhile, as a collector, is not in it. <b>compilers</b>: what
      their threads used of the window's time; at most that much, where a collector shares those
      threads. Verdicts are set against ${baselineName(verdicts, legend)} block by block as in the
      comparison, and differences stand among all of this table.
    </p>
  </details>`;
}

// ---------------------------------------------------------------- the tables

interface ShownFindings {
  readonly findings: Findings;
  readonly legend: Legend;
}

function groupsOf(
  cells: readonly SteadyCell[],
  { findings, row }: { readonly findings: Findings; readonly row: (cell: SteadyCell) => Row },
): readonly RowGroup[] {
  return [...new Set(cells.map(({ caseName }) => caseName))].map((name) => {
    const index = findings.rows.findIndex(({ caseName }) => caseName === name);
    return {
      title: html`<a href="#${rowAnchor(index)}"><bdi>${name}</bdi></a>`,
      rows: cells.filter(({ caseName }) => caseName === name).map(row),
    };
  });
}

function cellRow(cell: SteadyCell, { findings, legend }: ShownFindings): Row {
  const { targetId, caseName, firstMs, steadyAfterMs, cpuMs, compilers } = cell;
  const against = (metric: SteadyMetric): Content => {
    if (targetId === findings.verdicts.baselineTargetId)
      return html`<span class="soft">baseline</span>`;
    const pair = findings.steady?.verdicts.find(
      ({ a, metric: own }) => a.targetId === targetId && a.caseName === caseName && own === metric,
    );
    return pair === undefined ? missingMark : relation(pair, findings.verdicts);
  };
  return [
    colouredName(legend(targetId)),
    [
      classesOf(cell, findings.rows),
      !isConsistent(cell) && html` <span class="tag">inconsistent</span>`,
      compilers !== undefined && html`<br /><small>${compilersText(compilers)}</small>`,
    ],
    estimate(firstMs),
    against('first call'),
    steadyAfterMs === null ? missingMark : estimate(steadyAfterMs),
    against('time to steady state'),
    ...('why' in cpuMs
      ? [html`<span class="missing">${missingMark} ${cpuMs.why}</span>`]
      : [estimate(cpuMs), against('CPU time')]),
  ];
}

/** `flat in 6, warm-up in 2`, and two speeds with their shares. */
function classesOf(cell: SteadyCell, rows: Findings['rows']): Content {
  const { classes, trials, noisy } = cell;
  const [only, ...others] = classes;
  const counts =
    others.length === 0
      ? `${only?.name ?? ''} in all ${formatCount(trials)}`
      : classes.map(({ name, trials: count }) => `${name} in ${formatCount(count)}`).join(', ');
  const told = speedsOf(cell, rows);
  return [
    counts,
    noisy > 0 && `; noisy in ${formatCount(noisy)}`,
    told !== '' && html`<br /><small>${told}</small>`,
  ];
}

/** `compilers used at most 0.3 %`: idle ones speak for the class, and do not decide it. */
function compilersText({ share, atMost }: NonNullable<SteadyCell['compilers']>): string {
  const used = formatShare(share);
  return `compilers used ${atMost && !used.startsWith('<') ? 'at most ' : ''}${used} of the window`;
}

/** `1.10 ms in 6 of 8 trials, 5.1 ms in 2`; empty where all trials have one speed. */
function speedsOf(
  { speeds = [], trials, unit, caseName, targetId }: SteadyCell,
  rows: Findings['rows'],
): string {
  const measured = rows
    .find((row) => row.caseName === caseName)
    ?.cells.find((cell) => cell.targetId === targetId);
  const resolution = measured?.kind === 'measured' ? measured.resolution : 0;
  return speeds
    .map(({ value, trials: count }, i) => {
      const of = i === 0 ? ` of ${plural(trials, 'trial')}` : '';
      return `${formatQuantity(value, { unit, resolution })} in ${formatCount(count)}${of}`;
    })
    .join(', ');
}

/** A median, and its interval where there is more than one trial. */
function estimate({ confidence, ...known }: Estimate): Html {
  const { median, interval } = formatEstimate(known, { unit: 'ms', resolution: 0 });
  const sure = confidence < 0.95 - 1e-9 ? `, ${formatConfidence(confidence)} sure` : '';
  return html`<b>${median}</b>${known.low < known.high && html`<small>${interval}${sure}</small>`}`;
}

/** The verdict against the baseline, with its ratio and interval. */
function relation(pair: PairVerdict, verdicts: Verdicts): Html {
  const { ratio, low, high, because } = pair;
  const shown = formatRatioEstimate({ ratio, low: low ?? ratio, high: high ?? ratio }, 0);
  const notes = [low === null ? '' : shown.interval, openReason(pair, verdicts)];
  return html`${because !== 'too-few-blocks' && verdictTag(findVerdict(pair))}
  ${shown.ratio}${notes.map((note) => note !== '' && html`<small>${note}</small>`)}`;
}

/** Where the spread comes from, and how long a session should time. */
function spreadDetails(
  cells: readonly SteadyCell[],
  { findings, legend }: ShownFindings,
): Html | false {
  const known = cells.filter(({ spread }) => spread !== null);
  if (known.length === 0) return false;
  return html`<details>
    <summary>Where the spread comes from, and how long to time</summary>
    <p>
      Standard deviations of the logarithms: between the iterations of one stretch of the last
      segment (a fifth of it, or half a second of a long one), between the stretches of a session,
      and between sessions, each beyond what the ones inside explain. The window that would be best
      gives the narrowest interval in the same time of the farm: a longer one where sessions are
      dear and alike (<a href="https://doi.org/10.1145/2464157.2464160" rel="noreferrer"
        >Kalibera and Jones 2013</a
      >).
      ${
        known.some(({ windowMs }) => windowMs.then !== undefined) &&
        html`After the first round of the comparison it was set so from the trials of that round, to
        one length for both sides.`
      }
    </p>
    ${table({
      id: 'steady-spread',
      caption: 'Spread by level, and the timed window',
      hideCaption: true,
      stack: true,
      columns: [
        { title: 'Browser' },
        { title: 'Iterations', label: 'Iterations', kind: 'number' },
        { title: 'Inside a session', label: 'Inside a session', kind: 'number' },
        { title: 'Sessions', label: 'Sessions', kind: 'number' },
        { title: 'Window', label: 'Window', kind: 'wide' },
      ],
      groups: groupsOf(known, { findings, row: (cell) => spreadRow(cell, legend) }),
    })}
  </details>`;
}

function spreadRow({ targetId, spread, windowMs }: SteadyCell, legend: Legend): Row {
  const { iterations = NaN, stretches = NaN, sessions = NaN } = spread ?? {};
  return [
    colouredName(legend(targetId)),
    ...[iterations, stretches, sessions].map(formatShare),
    advice(windowMs),
  ];
}

/** A window within this factor of the best one is as good: the optimum is flat, and its estimate rough. */
const goodEnough = 2;

/** No advice goes beyond ten seconds: the spread of a few sessions does not reach further. */
const longestMs = 10_000;

function advice({ was: first, then, best }: SteadyCell['windowMs']): string {
  const was = then ?? first;
  const now =
    then === undefined
      ? `it was ${milliseconds(first)}`
      : `it was ${milliseconds(first)} in the first round, and ${milliseconds(then)} then`;
  if (best === null) return `${now}; what is best cannot be told`;
  if (best > longestMs) return `as long as you like: sessions hardly differ; ${now}`;
  const isGood = best < was * goodEnough && best > was / goodEnough;
  return isGood
    ? `about right: ${now}, ${milliseconds(best)} would be best`
    : `a window of ${milliseconds(best)} would be best; ${now}`;
}

function milliseconds(value: number): string {
  return formatQuantity(value, { unit: 'ms', resolution: 0 });
}
