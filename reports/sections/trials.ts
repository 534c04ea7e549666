import type { CellFacts, TargetFacts } from '../findings.ts';
import { html, type Content } from '../html/escape.ts';
import { formatCount, missingMark } from '../html/number.ts';

/** What the column of `trialsCell` is called. */
export const trialsTitle = 'Trials';

/** Whether a report has anything to say in that column. */
export function hasTrials(targets: readonly TargetFacts[]): boolean {
  return targets.some(({ cells }) => cells !== undefined);
}

/** How the trials of a target ended: `12 completed, 1 failed`. What did not happen is left out. */
export function trialsCell({ cells }: TargetFacts): Content {
  if (cells === undefined) return missingMark;
  const said = endingsOf(cells)
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, name]) => `${formatCount(count)} ${name}`);
  return html`${said.join(', ')}`;
}

function endingsOf(cells: CellFacts): readonly (readonly [number, string])[] {
  const { planned, completed, failed, timedOut, skipped } = cells;
  return [
    [completed, 'completed'],
    [failed, 'failed'],
    [timedOut, 'timed out'],
    [skipped, 'skipped'],
    [planned - completed - failed - timedOut - skipped, 'without outcome'],
  ];
}
