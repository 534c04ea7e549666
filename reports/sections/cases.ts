import type { CaseCourse, CaseRow, CpuFacts, Findings } from '../../harness/core/results/index.ts';
import { countBytes, html, join, raw, type Html } from '../html/escape.ts';
import { formatQuantity, formatTick } from '../html/number.ts';
import { bytesOfData, weighData, type DataWeight, type Page } from '../html/page.ts';
import { isMeasured, type MeasuredCell, rowsByDistance } from '../wording/difference.ts';
import { colouredName, type Legend } from '../wording/legend.ts';
import { cpuCards } from './cpu-card.ts';
import { courseData, cpuData } from './data.ts';

/** The content of one unfolded case, in the order of the devices. */
export interface UnfoldedCase {
  readonly caseName: string;
  readonly benchmark: string;
  readonly facts: readonly CpuFacts[];
  readonly courses: readonly CaseCourse[];
  /** One for each metric. */
  readonly rows: readonly CaseRow[];
  /** Null where only its numbers are shown. */
  readonly figure: Html | null;
}

/** The facts by case in the order of the rows, without figures. */
export function casesIn({ cpu, courses = [], rows: all }: Findings): readonly UnfoldedCase[] {
  const rowsOf = grouped(all, ({ caseName }) => caseName);
  const factsOf = grouped(cpu, ({ caseName }) => caseName);
  const coursesOf = grouped(courses, ({ caseName }) => caseName);
  return [...new Set([...rowsOf.keys(), ...factsOf.keys()])].map((caseName) => {
    const rows = rowsOf.get(caseName) ?? [];
    return {
      caseName,
      benchmark: rows[0]?.benchmark ?? '',
      facts: factsOf.get(caseName) ?? [],
      courses: coursesOf.get(caseName) ?? [],
      rows,
      figure: null,
    };
  });
}

/** `Map.groupBy`, which Node.js 20 does not have. */
export function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

/** Most bytes of a report with its figures: 2 MB minus the stylesheet, the script and a reserve. */
const mostBytes = 1_950_000;

/**
 * Draws what the cases unfold to, while there is room for it in the page; first those whose devices
 * differ most. The others keep their numbers, and the page says so.
 */
export function drawCases(
  cases: readonly UnfoldedCase[],
  { legend, without }: Drawing,
): readonly UnfoldedCase[] {
  if (cases.length === 0) return cases;
  const figures = new Map<UnfoldedCase, Html>();
  let weight = weigh(without);
  for (const one of mostDifferentFirst(cases)) {
    const figure = caseDetails(one, legend);
    const drawn = [{ ...one, figure }];
    const data = [cpuData(drawn), courseData(drawn)];
    weight = plus(weight, weigh({ body: figure, data }));
    if (weight.markup + bytesOfData(weight) > mostBytes) break;
    figures.set(one, figure);
  }
  return cases.map((one) => ({ ...one, figure: figures.get(one) ?? null }));
}

function mostDifferentFirst(cases: readonly UnfoldedCase[]): readonly UnfoldedCase[] {
  const byName = new Map(cases.map((one) => [one.caseName, one]));
  const rows = cases.flatMap((one) => one.rows);
  const ranked = rowsByDistance(rows).flatMap(({ caseName }) => byName.get(caseName) ?? []);
  return [...new Set([...ranked, ...cases])];
}

interface Drawing {
  readonly legend: Legend;
  /** The page without any figure. */
  readonly without: Pick<Page, 'body' | 'data'>;
}

interface Weight extends DataWeight {
  readonly markup: number;
}

function weigh({ body, data }: Pick<Page, 'body' | 'data'>): Weight {
  return { markup: countBytes(body), ...weighData(data) };
}

function plus(one: Weight, other: Weight): Weight {
  return {
    markup: one.markup + other.markup,
    plain: one.plain + other.plain,
    // Parts that are compressed each for itself are not smaller than all of them together.
    packed: one.packed + other.packed,
  };
}

/**
 * Renders the content of a case: its speed over time, its cores and threads, the value of every
 * trial.
 */
function caseDetails({ courses, facts, rows }: UnfoldedCase, legend: Legend): Html {
  return html`${courses.length > 0 && speedPart(courses, legend)}${
    facts.length > 0 &&
    html`<h4>Cores and threads</h4>
      ${cpuCards(facts, legend)}`
  }${rows.map((row) => trialsPart(row, { legend, isOne: rows.length === 1 }))}`;
}

