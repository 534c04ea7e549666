import { type Axis, axisOver, type Strip } from '../client/strip.js';
import type { BenchmarkFacts, CaseRow, Cell, Findings } from '../../harness/core/results/index.ts';
import type { Verdicts } from '../../harness/core/results/verdicts.ts';
import { type Content, html, type Html, join } from '../html/escape.ts';
import type { Section } from './report.ts';
import {
  formatConfidence,
  formatCount,
  formatQuantity,
  missingMark,
  plural,
} from '../html/number.ts';
import { trialStrip } from '../html/strip.ts';
import { type Row, type RowGroup, table } from '../html/table.ts';
import {
  indexPairs,
  isBaseline,
  isDecidable,
  isMeasured,
  describeLevel,
  type MeasuredCell,
  type PairOf,
  placedPairs,
  findVerdict,
} from '../wording/difference.ts';
import { colouredName, type Legend } from '../wording/legend.ts';
import {
  baselineName,
  listNotes,
  describeRatio,
  spansRuns,
  verdictKey,
  verdictTag,
} from '../wording/verdicts.ts';
import type { UnfoldedCase } from './cases.ts';
import { findCommon, metricNote, nameParameters, type CommonFacts } from './row-names.ts';

/** More strips have no tooltip each, which would take a tenth of the page. */
const mostTooltips = 600;

interface TableOptions {
  readonly legend: Legend;
  readonly verdicts: Verdicts;
  readonly isBaseline: (targetId: string) => boolean;
  readonly pairOf: PairOf;
  /**
   * True where any pair has enough blocks for a verdict; without one no line speaks of verdicts.
   */
  readonly decidable: boolean;
  /** True where each strip has a tooltip. */
  readonly isTitled: boolean;
  /** True where any dot is hollow. */
  readonly hollow: boolean;
  /** The content of an unfolded row; of a case with several metrics its first row does. */
  readonly detailsOf: (row: CaseRow) => Html | null;
}

/** Case × target, one table for each benchmark; each case unfolds to what there is room for. */
export const comparisonSection: Section = {
  id: 'comparison',
  title: 'Comparison',
  showsFigures: true,
  script: { file: 'controls.js', start: 'offerControls' },
  style: `
.s{width:240px;height:18px;max-width:none}
.s path:first-child{fill:currentColor;fill-opacity:.2}
.s path:nth-child(2){stroke:currentColor;stroke-width:1.5}
.s path:nth-child(3){stroke:currentColor;stroke-width:5;stroke-linecap:round;stroke-opacity:.75}
.s .q{stroke:currentColor;stroke-width:1.25;fill:var(--page)}`,
  render: ({ findings, legend, cases }) => comparisonTables(findings, legend, cases),
};

export function comparisonTables(
  findings: Findings,
  legend: Legend,
  cases: readonly UnfoldedCase[],
): Html {
  const { rows, benchmarks, verdicts } = findings;
  const pairs = placedPairs(findings);
  const options = {
    legend,
    verdicts,
    isBaseline: (targetId: string) => isBaseline(findings, targetId),
    pairOf: indexPairs(pairs),
    decidable: pairs.some(isDecidable),
    isTitled: rows.flatMap(({ cells }) => cells).length <= mostTooltips,
    hollow: rows.some(({ cells }) => cells.filter(isMeasured).some(isAside)),
    detailsOf: detailsIn(cases),
  };
  const known = new Set(benchmarks.map((benchmark) => benchmark.id));
  const stray = [...new Set(rows.map((row) => row.benchmark))].filter((id) => !known.has(id));
  const all = [
    ...benchmarks,
    ...stray.map((id) => ({ id, version: 0, title: id, description: '' })),
  ];
  const numbered = rows.map((row, index) => ({ row, index }));
  const tables = all.map((benchmark, i) =>
    benchmarkTable(benchmark, {
      ...options,
      id: `comparison-${String(i + 1)}`,
      rows: numbered.filter(({ row }) => row.benchmark === benchmark.id),
    }),
  );
  return rows.length === 0
    ? html`<p>There is no result to compare.</p>`
    : html`${reading(options)}${tables}`;
}

