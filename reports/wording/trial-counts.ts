import type { Findings } from '../../harness/core/results/index.ts';
import { formatCount, plural } from '../html/number.ts';

/** The trials of a report by how they ended. Browsers that are not here have none. */
export interface TrialCounts {
  readonly planned: number;
  /** In every median and verdict. */
  readonly counted: number;
  /** Completed, and left out because the machine was outside its limits. */
  readonly excluded: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly skipped: number;
  /** Without an outcome. */
  readonly open: number;
}

type CountedFindings = Pick<Findings, 'runs' | 'targets' | 'quarantined'>;

/** Counts the planned trials in browsers that are here; the plan has those of absent ones as skipped. */
export function countTrials({ runs, targets, quarantined }: CountedFindings): TrialCounts {
  const absent = targets.filter(({ status }) => status === 'missing');
  const sumOver = (kind: keyof Findings['runs'][number]['cells']): number =>
    runs.reduce((sum, { cells }) => sum + cells[kind], 0) -
    absent.reduce((sum, { cells }) => sum + (cells?.[kind] ?? 0), 0);
  const [planned, completed] = [sumOver('planned'), sumOver('completed')];
  const [failed, timedOut, skipped] = [sumOver('failed'), sumOver('timedOut'), sumOver('skipped')];
  const excluded = quarantined.reduce((sum, { trials }) => sum + trials, 0);
  return {
    planned,
    counted: Math.max(0, completed - excluded),
    excluded,
    failed,
    timedOut,
    skipped,
    open: planned - completed - failed - timedOut - skipped,
  };
}

/** "All 264 trials count.", "264 trials: 260 count, 4 excluded.", "Stopped after 104 of 264 trials: 104 count." */
export function describeTrials(findings: CountedFindings): string {
  const counts = countTrials(findings);
  const done = counts.planned - counts.open;
  if (counts.planned === 0) return '';
  if (counts.open === 0 && counts.counted === done && isFinished(findings)) {
    return done === 1 ? 'The one trial counts.' : `All ${formatCount(done)} trials count.`;
  }
  return `${describeProgress(findings, counts)}: ${describeEnds(counts)}.`;
}

/** Tells whether every run of a report came to its end with an outcome for every trial. */
export function isWhole(findings: CountedFindings): boolean {
  return isFinished(findings) && countTrials(findings).open === 0;
}

function isFinished({ runs }: Pick<Findings, 'runs'>): boolean {
  return runs.every(({ status }) => status === 'finished');
}

function describeProgress({ runs }: CountedFindings, { planned, open }: TrialCounts): string {
  const done = planned - open;
  const some =
    open === 0 ? plural(done, 'trial') : `${formatCount(done)} of ${plural(planned, 'trial')}`;
  const isStopped = runs.some(({ status }) => status === 'interrupted');
  if (isStopped) return `Stopped after ${some}`;
  return runs.some(({ status }) => status === 'running') ? `${some} so far` : some;
}

function describeEnds(counts: TrialCounts): string {
  const { counted, excluded, failed, timedOut, skipped, open } = counts;
  const ends = [
    [counted, 'count'],
    [excluded, 'excluded'],
    [failed, 'failed'],
    [timedOut, 'timed out'],
    [skipped, 'skipped'],
    [open, 'without an outcome'],
  ] as const;
  return ends
    .filter(([count], i) => i === 0 || count > 0)
    .map(([count, name]) => `${formatCount(count)} ${name}`)
    .join(', ');
}
