import { formatPercent } from '../../../reports/html/number.ts';
import { join } from 'node:path';
import pc from 'picocolors';
import { describeDeaths } from './continue-night.ts';
import { describeUnfit } from './judgement.ts';
import type { AaLane, NightDocument } from './night-document.ts';

const colours = {
  running: pc.dim,
  fine: pc.green,
  attention: pc.yellow,
  red: pc.red,
  'broken-off': pc.red,
};

/** The result of a night, for a person. */
export function describeNight(night: NightDocument, folder: string): string {
  const { id, status, reasons, changes, aa, files, notifications } = night;
  const lines = [
    `night ${id}: ${colours[status](status)}`,
    ...reasons.map(({ text }) => `  ${text}`),
    ...changes.map(({ text }) => `  changed: ${text}`),
    ...describeUnfit(night).map((text) => pc.yellow(`  ${text}`)),
    describeRun(night),
    night.goneOn.length === 0 ? null : `  ${describeDeaths(night.goneOn)}; it was gone on with`,
    aa === null ? null : describeLane(aa),
    ...notifications.map(({ channel, sent, because }) =>
      sent ? `  told by ${channel}` : `  not told by ${channel}: ${because ?? ''}`,
    ),
    files.report === null ? null : `  report: ${files.report}`,
    `  ${join(folder, 'night.json')}`,
  ];
  return lines.filter((line) => line !== null).join('\n');
}

function describeRun({ run, ledger }: NightDocument): string | null {
  if (run === null || ledger === null) return null;
  const { planned, completed, failed, timedOut, skipped, quarantined } = ledger;
  const notCounted = quarantined === 0 ? '' : `, ${String(quarantined)} trials do not count`;
  return `  run ${String(run)}: ${String(planned)} cells, ${String(completed)} completed, ${String(failed)} failed, ${String(timedOut)} timed out, ${String(skipped)} skipped${notCounted}`;
}

function describeLane({ target, results, history }: AaLane): string {
  const seen = results.map((one) => one.smallestVisible).filter((value) => value !== null);
  const widest = seen.length === 0 ? null : Math.max(...seen);
  const tonight =
    widest === null
      ? 'too few blocks to see anything'
      : `differences below ${formatPercent(widest, 1)} may stay unseen`;
  const { alarms, comparisons, nights, rate } = history;
  const sofar =
    rate === null
      ? ''
      : `; false alarms: ${String(alarms)} of ${String(comparisons)} in ${String(nights)} night(s) (95 %: ${formatPercent(rate.low, 1)} … ${formatPercent(rate.high, 1)})`;
  return `  ${target} against itself: ${tonight}${sofar}`;
}