function detailsIn(cases: readonly UnfoldedCase[]): TableOptions['detailsOf'] {
  const byRow = new Map(cases.map((one) => [one.rows[0], one]));
  return (row) => {
    const one = byRow.get(row);
    if (one === undefined || one.figure === null) return null;
    const parts = [
      ...(one.courses.length > 0 ? ['speed from the first call on'] : []),
      ...(one.facts.length > 0 ? ['cores and threads'] : []),
      'every trial',
    ].join(', ');
    return html`<details class="case">
      <summary>${parts.charAt(0).toUpperCase()}${parts.slice(1)}</summary>
      ${one.figure}
    </details>`;
  };
}

function reading({ verdicts, decidable, hollow, legend }: TableOptions): Html {
  const { baselineRun } = verdicts;
  const against =
    baselineRun !== undefined
      ? html`the same device in run ${baselineRun}`
      : baselineName(verdicts, legend);
  const table = spansRuns(verdicts) ? 'Benjamini and Hochberg' : 'e-BY';
  return html`<p>
      Each line is one browser: its typical value, its ratio to ${against} (the stated baseline)
      within a block, the interval of the typical value (95 % unless it says otherwise), and every
      trial as a dot on an axis that all browsers of the case share (logarithmic where all values
      are positive; band: interval, line: typical
      value${hollow && '; hollow: excluded, and in no verdict'}).
    </p>
    ${decidable && html`<p>Ratios come with their verdict, their interval${!spansRuns(verdicts) && ' at every look'}, and the blocks behind them where these are not all trials. ${verdictKey(verdicts)}; ${spansRuns(verdicts) ? 'differences' : 'verdicts'} stand among all of the table (${table}).</p>`}`;
}

/** Title of the ratio column: its baseline, which the reader may change. */
function ratioTitle({ verdicts, legend }: TableOptions): Content {
  const { baselineTargetId, baselineRun, baselineVersion } = verdicts;
  const run = baselineRun === undefined ? undefined : `itself in run ${String(baselineRun)}`;
  const target = baselineTargetId === null ? undefined : legend(baselineTargetId).label;
  const name = run ?? baselineVersion ?? target;
  if (name === undefined) return 'vs. baseline';
  return html`vs. <bdi data-baseline="${name}">${name}</bdi>`;
}

interface NumberedRow {
  readonly row: CaseRow;
  readonly index: number;
}

interface BenchmarkOptions extends TableOptions {
  readonly id: string;
  readonly rows: readonly NumberedRow[];
}

function benchmarkTable(benchmark: BenchmarkFacts, options: BenchmarkOptions): Html {
  const { id, rows } = options;
  const { title, description, version } = benchmark;
  const common = findCommon(rows.map(({ row }) => row));
  const head = html`<h3 id="${id}-title"><bdi>${title}</bdi></h3>
    ${description !== '' && html`<p>${description}${version > 0 && html` <span class="soft">Version ${version} of the page.</span>`}</p>`}`;
  if (rows.length === 0)
    return html`${head}
      <p class="missing">No case of it has a result.</p>`;
  return html`${head}${common.text !== '' && html`<p class="soft">${common.text}.</p>`}${table({
    id,
    caption: html`${title}: typical values by case and browser`,
    hideCaption: true,
    asCards: true,
    columns: [
      { title: 'Browser' },
      { title: 'Typical value', kind: 'number', strong: true },
      { title: ratioTitle(options), kind: 'number' },
      { title: 'Interval', kind: 'number' },
      { title: 'Trials', kind: 'number' },
      { title: 'Every trial', kind: 'wide' },
    ],
    groups: rows.map((row) => rowGroup(row, { ...options, common })),
  })}`;
}

function rowGroup(
  { row, index }: NumberedRow,
  options: TableOptions & { readonly common: CommonFacts },
): RowGroup {
  const { common, detailsOf } = options;
  const details = detailsOf(row);
  const measured = row.cells.filter(isMeasured);
  const axis = axisOver(
    measured.flatMap(({ values, quarantined: aside = [], low, high }) => [
      ...[...values, ...aside],
      ...[low, high],
    ]),
  );
  return {
    id: rowAnchor(index),
    title: html`<span class="row"
      ><span>${nameParameters(row, common.parameters)}</span
      ><small
        >${!common.isMetric && metricNote(row)}${axisNote(axis, row, common.isMetric ? '' : ' · ')}</small
      ></span
    >`,
    rows: row.cells.map((cell) => cellRow(cell, { ...options, row, axis })),
    ...(details !== null && { details }),
  };
}

