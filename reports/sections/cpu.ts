import type { CaseRow, CpuFacts, Findings } from '../../harness/core/results/index.ts';
import { roleClass } from '../html/cpu-chart.ts';
import { type Content, html, type Html } from '../html/escape.ts';
import type { Section } from './report.ts';
import { formatPlain, formatShare, missingMark, plural } from '../html/number.ts';
import { type Row, table } from '../html/table.ts';
import { caseLabel } from '../wording/difference.ts';
import { type Legend, targetName } from '../wording/legend.ts';
import { rowAnchor } from './comparison-table.ts';
import { barOfRoles, caseSummary, commonScale, notSupported, readingOfLanes } from './cpu-card.ts';
import { grouped, type UnfoldedCase } from './cases.ts';

/** So few cases are not worth a click each. */
const fewCases = 2;

/** Bars of more cells would cost a large report more than they tell. */
const mostBars = 50;

/** Which cores worked when, and which threads did the work, for each case × target. */
export const cpuSection: Section = {
  id: 'cpu',
  title: 'Cores and threads',
  showsFigures: true,
  script: { file: 'figures.js', start: 'offerZoom' },
  style: `
.card[data-zoom]{grid-column:1/-1}.card[data-zoom] figure{overflow-x:auto}.card[data-zoom] .k{max-width:none;width:660px}.card[data-zoom='4'] .k{width:1320px}.card[data-zoom] .k text{font-size:5px}.card[data-zoom='4'] .k text{font-size:2.5px}
[aria-labelledby^='cpu-numbers'] .k{display:block;min-width:7rem;max-width:12rem;margin-left:auto}
.card .zoom{float:right;margin-top:-2rem}`,
  render: ({ findings, legend, cases }) =>
    cpuContent(cases, findings, { legend, unfolds: 'in the comparison' }),
};

export function cpuContent(
  all: readonly UnfoldedCase[],
  findings: Findings,
  { legend, unfolds }: { readonly legend: Legend; readonly unfolds: 'here' | 'in the comparison' },
): Content {
  const cases = all.filter(({ facts }) => facts.length > 0);
  const shown = unfolds === 'here' ? cases : cases.map((one) => ({ ...one, figure: null }));
  return cases.length === 0
    ? html`<p>No CPU reading is part of this report.</p>`
    : [introduction(cases, unfolds), ...byBenchmark(shown, findings, { legend, unfolds })];
}

function introduction(cases: readonly UnfoldedCase[], unfolds: 'here' | 'in the comparison'): Html {
  const hidden = cases.filter(({ figure }) => figure === null).length;
  const all = cases.flatMap(({ facts }) => facts);
  const roles = hidden < cases.length || hasBars(all) ? rolesOf(all) : [];
  const scheduled = all.some(({ schedule }) => schedule !== undefined && 'cores' in schedule);
  return html`<p>
      The trial shown is the one whose value is the median. <b>Cores busy</b> is the time of all
      threads of the browser divided by wall time; <b>JavaScript</b> is the part of it in threads
      that run JavaScript; <b>GC</b> is the garbage collector’s share of all thread time;
      <b>foreign</b> is the share of the machine’s CPU that other programs used during the trial.
      Open a
      case${unfolds === 'in the comparison' && html` of <a href="#comparison">the comparison</a>`}
      to see, over the timed window, the cores that each role of thread kept busy (where the window
      was long enough to be sampled), and below it the cores: the fuller the shade, the
      busier.${scheduled && ` ${readingOfLanes}`}${hidden > 0 && html` Figures are drawn for the ${cases.length - hidden} cases whose browsers differ most; for the other ${hidden} the numbers are given.`}
    </p>
    ${
      roles.length > 0 &&
      html`<ul class="legend">
        ${roles.map((role) => html`<li><span class="t ${roleClass(role)}">${role}</span></li>`)}
      </ul>`
    }`;
}

