import type {
  ExplainedMeasure,
  ExplainedPartChange,
  Findings,
} from '../../harness/core/results/index.ts';
import { html, type Html, raw } from '../html/escape.ts';
import { formatQuantity } from '../html/number.ts';
import { findVerdict, type PlacedPair } from '../wording/difference.ts';
import { type EarlyLook, isContinuable } from '../wording/early-look.ts';
import {
  adviseMoreBlocks,
  describeEvidence,
  describePartChange,
  describePartLevels,
  isNotable,
} from '../wording/explained.ts';

/** A version of the page in one browser, by one measure. */
interface ComparedRow {
  readonly label: string;
  readonly caseName: string;
  readonly metric: string;
  readonly pair: PlacedPair | undefined;
}

/** The parts of a measure before and after, as bars of one scale; and what else the browser tells of it. */
export function explainedRows(
  rows: readonly ComparedRow[],
  targetId: string,
  { explained = [], runs: [run] }: Pick<Findings, 'explained' | 'runs'>,
): readonly Html[] {
  const compared = rows.filter(({ pair }) => pair !== undefined).length;
  return rows.flatMap((row) => {
    const { caseName, metric, pair } = row;
    const found = explained.find(
      (one) => one.targetId === targetId && one.caseName === caseName && one.metric === metric,
    );
    if (found === undefined) return [];
    const isAsked = isNotable(found, pair && findVerdict(pair.pair));
    const isOpen = isAsked && run !== undefined && isContinuable(run);
    const advice = isOpen ? adviseMoreBlocks(found, run.id) : null;
    const isShown = found.parts.length > 0 || isAsked;
    return isShown ? [drawExplained(found, compared > 1 ? row.label : null, advice)] : [];
  });
}

function drawExplained(
  found: ExplainedMeasure,
  label: string | null,
  advice: EarlyLook | null,
): Html {
  const { parts, lacks } = found;
  const evidence = [...describeEvidence(found, (text) => text), ...lacks];
  const lines = parts.map((part, i) => {
    const change = describePartChange(part);
    const levels = describePartLevels(part);
    return html`<li title="${levels}">
      <span class="t t${i}">${part.title}</span>
      ${part.isSettled ? html`<b>${change}</b>` : html`<span class="soft">${levels}, ${change}</span>`}
    </li>`;
  });
  return html`<tr class="explained">
    <th scope="row">
      <span class="soft"
        >${label === null ? 'parts of it' : html`parts of <bdi>${label}</bdi>`}</span
      >
    </th>
    <td></td>
    <td>${parts.length > 0 && drawParts(parts)}</td>
    <td colspan="2">
      ${
        lines.length > 0 &&
        html`<ul class="parts">
          ${lines}
        </ul>`
      }
      ${evidence.map((sentence) => html`<small class="soft"><bdi>${sentence}</bdi></small>`)}
      ${
        advice !== null &&
        html`<small class="soft"
          >${advice.sentence} <code data-copy>${advice.command}</code></small
        >`
      }
    </td>
  </tr>`;
}

const thick = 9;
const step = thick + 3;

function drawParts(parts: readonly ExplainedPartChange[]): Html {
  const sides = [
    { when: 'before', times: parts.map(({ beforeMs }) => beforeMs) },
    { when: 'after', times: parts.map(({ afterMs }) => afterMs) },
  ];
  const most = Math.max(...sides.map(({ times }) => addUp(times)));
  if (!(most > 0)) return raw('');
  const bars = sides.map(({ when, times }, side) =>
    times.map((ms, i) => {
      const [x, width] = [addUp(times.slice(0, i)), ms].map((one) => (100 * one) / most);
      if (width === undefined || width < 0.2) return raw('');
      const words = `${parts[i]?.title ?? ''} ${when}: ${formatQuantity(ms, { unit: 'ms', resolution: 0.1 })}`;
      return html`<rect
        class="part t${i}"
        x="${(x ?? 0).toFixed(2)}%"
        y="${side * step}"
        width="${width.toFixed(2)}%"
        height="${thick}"
        ><title>${words}</title></rect
      >`;
    }),
  );
  return html`<svg class="duel-strip" height="${2 * step}" aria-hidden="true">${bars.flat()}</svg>`;
}

function addUp(times: readonly number[]): number {
  return times.reduce((sum, ms) => sum + ms, 0);
}
