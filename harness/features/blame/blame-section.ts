import { drawForest } from '../../../reports/html/forest.ts';
import { html, type Html } from '../../../reports/html/escape.ts';
import { formatLevel, plural } from '../../../reports/html/number.ts';
import type { Section } from '../../../reports/sections/report.ts';
import { formatMsChange } from '../../../reports/wording/change.ts';
import type { BlameFacts } from '../../core/results/blame.ts';
import { formatShareOfDifference } from './blame-text.ts';

/** The functions that made the differences of a comparison. */
export const blameSection: Section = {
  id: 'blame',
  title: 'Functions',
  heading: 'Functions that made the difference',
  shape: 'open',
  after: 'in-short',
  render: ({ findings: { blame } }) =>
    blame !== undefined &&
    html`${blame.comparisons.map(drawComparison)}${blame.notProfiled.map(
      (sentence) => html`<p class="soft"><bdi>${sentence}</bdi>.</p>`,
    )}
    ${blame.profiledRuns.length > 0 && drawMethod(blame)}`,
};

/** Says how the functions were found, and why there are no groups of inlined ones. */
function drawMethod({ profiledRuns, alpha }: BlameFacts): Html {
  return html`<p class="soft">
    Self time in one operation, without what a function calls. Both sides were profiled in blocks of
    their own (${profiledRuns.length === 1 ? 'run' : 'runs'} ${profiledRuns.join(', ')}), apart from
    those that decided the verdict. At most ${formatLevel(alpha)} of the functions named here are
    wrong on average. An inlined function has a row of its own: engines time it apart, and do not
    mark it.
  </p>`;
}

function drawComparison(one: BlameFacts['comparisons'][number]): Html {
  const { rows, blocks, total, page, version, against, browser } = one;
  const whole = total.isDecided ? formatMsChange(total) : 'not decided';
  const caption = html`${page !== null && html`<bdi>${page}</bdi>: `}<bdi>${version}</bdi> against
    <bdi>${against}</bdi>${browser !== null && html` in <bdi>${browser}</bdi>`}. Whole operation:
    ${whole}.`;
  if (rows.length === 0) {
    return html`<p>
      ${caption} No function is settled after ${plural(blocks, 'profiled block')}.
    </p>`;
  }
  return drawForest({
    kind: 'level',
    unit: 'ms',
    caption,
    isCompact: true,
    mostShown: 8,
    rows: rows.map((row) => ({
      title: html`<b><bdi>${row.name}</bdi></b>`,
      words: `${formatMsChange(row)}${formatShareOfDifference(row)}`,
      published: null,
      measured: { value: row.changeMs, low: row.low, high: row.high },
      tooltip: formatMsChange(row),
    })),
  });
}
