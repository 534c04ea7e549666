import { drawForest } from '../../../reports/html/forest.ts';
import { html, type Html } from '../../../reports/html/escape.ts';
import { plural } from '../../../reports/html/number.ts';
import type { Section } from '../../../reports/sections/report.ts';
import type { BlameFacts } from '../../core/results/blame.ts';
import { formatChange, formatShare } from './blame-text.ts';

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
      <p class="soft">
        Self time in one operation, without what a function calls. Both versions were profiled in
        blocks of their own (${blame.profiledRuns.length === 1 ? 'run' : 'runs'}
        ${blame.profiledRuns.join(', ')}), apart from those that decided the verdict. Of the
        functions named here one in twenty is wrong on average.
      </p>`,
};

function drawComparison(one: BlameFacts['comparisons'][number]): Html {
  const { rows, blocks, total, page, version, against, browser } = one;
  const whole = total.isDecided ? formatChange(total) : 'not decided';
  const caption = html`${page !== null && html`<bdi>${page}</bdi>: `}<bdi>${version}</bdi> against
    <bdi>${against}</bdi> in <bdi>${browser}</bdi>. Whole operation: ${whole}.`;
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
      words: `${formatChange(row)}${formatShare(row)}`,
      published: null,
      measured: { value: row.changeMs, low: row.low, high: row.high },
      tooltip: formatChange(row),
    })),
  });
}