/** True where each cell of the tables has a bar. */
function hasBars(facts: readonly CpuFacts[]): boolean {
  return facts.length <= mostBars;
}

/** Every role that some figure shows. */
function rolesOf(facts: readonly CpuFacts[]): readonly string[] {
  const roles = facts.flatMap(({ threads, schedule }) => [
    ...('roles' in threads ? threads.roles.map((one) => one.role) : []),
    ...(schedule !== undefined && 'cores' in schedule
      ? schedule.cores.flatMap((spans) => spans.map((one) => one.role))
      : []),
  ]);
  return [...new Set(roles)];
}

function byBenchmark(
  cases: readonly UnfoldedCase[],
  { benchmarks, rows }: Findings,
  { legend, unfolds }: { readonly legend: Legend; readonly unfolds: 'here' | 'in the comparison' },
): readonly Html[] {
  const open = cases.length <= fewCases;
  const withBars = hasBars(cases.flatMap(({ facts }) => facts));
  const titles = new Map(benchmarks.map(({ id, title }) => [id, title]));
  return [...grouped(cases, (one) => one.benchmark)].map(([benchmark, own], i) => {
    const others = own.filter(({ figure }) => figure === null);
    const title = titles.get(benchmark) ?? (benchmark === '' ? 'Other cases' : benchmark);
    return html`<h3><bdi>${title}</bdi></h3>
      ${own.map((one) => one.figure !== null && html`<details class="case" ${open && html` open`}>${caseSummary(one, legend)} ${one.figure}</details> `)}${others.length > 0 && numbersOf(others, { legend, rows, title, id: `cpu-numbers-${String(i + 1)}`, open: unfolds !== 'here', withBars })}`;
  });
}

interface NumbersOptions {
  /** Of the benchmark. */
  readonly title: string;
  readonly legend: Legend;
  readonly rows: readonly CaseRow[];
  readonly id: string;
  readonly open: boolean;
  readonly withBars: boolean;
}

/** Cases down, targets across, three numbers and a bar in a cell: the shortest form that still says everything. */
function numbersOf(
  cases: readonly UnfoldedCase[],
  { title, legend, rows, id, open, withBars }: NumbersOptions,
): Html {
  const ids = [...new Set(cases.flatMap(({ facts }) => facts.map((one) => one.targetId)))];
  return html`<details${open && html` open`}>
    <summary>${plural(cases.length, 'case')} in numbers</summary>
    ${table({
      id,
      caption: html`<bdi>${title}</bdi>, each cell: cores busy · JavaScript · GC
        share${withBars && '; the bar: cores busy by role of thread'}`,
      columns: [
        { title: 'Case' },
        ...ids.map((target) => ({ title: targetName(legend(target)), kind: 'number' as const })),
      ],
      groups: [
        {
          rows: cases.map(({ caseName, facts }): Row => {
            const byTarget = new Map(facts.map((one) => [one.targetId, one]));
            const cores = withBars ? commonScale(facts) : null;
            const place = rows.findIndex((row) => row.caseName === caseName);
            const label = html`<bdi>${caseLabel(rows, caseName)}</bdi>`;
            const link = html`<a href="#${rowAnchor(place)}">${label}</a>`;
            return [
              place === -1 ? label : link,
              ...ids.map((target) => fillCell(byTarget.get(target), cores)),
            ];
          }),
        },
      ],
    })}
  </details>`;
}

/** @param cores the whole width of its bar; null without one. */
function fillCell(facts: CpuFacts | undefined, cores: number | null): Content {
  if (facts === undefined) return missingMark;
  const { threads, wallMs } = facts;
  if ('notSupported' in threads) return notSupported(threads.notSupported);
  const { coresBusy, javascriptParallelism, gcShare } = threads;
  const numbers = `${formatPlain(coresBusy)} · ${formatPlain(javascriptParallelism)} · ${formatShare(gcShare)}`;
  return cores === null ? numbers : [numbers, barOfRoles(threads, { cores, wallMs })];
}
