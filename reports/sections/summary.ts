import type { AskedFacts, Findings, RunFacts, CaseRow } from '../../harness/core/results/index.ts';
import type { Section } from './report.ts';
import { duelStyle } from '../html/duel.ts';
import { html, join, type Html } from '../html/escape.ts';
import { plural, missingMark } from '../html/number.ts';
import {
  isMeasured,
  indexPairs,
  type PairOf,
  type PlacedPair,
  placedPairs,
  rowsByDistance,
  describeShortLevel,
  tellingRows,
  findVerdict,
} from '../wording/difference.ts';
import { differenceList } from './difference-list.ts';
import { pairOutcome } from './pair-outcome.ts';
import { verdictMark } from '../wording/evidence.ts';
import { targetName, type Legend, renderVersion, colouredName } from '../wording/legend.ts';
import { earlyLook } from '../wording/early-look.ts';
import { countTrials, describeTrials, isWhole } from '../wording/trial-counts.ts';
import { strikingWarmUp } from './steady-state.ts';
import { browsersAtAGlance, versionsAtAGlance } from './versions.ts';
import { baselineName, behind, describeOutcome, describeRatio } from '../wording/verdicts.ts';
import { rowAnchor } from './comparison-table.ts';

/** A verdict and its size have a shade; hatched where nothing is decided. */
const heatStyle = [
  `
.heat{border-collapse:separate;border-spacing:2px;font-size:.925rem}
.heat th,.heat td{border:0;min-width:0;padding:0}
.heat th{padding:.2rem .75rem .2rem 0;font-weight:400;text-align:left;white-space:nowrap}
.heat td{color:var(--ink);font-weight:400;white-space:nowrap;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.heat a{display:block;padding:.35rem .65rem;color:inherit;text-decoration:none}.heat a:hover{text-decoration:underline}
.heat .undecided{background-color:var(--wash)}.heat .undecided.undecided{background-image:repeating-linear-gradient(45deg,transparent 0 4px,var(--page) 4px 8px)}.heat .equivalent{background:var(--wash)}
@media(max-width:36rem){.heat{font-size:.8rem;overflow-wrap:normal}.heat a{padding:.35rem .3rem}.heat th{padding-right:.3rem}.heat th,.heat td{white-space:normal}.heat .t::before{display:none}}`,
  ...['slower', 'faster'].flatMap((verdict) =>
    [1, 2, 3, 4].map(
      (size) =>
        `.heat .${verdict}-${String(size)}{background:var(--${verdict[0] ?? ''}${String(size)})}`,
    ),
  ),
].join('');

/** The first screen: every case at a glance, each difference with its certainty, and cautions. */
export const summarySection: Section = {
  id: 'in-short',
  title: 'In short',
  shape: 'whole',
  style: heatStyle + duelStyle,
  render: async ({ findings, legend }) => {
    const versions = versionsAtAGlance(findings, legend);
    const pair = await pairOutcome(findings, legend);
    // Without a pair the list says why.
    const isTold = versions !== false && findings.verdicts.pairs.length > 0;
    const found = !isTold && (pair === false ? differenceList(findings, legend) : pair);
    const glance = versions === false ? pair === false && heatMap(findings, legend) : versions;
    return html`<section class="lead" aria-labelledby="in-short">
      ${inShort(findings, { legend, glance, found })} ${cautions(findings.cautions)}
    </section> `;
  },
};

interface InShort {
  readonly legend: Legend;
  /** Every case at a glance; none in a terminal, which has its table. */
  readonly glance?: Html | false;
  readonly found: Html | false;
}

/** Its sentences; the terminal uses them, too. */
export function inShort(findings: Findings, { legend, glance = false, found }: InShort): Html {
  // Versions of a page are loaded once a trial, which has no way to a steady state.
  const isOfVersions = findings.verdicts.baselineVersion !== undefined;
  const striking = !isOfVersions && strikingWarmUp(findings, legend);
  const look = earlyLook(findings);
  return html`<h2 id="in-short" class="unseen">In short</h2>
    ${findings.asked && answered(findings.asked)}${findings.runs.map(smokeTest)}${glance}
    <p class="soft">${whatWasMeasured(findings, legend)}</p>
    ${found}${look !== null && html`<p>${look.sentence} <code data-copy>${look.command}</code></p>`}${striking !== false && html`<p>${striking}</p>`}`;
}

/** The question of the run: its direction, its size, and what is open. */
function answered({ title, sentence, verdict, headline, unsettled }: AskedFacts): Html {
  return html`<p>
    ${title}, <bdi>“${sentence}”</bdi> ${verdictMark(verdict)}:
    ${headline}${unsettled !== null && html`; not settled: ${unsettled}`}.
  </p> `;
}

