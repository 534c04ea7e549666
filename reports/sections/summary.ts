import type { Findings, RunFacts } from '../findings.ts';
import { html, join, type Content, type Html } from '../html/escape.ts';
import {
  formatConfidence,
  formatCount,
  formatEstimate,
  formatRatio,
  isTime,
  plural,
  ratioStep,
} from '../html/number.ts';
import { rowAnchor } from './case-name.ts';
import { apartDifferences, differenceOf, isMeasured, type Difference } from './difference.ts';
import { targetName, type Legend } from './legend.ts';

/** The first screen, in words: what was measured on what, what differs and how surely, and what to beware of. */
export function summary(findings: Findings, legend: Legend): Html {
  return html`<section class="lead" aria-labelledby="in-short">
    <h2 id="in-short">In short</h2>
    <p>${whatWasMeasured(findings, legend)}</p>
    ${findings.runs.map(unfinished)}${counts(findings.runs)} ${differences(findings, legend)}
    ${cautions(findings.cautions)}
  </section> `;
}

function whatWasMeasured({ rows, benchmarks, targets, runs }: Findings, legend: Legend): Html {
  const found = targets.filter((target) => target.status === 'found');
  const absent = targets.length - found.length;
  if (targets.length === 0) return html`No target took part, so nothing was measured.`;
  const cases = new Set(rows.map((row) => row.caseName)).size;
  const who = join(
    found.map(
      (target) =>
        html`${targetName(legend(target.id))}${target.browser && html` <span class="soft">${target.browser.version}</span>`}`,
    ),
    ', ',
  );
  const machine = runs[0]?.machine.slice(0, 3).map((fact) => fact.text) ?? [];
  const what = html`${plural(cases, 'case')} of ${plural(benchmarks.length, 'benchmark')}`;
  if (found.length === 0)
    return html`Nothing was measured: none of ${plural(targets.length, 'target')} was found. ${what}
    had been planned.`;
  const verb = rows.some((row) => row.cells.some(isMeasured)) ? 'measured' : 'to be measured';
  return html`${what} ${cases === 1 ? 'was' : 'were'} ${verb} on ${plural(found.length, 'target')}:
  ${who}${absent > 0 && html`; ${plural(absent, 'more target')} could not be found`}.${machine.length > 0 && html` <span class="soft">Machine: ${join(machine, ', ')}.</span>`}`;
}

function unfinished({ status, cells, id }: RunFacts): Html | false {
  const open = cells.planned - cells.completed - cells.failed - cells.timedOut - cells.skipped;
  if (status === 'finished' && open === 0) return false;
  const state =
    status === 'running'
      ? 'was still going on when this was written'
      : status === 'interrupted'
        ? 'was interrupted'
        : 'says that it finished';
  return html`<p>
    <span class="tag">unfinished</span> Run ${id} ${state}: ${formatCount(open)} of
    ${plural(cells.planned, 'planned trial')} ${open === 1 ? 'has' : 'have'} no outcome.
  </p> `;
}

function counts(runs: readonly RunFacts[]): Html | false {
  if (runs.length === 0) return false;
  const total = (of: (cells: RunFacts['cells']) => number): number =>
    runs.reduce((sum, run) => sum + of(run.cells), 0);
  const box = (label: string, count: number, tone: string): Html =>
    html`<div${count > 0 && tone !== '' && html` class="${tone}"`}><dt>${label}</dt><dd>${formatCount(count)}</dd></div>`;
  return html`<dl class="counts">
    ${[
      box(
        'trials planned',
        total((cells) => cells.planned),
        '',
      ),
      box(
        'completed',
        total((cells) => cells.completed),
        '',
      ),
      box(
        'failed',
        total((cells) => cells.failed),
        'bad',
      ),
      box(
        'timed out',
        total((cells) => cells.timedOut),
        'bad',
      ),
      box(
        'skipped',
        total((cells) => cells.skipped),
        'warn',
      ),
    ]}
  </dl>`;
}

const mostShown = 5;
/** One benchmark at many sizes would otherwise fill the list with one finding. */
const mostOfOneBenchmark = 2;

function notable(all: readonly Difference[]): readonly Difference[] {
  const seen = new Map<string, number>();
  const chosen = all.filter(({ row }) => {
    const count = seen.get(row.benchmark) ?? 0;
    seen.set(row.benchmark, count + 1);
    return count < mostOfOneBenchmark;
  });
  return chosen.slice(0, mostShown);
}

function differences({ rows }: Findings, legend: Legend): Html {
  const comparable = rows.filter((row) => differenceOf(row) !== null).length;
  if (comparable === 0)
    return html`<p>
      No case was measured on two targets or more, so there is no difference to report.
    </p>`;
  const apart = apartDifferences(rows);
  const together = comparable - apart.length;
  const verdict = html`<p>
    In ${formatCount(apart.length)} of ${plural(comparable, 'comparison')} the intervals of the best
    and the worst target are
    apart${together > 0 && html`; in the other ${formatCount(together)} they overlap, so no difference was shown there`}.
  </p>`;
  if (apart.length === 0) return verdict;
  const index = new Map(rows.map((row, i) => [row, i]));
  return html`<h3>Largest differences between targets</h3>
    <ol class="findings">
      ${notable(apart).map(
        (one) => html`<li>${sentence(one, legend, rowAnchor(index.get(one.row) ?? 0))}</li> `,
      )}
    </ol>
    ${verdict}`;
}

function sentence(one: Difference, legend: Legend, anchor: string): Html {
  const { row, best, worst } = one;
  const ratio = (value: number): Content => formatRatio(value, ratioStep(worst, best));
  const [w, b] = [worst, best].map((cell) =>
    formatEstimate(cell, { unit: row.unit, resolution: cell.resolution }),
  );
  const trials = Math.min(best.trials, worst.trials);
  const range = Number.isFinite(one.high)
    ? html`The ratio lies between ${ratio(one.low)} and ${ratio(one.high)}`
    : html`The ratio is at least ${ratio(one.low)}`;
  return html`${targetName(legend(worst.targetId))} ${claim(one, ratio(one.ratio), legend)} in
    <a href="#${anchor}"><bdi>${row.caseName}</bdi></a
    >: ${w?.median} against ${b?.median}.
    <small class="soft"
      >${range} with at least ${formatConfidence(one.confidence)} confidence;
      ${plural(trials, 'trial')} ${best.trials === worst.trials ? 'each' : 'or more each'}.</small
    >`;
}

function claim({ row, best }: Difference, ratio: Content, legend: Legend): Html {
  const other = targetName(legend(best.targetId));
  if (row.direction === 'higher')
    return html`reached less than ${other}, by a factor of <b>${ratio}</b>,`;
  if (isTime(row.unit)) return html`took <b>${ratio}</b> as long as ${other}`;
  return html`had <b>${ratio}</b> the ${row.metric} of ${other}`;
}

function cautions(all: readonly string[]): Html | false {
  if (all.length === 0) return false;
  return html`<div class="cautions">
    <h3>Before you believe a number</h3>
    <ul>
      ${all.map((caution) => html`<li>${caution}</li>`)}
    </ul>
  </div>`;
}
