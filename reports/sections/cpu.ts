import type { CpuFacts, Findings } from '../findings/index.ts';
import { roleClass } from '../html/cpu-chart.ts';
import { type Content, html, type Html } from '../html/escape.ts';
import { folded } from '../html/page.ts';
import { formatPlain, formatShare, missingMark, plural } from '../html/number.ts';
import { type Row, table } from '../html/table.ts';
import { type Legend, targetName } from '../wording/legend.ts';
import { notSupported, readingOfLanes } from './cpu-schedule.ts';

/** So few cases are not worth a click each. */
export const fewCases = 2;

/** The CPU facts of one case, in the order of the targets. */
export interface CpuCase {
  readonly caseName: string;
  readonly benchmark: string;
  readonly facts: readonly CpuFacts[];
  /** Null where only its numbers are shown. */
  readonly figure: Html | null;
}

/** The facts by case in the order of the rows, without figures. */
export function cpuCases({ cpu, rows }: Findings): readonly CpuCase[] {
  const benchmarks = new Map(rows.map((row) => [row.caseName, row.benchmark]));
  const byCase = grouped(cpu, (facts) => facts.caseName);
  return [...new Set([...benchmarks.keys(), ...byCase.keys()])].flatMap((caseName) => {
    const facts = byCase.get(caseName);
    const benchmark = benchmarks.get(caseName) ?? '';
    return facts === undefined ? [] : [{ caseName, benchmark, facts, figure: null }];
  });
}

/** `Map.groupBy`, which Node.js 20 does not have. */
function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

/** Which cores worked when, and which threads did the work, for each case × target. */
export function cpuSection(cases: readonly CpuCase[], findings: Findings, legend: Legend): Html {
  const body =
    cases.length === 0
      ? html`<p>No CPU reading is part of this report.</p>`
      : [introduction(cases), ...byBenchmark(cases, findings, legend)];
  return folded('cpu', 'Cores and threads', body);
}

function introduction(cases: readonly CpuCase[]): Html {
  const hidden = cases.filter(({ figure }) => figure === null).length;
  const all = cases.flatMap(({ facts }) => facts);
  const roles = rolesOf(all);
  const scheduled = all.some(({ schedule }) => schedule !== undefined && 'cores' in schedule);
  return html`<p>
      The trial shown is the one whose value is the median. <b>Cores busy</b> is the time of all
      threads of the browser divided by wall time; <b>JavaScript</b> is the part of it in threads
      that run JavaScript; <b>GC</b> is the garbage collector’s share of all thread time;
      <b>foreign</b> is the share of the machine’s CPU that other programs used during the trial.
      Open a case to see, over the timed window, the cores that each role of thread kept busy (where
      the window was long enough to be sampled), and below it the cores: the fuller the shade, the
      busier.${scheduled && ` ${readingOfLanes}`}${hidden > 0 && html` Figures are drawn for the ${cases.length - hidden} cases whose targets differ most; for the other ${hidden} the numbers are given.`}
    </p>
    ${
      roles.length > 0 &&
      html`<ul class="legend">
        ${roles.map((role) => html`<li><span class="t ${roleClass(role)}">${role}</span></li>`)}
      </ul>`
    }`;
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
  cases: readonly CpuCase[],
  { benchmarks }: Findings,
  legend: Legend,
): readonly Html[] {
  const titles = new Map(benchmarks.map(({ id, title }) => [id, title]));
  return [...grouped(cases, (one) => one.benchmark)].map(([benchmark, own], i) => {
    const others = own.filter(({ figure }) => figure === null);
    return html`<h3>
        <bdi>${titles.get(benchmark) ?? (benchmark === '' ? 'Other cases' : benchmark)}</bdi>
      </h3>
      ${own.map(({ figure }) => figure)}${others.length > 0 && numbersOf(others, { legend, id: `cpu-numbers-${String(i + 1)}` })}`;
  });
}

/** Cases down, targets across, three numbers in a cell: the shortest form that still says everything. */
function numbersOf(
  cases: readonly CpuCase[],
  { legend, id }: { readonly legend: Legend; readonly id: string },
): Html {
  const ids = [...new Set(cases.flatMap(({ facts }) => facts.map((one) => one.targetId)))];
  return html`<details>
    <summary>${plural(cases.length, 'case')} in numbers</summary>
    ${table({
      id,
      caption: 'Each cell: cores busy · JavaScript · GC share',
      columns: [
        { title: 'Case' },
        ...ids.map((target) => ({ title: targetName(legend(target)), kind: 'number' as const })),
      ],
      groups: [
        {
          rows: cases.map(({ caseName, facts }): Row => {
            const byTarget = new Map(facts.map((one) => [one.targetId, one.threads]));
            return [caseName, ...ids.map((target) => threeNumbers(byTarget.get(target)))];
          }),
        },
      ],
    })}
  </details>`;
}

function threeNumbers(threads: CpuFacts['threads'] | undefined): Content {
  if (threads === undefined) return missingMark;
  if ('notSupported' in threads) return notSupported(threads.notSupported);
  const { coresBusy, javascriptParallelism, gcShare } = threads;
  return `${formatPlain(coresBusy)} · ${formatPlain(javascriptParallelism)} · ${formatShare(gcShare)}`;
}