/** How many cases on which targets and machine; many targets are named in the map alone. */
export function whatWasMeasured(findings: Findings, legend: Legend): Html {
  const { rows, benchmarks, targets, runs, verdicts } = findings;
  const found = targets.filter((target) => target.status === 'found');
  const absent = targets.length - found.length;
  if (targets.length === 0) return html`No browser took part, so nothing was measured.`;
  const cases = new Set(rows.map((row) => row.caseName)).size;
  const who = join(
    found.map((target) => html`${targetName(legend(target.id))}${renderVersion(target)}`),
    ', ',
  );
  // A comparison's first screen names its sides already; its machine stands in the environment.
  const isComparison = verdicts.baselineVersion !== undefined || verdicts.course !== null;
  const machine = isComparison ? [] : commonMachine(runs);
  const isOfVersions = verdicts.baselineVersion !== undefined;
  const what = isOfVersions
    ? `${plural(cases, 'version')} of ${countPages(findings)}`
    : `${plural(cases, 'case')} of ${plural(benchmarks.length, 'benchmark')}`;
  if (found.length === 0)
    return html`Nothing was measured: none of ${plural(targets.length, 'browser')} was found.
    ${what} had been planned.`;
  const verb = rows.some((row) => row.cells.some(isMeasured)) ? 'measured' : 'to be measured';
  return html`${what} ${cases === 1 ? 'was' : 'were'} ${verb} in
  ${plural(found.length, 'browser')}${found.length <= mostColumns && !isComparison && html`: ${who}`}${absent > 0 && html`; ${plural(absent, 'more browser')} could not be found`}.
  ${trialsSentence(findings)}${machine.length > 0 && html` <span class="soft">Machine: ${join(machine, ', ')}.</span>`}`;
}

function countPages({ rows }: Findings): string {
  const pages = new Set(rows.map(({ parameters }) => parameters['page'])).size;
  return pages > 1 ? plural(pages, 'page') : 'a page';
}

/** The machine in a few words; nothing where runs had several. */
function commonMachine(runs: readonly RunFacts[]): readonly string[] {
  const known = runs.map((run) => run.machine.slice(0, 3).map((fact) => fact.text));
  const [first, ...others] = new Set(known.map((texts) => texts.join(', ')));
  return first === undefined || others.length > 0 ? [] : (known[0] ?? []);
}

/** Says of a run that its numbers decide nothing; nothing of a measurement. */
export function smokeTest({ preset, id }: RunFacts): Html | false {
  if (preset === undefined) return false;
  return html`<p>
    <span class="tag">smoke test</span> Run ${id} was measured by the preset ${preset}: one call,
    then a window of 20 ms, without a search for a steady state, on a machine that need not be
    quiet. It shows that everything works; its durations decide nothing, and are never pooled with
    those of other runs.
  </p> `;
}

/** How the trials ended, with a mark where a run is not whole or trials failed. */
function trialsSentence(findings: Findings): Html | false {
  const sentence = describeTrials(findings);
  if (sentence === '') return false;
  const { failed, timedOut } = countTrials(findings);
  const tag = !isWhole(findings)
    ? html`<span class="tag">unfinished</span> `
    : failed + timedOut > 0 && html`<span class="tag bad">failed</span> `;
  return html`${tag}${sentence}`;
}

/** Cautions before the numbers, in one line until they are asked for. */
export function cautions(all: readonly string[]): Html | false {
  if (all.length === 0) return false;
  return html`<details class="cautions">
    <summary>${plural(all.length, 'caution')} before you believe a number</summary>
    <ul>
      ${all.map((caution) => html`<li>${caution}</li>`)}
    </ul>
  </details>`;
}

/** More are no picture any more, and stand in the comparison alone. */
const mostCells = { wide: 60, tall: 160 };

/** More targets than this are rows, and the cases columns: a screen is higher than wide when it scrolls. */
const mostColumns = 8;

/** From these ratios on a difference has a darker shade; all others have the palest. */
const shades = [1.05, 1.25, 2] as const;

/** An undecided cell with a smaller ratio has no colour. */
const leastSeen = 1.02;

/** A run with more rows than this is a map while it goes on. */
const mostDrawn = 6;

/** Every case at a glance, of a run that goes on. False without values. */
export function glanceSoFar(findings: Findings, legend: Legend): Html | false {
  const versions = versionsAtAGlance(findings, legend);
  if (versions !== false) return versions;
  const isSmall = tellingRows(findings).length <= mostDrawn;
  return (isSmall && browsersAtAGlance(findings, legend)) || heatMap(findings, legend);
}

