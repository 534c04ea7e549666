import type { CaseRow, Findings } from '../../harness/results/index.ts';
import { html, type Html } from '../html/escape.ts';
import { missingMark, plural } from '../html/number.ts';
import {
  indexPairs,
  isMeasured,
  type PairOf,
  type PlacedPair,
  placedPairs,
  rowsByDistance,
  describeShortLevel,
  tellingRows,
  findVerdict,
} from '../wording/difference.ts';
import { colouredName, type Legend, renderVersion } from '../wording/legend.ts';
import { baselineName, outcomeOrLevel } from '../wording/verdicts.ts';
import { rowAnchor } from './comparison-table.ts';

/** More are no picture any more, and stand in the comparison alone. */
const mostCells = { wide: 60, tall: 160 };

/** More targets than this are rows, and the cases columns: a screen is higher than wide when it scrolls. */
export const mostColumns = 8;

/** From these ratios on a difference has a darker shade; all others have the palest. */
const shades = [1.05, 1.25, 2] as const;

/** Case × target at a glance: each cell's colour is its ratio to the baseline. False without a comparison. */
export function heatMap(findings: Findings, legend: Legend): Html | false {
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
          ${baselineName(findings.verdicts, legend)}${hasOpen && '; where nothing is decided, the median'};
          a cell leads to its case.
        </caption>
        <thead>
          <tr>
            <th scope="col">${isTall ? 'Target' : 'Case'}</th>
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
    ${shown.length < rows.length && html`<p class="soft">Those ${plural(shown.length, 'case')} whose targets are farthest apart; <a href="#comparison">the comparison</a> has all ${rows.length}.</p>`}`;
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
  const [className, text] =
    placed === undefined ? ['', level] : [shadeOf(placed), textOf(placed, level)];
  return html`<td${className !== '' && html` class="${className}"`}>
    <a href="${anchor}">${text}</a>
  </td> `;
}

/** The hatch that marks what is not decided is for eyes alone. */
function textOf(placed: PlacedPair, level: string): Html {
  const isOpen = findVerdict(placed.pair) === 'undecided';
  return html`${outcomeOrLevel(placed, level)}${isOpen && html`<span class="unseen"> (not decided)</span>`}`;
}

/** `slower-4`: the verdict and the size; hatched where nothing is decided. */
function shadeOf({ pair }: PlacedPair): string {
  const verdict = findVerdict(pair);
  if (verdict === 'equivalent' || verdict === 'undecided') return verdict;
  const size = Math.max(pair.ratio, 1 / pair.ratio);
  return `${verdict}-${String(1 + shades.filter((from) => size >= from).length)}`;
}

/** A verdict and its size have a shade; hatched where nothing is decided. */
export const heatStyle = [
  `
.heat{border-collapse:separate;border-spacing:2px;font-size:.925rem}
.heat th,.heat td{border:0;min-width:0;padding:0}
.heat th{padding:.2rem .75rem .2rem 0;font-weight:400;text-align:left;white-space:nowrap}
.heat td{color:var(--ink);font-weight:400;white-space:nowrap;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.heat a{display:block;padding:.35rem .65rem;color:inherit;text-decoration:none}.heat a:hover{text-decoration:underline}
.heat .undecided{background:repeating-linear-gradient(45deg,var(--wash) 0 4px,var(--page) 4px 8px)}.heat .equivalent{background:var(--wash)}
@media(max-width:36rem){.heat{font-size:.8rem;overflow-wrap:normal}.heat a{padding:.35rem .3rem}.heat th{padding-right:.3rem}.heat th,.heat td{white-space:normal}.heat .t::before{display:none}}`,
  ...['slower', 'faster'].flatMap((verdict) =>
    [1, 2, 3, 4].map(
      (size) =>
        `.heat .${verdict}-${String(size)}{background:var(--${verdict[0] ?? ''}${String(size)})}`,
    ),
  ),
].join('');
