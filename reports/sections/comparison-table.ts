import type { BenchmarkFacts, CaseRow, Cell, Findings } from '../findings.ts';
import { html, join, type Content, type Html } from '../html/escape.ts';
import {
  formatConfidence,
  formatCount,
  formatEstimate,
  formatQuantity,
  formatRatio,
  missingMark,
  plural,
  ratioStep,
} from '../html/number.ts';
import { axisOver, trialStrip, type Axis } from '../html/strip.ts';
import { table, type Row, type RowGroup } from '../html/table.ts';
import { parametersOf, rowAnchor } from './case-name.ts';
import { bestCell, isMeasured, type MeasuredCell } from './difference.ts';
import { colouredName, targetName, type Legend } from './legend.ts';

export interface TableOptions {
  readonly legend: Legend;
  /** Target that the others are set against; without it each row's best one. */
  readonly baseline: string | null;
}

/** Case × target, one table for each benchmark. */
export function comparisonSection(findings: Findings, options: TableOptions): Html {
  const { rows, benchmarks } = findings;
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
  return html`<section aria-labelledby="comparison">
    <h2 id="comparison">Comparison</h2>
    ${rows.length === 0 ? html`<p>There is no result to compare.</p>` : [reading(options), tables]}
  </section> `;
}

function reading({ baseline, legend }: TableOptions): Html {
  const against =
    baseline === null
      ? html`the best target of the same case`
      : html`${targetName(legend(baseline))}, the stated baseline`;
  return html`<p>
    Each line is one target: the median over its trials, that median relative to ${against}, the
    interval of the median (95 % unless it says otherwise), and every trial as a dot on an axis that
    all targets of the case share (logarithmic where all values are positive; band: interval, line:
    median).
  </p>`;
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
  const { id, rows, baseline } = options;
  const { title, description, version } = benchmark;
  const head = html`<h3 id="${id}-title"><bdi>${title}</bdi></h3>
    ${description !== '' && html`<p>${description}${version > 0 && html` <span class="soft">Version ${version} of the page.</span>`}</p>`}`;
  if (rows.length === 0)
    return html`${head}
      <p class="missing">No case of it has a result.</p>`;
  const relative = baseline === null ? 'vs. best' : 'vs. baseline';
  return html`${head}${table({
    id,
    caption: html`${title}: medians by case and target`,
    hideCaption: true,
    columns: [
      { title: 'Target' },
      { title: 'Median', kind: 'number' },
      { title: relative, kind: 'number' },
      { title: 'Interval', kind: 'number' },
      { title: 'Trials', kind: 'number' },
      { title: 'Every trial', kind: 'wide' },
    ],
    groups: rows.map((row) => rowGroup(row, options)),
  })}`;
}

function rowGroup({ row, index }: NumberedRow, options: TableOptions): RowGroup {
  const measured = row.cells.filter(isMeasured);
  const axis = axisOver(measured.flatMap(({ values, low, high }) => [...values, low, high]));
  const best = bestCell(row);
  const reference =
    options.baseline === null ? best : measured.find((cell) => cell.targetId === options.baseline);
  return {
    id: rowAnchor(index),
    title: html`<span class="row"
      ><span>${parametersOf(row)}</span
      ><small class="soft"
        >${row.metric}, ${row.direction} is better${axisNote(axis, row)}</small
      ></span
    >`,
    rows: row.cells.map((cell) => cellRow(cell, { ...options, row, axis, best, reference })),
  };
}

function axisNote(axis: Axis | null, { unit }: CaseRow): Html | false {
  if (axis === null) return false;
  const [from, to] = [axis.from, axis.to].map((end) =>
    formatQuantity(end, { unit, resolution: 0 }),
  );
  return html` · dots from ${from} to ${to}`;
}

interface CellOptions extends TableOptions {
  readonly row: CaseRow;
  readonly axis: Axis | null;
  readonly best: MeasuredCell | undefined;
  readonly reference: MeasuredCell | undefined;
}

function cellRow(cell: Cell, options: CellOptions): Row {
  const label = options.legend(cell.targetId);
  const name = colouredName(label);
  if (cell.kind === 'missing')
    return [name, html`<span class="missing">${missingMark} ${cell.why}</span>`];
  const { axis, row, best, reference } = options;
  const shown = formatEstimate(cell, { unit: row.unit, resolution: cell.resolution });
  return [
    [name, cell.unsteady.length > 0 && unsteady(cell)],
    html`<b>${shown.median}</b>`,
    cell === best
      ? html`<span class="best">${relation(cell, reference)}</span>`
      : relation(cell, reference),
    html`${shown.interval}${cell.confidence < 0.95 - 1e-9 && html`<br /><span class="tag">only ${formatConfidence(cell.confidence)} sure</span>`}`,
    formatCount(cell.trials),
    axis !== null && trialStrip(cell, { axis, colour: label.colour }),
  ];
}

function unsteady(cell: MeasuredCell): Html {
  const labels = cell.unsteady.map(
    ({ label, trials }) =>
      html`${label} in ${formatCount(trials)} of ${plural(cell.trials, 'trial')}`,
  );
  return html`<br /><span class="tag">${join(labels, ', ')}</span>`;
}

function relation(cell: MeasuredCell, reference: MeasuredCell | undefined): Content {
  if (reference === undefined || reference.median <= 0 || cell.median <= 0) return missingMark;
  if (cell === reference) return '1×';
  return formatRatio(cell.median / reference.median, ratioStep(cell, reference));
}