function axisNote(axis: Axis | null, { unit }: CaseRow, before: string): Html | false {
  if (axis === null) return false;
  const [from, to] = [axis.from, axis.to].map((end) =>
    formatQuantity(end, { unit, resolution: 0 }),
  );
  return html`${before}dots from <span data-axis>${from} to ${to}</span>`;
}

interface CellOptions extends TableOptions {
  readonly row: CaseRow;
  readonly axis: Axis | null;
}

function cellRow(cell: Cell, options: CellOptions): Row {
  const label = options.legend(cell.targetId);
  const name = colouredName(label);
  if (cell.kind === 'missing')
    return [name, html`<span class="missing">${missingMark} ${cell.why}</span>`];
  const { axis, row } = options;
  const { centre, interval, speeds } = describeLevel(cell, row.unit);
  const isOne = speeds.length === 0;
  return [
    [name, marks(cell), quarantined(cell)],
    isOne ? centre : speeds.map(speedLine),
    relation(cell, options),
    html`${interval}${isOne && cell.confidence < 0.95 - 1e-9 && html`<br /><span class="tag">only ${formatConfidence(cell.confidence)} sure</span>`}`,
    formatCount(cell.trials),
    axis !== null &&
      trialStrip(stripOf(cell), {
        axis,
        colour: label.colour,
        words: options.isTitled
          ? `${label.label}: ${isOne ? `${centre} (${interval})` : centre}, ${plural(cell.trials, 'trial')}`
          : '',
      }),
  ];
}

/** One of two speeds, and how many of the trials have it. */
function speedLine({ value, share }: { readonly value: string; readonly share: string }): Html {
  return html`<b>${value}</b><small>${share}</small>`;
}

/** Notes on what drew, and on the speeds of its trials. */
function marks(cell: MeasuredCell): Html | false {
  const labels = cell.unsteady.map(
    ({ label, trials }) =>
      html`${label} in ${formatCount(trials)} of ${plural(cell.trials, 'trial')}`,
  );
  const all = [
    ...(cell.drawnBy === undefined ? [] : [`drawn by ${cell.drawnBy}`]),
    ...(cell.speeds === undefined ? [] : ['two speeds']),
    ...labels,
  ];
  return all.length > 0 && html`<br /><span class="tag">${join(all, ', ')}</span>`;
}

/** Quarantined trials are shown with the counted ones, or in their place where none counts. */
function quarantined({ quarantined: aside = [], fromQuarantined }: MeasuredCell): Html | false {
  if (aside.length === 0) return false;
  const count = formatCount(aside.length);
  const many = fromQuarantined === true ? `all ${count}` : count;
  return html`<br /><span class="tag">${many} excluded</span>`;
}

function isAside({ quarantined: aside = [] }: MeasuredCell): boolean {
  return aside.length > 0;
}

/** Where none counts, the values are those of the quarantined trials. */
function stripOf({ quarantined: aside = [], fromQuarantined, ...cell }: MeasuredCell): Strip {
  return {
    ...cell,
    median: cell.centre,
    values: fromQuarantined === true ? [] : cell.values,
    hollow: aside,
  };
}

/** The ratio to the baseline, and the verdict on it where there may be one. */
function relation(cell: MeasuredCell, options: CellOptions): Content {
  const { row, verdicts, pairOf, decidable } = options;
  if (options.isBaseline(cell.targetId)) return html`<span class="soft">baseline</span>`;
  const placed = pairOf(row, cell);
  if (placed === undefined) return missingMark;
  const { ratio } = describeRatio(placed);
  if (!decidable) return ratio;
  const small = html`<small>${listNotes(placed, verdicts).join(', ')}</small>`;
  return html`${verdictTag(findVerdict(placed.pair))} ${ratio}${small}`;
}

/** Anchor of a row in the comparison table. */
export function rowAnchor(index: number): string {
  return `row-${String(index + 1)}`;
}
