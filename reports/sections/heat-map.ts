import type { CaseRow, Findings } from '../findings/index.ts';
import { html, type Html } from '../html/escape.ts';
import { missingMark, plural } from '../html/number.ts';
import { caseLabels } from '../wording/case-label.ts';
import {
  indexPairs,
  isMeasured,
  levelOf,
  type PairOf,
  type PlacedPair,
  placedPairs,
  rowsByDistance,
  tellingRows,
  verdictOf,
} from '../wording/difference.ts';
import { colouredName, type Legend } from '../wording/legend.ts';
import { baselineName, shortOutcome } from '../wording/verdicts.ts';
import { rowAnchor } from './comparison-table.ts';

/** More are no picture any more, and stand in the comparison alone. */
const mostCells = 60;

/** From these ratios on a difference has a darker shade; all others have the palest. */
const shades = [1.05, 1.25, 2] as const;

/** Case × target at a glance: each cell's colour is its ratio to the baseline. False without a comparison. */
export function heatMap(findings: Findings, legend: Legend): Html | false {
  const pairs = placedPairs(findings);
  if (pairs.length === 0) return false;
  const pairOf = indexPairs(pairs);
  const rows = tellingRows(findings);
  const most = Math.ceil(mostCells / Math.max(1, findings.targets.length));
  const near = new Set(rowsByDistance(rows).slice(0, most));
  const shown = rows.filter((row) => near.has(row));
  const targets = findings.targets.filter(({ id }) =>
    shown.some(({ cells }) => cells.some((cell) => cell.targetId === id && isMeasured(cell))),
  );
  const labels = caseLabels(findings.rows);
  const setting = { findings, pairOf };
  const nameOf = (row: CaseRow): Html => {
    const isOne = rows.filter(({ caseName }) => caseName === row.caseName).length === 1;
    return html`<bdi>${labels.get(row.caseName) ?? row.caseName}</bdi
      >${!isOne && ` (${row.metric})`}`;
  };
  return html`<div class="scroll" role="region" aria-labelledby="heat" tabindex="0">
      <table class="heat">
        <caption id="heat">
          Against ${baselineName(findings.verdicts, legend)}; a cell leads to its case.
        </caption>
        <thead>
          <tr>
            <th scope="col">Case</th>
            ${targets.map(({ id }) => html`<th scope="col">${colouredName(legend(id))}</th> `)}
          </tr>
        </thead>
        <tbody>
          ${shown.map(
            (row) =>
              html`<tr>
                <th scope="row">${nameOf(row)}</th>
                ${targets.map(({ id }) => cellOf(row, id, setting))}
              </tr> `,
          )}
        </tbody>
      </table>
    </div>
    ${shown.length < rows.length && html`<p class="soft">Those ${plural(shown.length, 'case')} whose targets are farthest apart; <a href="#comparison">the comparison</a> has all ${rows.length}.</p>`}`;
}

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
  const [className, text] =
    placed === undefined
      ? ['', levelOf(cell, row.unit).median]
      : [shadeOf(placed), shortOutcome(placed)];
  return html`<td${className !== '' && html` class="${className}"`}>
    <a href="${anchor}">${text}</a>
  </td> `;
}

/** `slower-4`: the verdict and the size; hatched where nothing is decided. */
function shadeOf({ pair }: PlacedPair): string {
  const verdict = verdictOf(pair);
  if (verdict === 'equivalent' || verdict === 'undecided') return verdict;
  const size = Math.max(pair.ratio, 1 / pair.ratio);
  return `${verdict}-${String(1 + shades.filter((from) => size >= from).length)}`;
}
