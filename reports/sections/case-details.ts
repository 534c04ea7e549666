import type { CaseCourse, CaseRow } from '../../harness/results/index.ts';
import { courseChart } from '../html/course-chart.ts';
import { html, join, type Html } from '../html/escape.ts';
import { formatQuantity } from '../html/number.ts';
import { isMeasured, type MeasuredCell } from '../wording/difference.ts';
import { colouredName, type Legend } from '../wording/legend.ts';
import { cpuCards } from './cpu-card.ts';
import type { CpuCase } from './cpu-case.ts';

/** What a case unfolds to: how its speed went, its cores and threads, and the value of every trial. */
export function caseDetails({ courses, facts, rows }: CpuCase, legend: Legend): Html {
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
            ${courseChart({ ...course, ends, label: `${label}: the speed of one trial.` })}
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

/** More of them are a line that nobody reads; the figure has all. */
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
  if (fromQuarantined === true) return `quarantined: ${listed(values)}`;
  return quarantined.length === 0
    ? listed(values)
    : `${listed(values)}; quarantined: ${listed(quarantined)}`;
}