/** Case × target at a glance: each cell's colour is its ratio to the baseline. False without a comparison. */
function heatMap(findings: Findings, legend: Legend): Html | false {
  const pairs = placedPairs(findings);
  if (pairs.length === 0) return false;
  const pairOf = indexPairs(pairs);
  const rows = tellingRows(findings);
  const isTall = findings.targets.length > mostColumns;
  const cells = isTall ? mostCells.tall : mostCells.wide;
  const most = Math.ceil(cells / Math.max(1, findings.targets.length));
  const near = new Set(rowsByDistance(rows).slice(0, most));
  const shown = rows.filter((row) => near.has(row));
  const targets = findings.targets.filter(({ id }) =>
    shown.some(({ cells }) => cells.some((cell) => cell.targetId === id && isMeasured(cell))),
  );
  const setting = { findings, pairOf };
  const hasOpen = pairs.some(({ pair }) => findVerdict(pair) === 'undecided');
  const nameOf = (row: CaseRow): Html => {
    const isOne = rows.filter(({ caseName }) => caseName === row.caseName).length === 1;
    return html`<bdi>${row.label}</bdi>${!isOne && ` (${row.metric})`}`;
  };
  const targetOf = (target: Target): Html =>
    html`${colouredName(legend(target.id))}${isTall && renderVersion(target)}`;
  return html`<div class="scroll" role="region" aria-labelledby="heat" tabindex="0">
      <table class="heat">
        <caption id="heat">
          Against
          ${baselineName(findings.verdicts, legend)}${hasOpen && '; hatched: not decided, what was seen so far'};
          a cell leads to its case.
        </caption>
        <thead>
          <tr>
            <th scope="col">${isTall ? 'Browser' : 'Case'}</th>
            ${(isTall ? shown.map(nameOf) : targets.map(targetOf)).map((head) => html`<th scope="col">${head}</th> `)}
          </tr>
        </thead>
        <tbody>
          ${
            isTall
              ? targets.map((target) =>
                  lineOf(
                    targetOf(target),
                    shown.map((row) => cellOf(row, target.id, setting)),
                  ),
                )
              : shown.map((row) =>
                  lineOf(
                    nameOf(row),
                    targets.map(({ id }) => cellOf(row, id, setting)),
                  ),
                )
          }
        </tbody>
      </table>
    </div>
    ${shown.length < rows.length && html`<p class="soft">Those ${plural(shown.length, 'case')} whose browsers are farthest apart; <a href="#comparison">the comparison</a> has all ${rows.length}.</p>`}`;
}

function lineOf(head: Html, cells: readonly Html[]): Html {
  return html`<tr>
    <th scope="row">${head}</th>
    ${cells}
  </tr> `;
}

type Target = Findings['targets'][number];

interface Setting {
  readonly findings: Findings;
  readonly pairOf: PairOf;
}

function cellOf(row: CaseRow, id: string, { findings, pairOf }: Setting): Html {
  const cell = row.cells.find(({ targetId }) => targetId === id);
  if (cell === undefined || !isMeasured(cell))
    return html`<td class="missing">${missingMark}</td> `;
  const placed = pairOf(row, cell);
  const anchor = `#${rowAnchor(findings.rows.indexOf(row))}`;
  const level = describeShortLevel(cell, row.unit);
  const [className, text] = placed === undefined ? ['', level] : [shadeOf(placed), textOf(placed)];
  const words =
    placed === undefined ? `${level}, ${plural(cell.trials, 'trial')}` : tooltipOf(placed);
  return html`<td${className !== '' && html` class="${className}"`}>
    <a href="${anchor}" title="${words}">${text}</a>
  </td> `;
}

/** "3.1× (3.0–3.2×), 9 blocks: 1.43 s against 457 ms". */
function tooltipOf(placed: PlacedPair): string {
  const { ratio, interval } = describeRatio(placed);
  const [ours, theirs] = [placed.a, placed.b].map((cell) =>
    describeShortLevel(cell, placed.row.unit),
  );
  const range = interval === null ? '' : ` (${interval})`;
  return `${ratio}${range}, ${behind(placed.pair)}: ${ours ?? ''} against ${theirs ?? ''}`;
}

/** The hatch that marks what is not decided is for eyes alone. */
function textOf(placed: PlacedPair): Html {
  const isOpen = findVerdict(placed.pair) === 'undecided';
  return html`${describeOutcome(placed)}${isOpen && html`<span class="unseen"> (not decided)</span>`}`;
}

/** `slower-4`: the verdict and the size; `undecided slower-4` is hatched, by what was seen so far. */
function shadeOf({ pair }: PlacedPair): string {
  const verdict = findVerdict(pair);
  if (verdict === 'equivalent') return verdict;
  const size = Math.max(pair.ratio, 1 / pair.ratio);
  const isOpen = verdict === 'undecided';
  if (isOpen && size < leastSeen) return verdict;
  const isWorse = pair.ratio > 1 === (pair.direction === 'lower');
  const seen = isOpen ? (isWorse ? 'slower' : 'faster') : verdict;
  const shade = `${seen}-${String(1 + shades.filter((from) => size >= from).length)}`;
  return isOpen ? `undecided ${shade}` : shade;
}
