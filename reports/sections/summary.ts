import type { AskedFacts, Findings, RunFacts, TargetFacts } from '../findings/index.ts';
import { html, join, type Html } from '../html/escape.ts';
import { formatCount, plural } from '../html/number.ts';
import { isMeasured } from '../wording/difference.ts';
import { differenceList } from './difference-list.ts';
import { verdictMark } from '../wording/evidence.ts';
import { targetName, type Legend } from '../wording/legend.ts';
import { strikingWarmUp } from './steady-state.ts';

/** The first screen, in words: what was measured, each difference with its certainty, and cautions. */
export function summary(
  findings: Findings,
  { legend, pair }: { readonly legend: Legend; readonly pair: Html | false },
): Html {
  return html`<section class="lead" aria-labelledby="in-short">
    ${inShort(findings, { legend, found: pair === false ? differenceList(findings, legend) : pair })}
    ${counts(findings.runs)} ${cautions(findings.cautions)}
  </section> `;
}

/** Its sentences up to the findings; the terminal uses them, too. */
export function inShort(
  findings: Findings,
  { legend, found }: { readonly legend: Legend; readonly found: Html },
): Html {
  const striking = strikingWarmUp(findings, legend);
  return html`<h2 id="in-short">In short</h2>
    <p>${whatWasMeasured(findings, legend)}</p>
    ${findings.asked && answered(findings.asked)}${findings.runs.map(unfinished)}${found}${striking !== false && html`<p>${striking}</p>`}`;
}

/** The question of the run: its direction, its size, and what is open. */
function answered({ title, sentence, verdict, headline, unsettled }: AskedFacts): Html {
  return html`<p>
    ${title}, <bdi>“${sentence}”</bdi> ${verdictMark(verdict)}:
    ${headline}${unsettled !== null && html`; not settled: ${unsettled}`}.
  </p> `;
}

/** How many cases on which targets and machine. */
export function whatWasMeasured(
  { rows, benchmarks, targets, runs }: Findings,
  legend: Legend,
): Html {
  const found = targets.filter((target) => target.status === 'found');
  const absent = targets.length - found.length;
  if (targets.length === 0) return html`No target took part, so nothing was measured.`;
  const cases = new Set(rows.map((row) => row.caseName)).size;
  const who = join(
    found.map((target) => html`${targetName(legend(target.id))}${versionOf(target)}`),
    ', ',
  );
  const machine = commonMachine(runs);
  const what = html`${plural(cases, 'case')} of ${plural(benchmarks.length, 'benchmark')}`;
  if (found.length === 0)
    return html`Nothing was measured: none of ${plural(targets.length, 'target')} was found. ${what}
    had been planned.`;
  const verb = rows.some((row) => row.cells.some(isMeasured)) ? 'measured' : 'to be measured';
  return html`${what} ${cases === 1 ? 'was' : 'were'} ${verb} on ${plural(found.length, 'target')}:
  ${who}${absent > 0 && html`; ${plural(absent, 'more target')} could not be found`}.${machine.length > 0 && html` <span class="soft">Machine: ${join(machine, ', ')}.</span>`}`;
}

/** Where its name does not say it. */
function versionOf({ name, browser }: TargetFacts): Html | false {
  if (browser === null || name.includes(` ${browser.version}`)) return false;
  return html` <span class="soft">${browser.version}</span>`;
}

/** The machine in a few words; nothing where runs had several. */
function commonMachine(runs: readonly RunFacts[]): readonly string[] {
  const known = runs.map((run) => run.machine.slice(0, 3).map((fact) => fact.text));
  const [first, ...others] = new Set(known.map((texts) => texts.join(', ')));
  return first === undefined || others.length > 0 ? [] : (known[0] ?? []);
}

/** How much of a run is missing; nothing of a whole one. */
export function unfinished({ status, cells, id }: RunFacts): Html | false {
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

/** Cautions before the numbers. */
export function cautions(all: readonly string[]): Html | false {
  if (all.length === 0) return false;
  return html`<div class="cautions">
    <h3>Before you believe a number</h3>
    <ul>
      ${all.map((caution) => html`<li>${caution}</li>`)}
    </ul>
  </div>`;
}