function speedPart(courses: readonly CaseCourse[], legend: Legend): Html {
  const ends = endsOver(courses);
  return html`<h4>Speed from the first call on</h4>
    <div class="cards">
      ${courses.map((course) => {
        const { label, colour } = legend(course.targetId);
        return html`<div class="card" data-of="${course.targetId}">
          <p class="of">${colouredName(legend(course.targetId))}</p>
          <figure class="c${colour}">
            ${courseChart(course, { ends, label: `${label}: the speed of one trial.` })}
            <figcaption>${inWords(course)}</figcaption>
          </figure>
        </div> `;
      })}
    </div>`;
}

/** Of all targets of the case, so that their heights can be compared. */
function endsOver(courses: readonly CaseCourse[]): readonly [least: number, most: number] {
  const values = courses
    .flatMap(({ points, segments }) => [
      ...points.map(([, value]) => value),
      ...segments.map(({ level }) => level),
    ])
    .filter((value) => value > 0);
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  return most > 0 ? [least / 1.1, most * 1.1] : [1, 2];
}

/** More of them are not read; the figure has all. */
const mostSegments = 5;

/** The figure as a sentence. */
function inWords({ firstMs, windowAtMs, segments, unit, block }: CaseCourse): Html {
  const ms = (value: number): string => formatQuantity(value, { unit: 'ms', resolution: 0 });
  const told = segments
    .slice(-mostSegments)
    .map(
      ({ level, toMs }) => `${formatQuantity(level, { unit, resolution: 0 })} until ${ms(toMs)}`,
    );
  const before = segments.length - told.length;
  return html`First call ${ms(firstMs)}. ${segments.length === 1 ? 'One segment' : 'Segments'}:
  ${before > 0 && `${String(before)} more, then `}${join(told, '; ')}. Timed from ${ms(windowAtMs)}
  on; block ${block}.`;
}

/** More are in the raw data. */
const mostValues = 60;

function trialsPart(
  row: CaseRow,
  { legend, isOne }: { readonly legend: Legend; readonly isOne: boolean },
): Html | false {
  const cells = row.cells.filter(isMeasured);
  if (cells.length === 0) return false;
  return html`<h4>Every trial${!isOne && html` (${row.metric})`}</h4>
    <dl class="facts">
      ${cells.map(
        (cell) =>
          html`<dt data-of="${cell.targetId}">${colouredName(legend(cell.targetId))}</dt>
            <dd data-of="${cell.targetId}">${valuesOf(cell, row.unit)}</dd> `,
      )}
    </dl>`;
}

function valuesOf(cell: MeasuredCell, unit: string): string {
  const { values, quarantined = [], fromQuarantined, resolution } = cell;
  const listed = (all: readonly number[]): string => {
    const more = all.length - mostValues;
    const shown = all.slice(0, mostValues).map((one) => formatQuantity(one, { unit, resolution }));
    return `${shown.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
  };
  if (fromQuarantined === true) return `excluded: ${listed(values)}`;
  return quarantined.length === 0
    ? listed(values)
    : `${listed(values)}; excluded: ${listed(quarantined)}`;
}

const width = 270;
const left = 46;
const plotWidth = width - left - 2;
const top = 4;
const plotHeight = 64;

/**
 * One trial in a few hundred bytes: iterations as dots, segments as lines, the timed window as a pale
 * stripe. All devices of a case share the ends of its logarithmic axis.
 */
function courseChart(
  { points, windowAtMs, segments, unit }: CaseCourse,
  { ends, label }: { readonly ends: readonly [number, number]; readonly label: string },
): Html {
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
    ${raw(`<path class="win" d="M${String(x(windowAtMs))} ${String(top)}H${String(left + plotWidth)}V${String(base)}H${String(x(windowAtMs))}z"/><path class="f" d="M${String(left)} ${String(top)}V${String(base)}h${String(plotWidth)}"/><path class="dot" d="${dots.join('')}"><title>iterations</title></path><path class="seg" d="${lines.join('')}"><title>levels</title></path>`)}
    <text x="0" y="${top + 8}">${tick(most, unit)}</text>
    <text x="0" y="${base}">${tick(least, unit)}</text>
    <text x="${left}" y="${base + 12}">0</text>
    <text class="e" x="${width}" y="${base + 12}">${tick(last, 'ms')}</text>
  </svg>`;
}
