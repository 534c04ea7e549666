import type { Findings, RunFacts } from '../../harness/core/results/index.ts';
import type { PairVerdict } from '../../harness/core/results/verdicts.ts';
import { plural } from '../html/number.ts';
import { describeTime } from './change.ts';
import { findVerdict } from './difference.ts';
import { canGetBlocks, npxCrossfarm } from '../../harness/core/model/typed-command.ts';

export interface EarlyLook {
  /** Ends with a colon: the command follows it. */
  readonly sentence: string;
  readonly command: string;
}

/** True for a run that `continue` takes. */
export function isContinuable(run: RunFacts): boolean {
  return run.isClosed !== true && canGetBlocks(run);
}

/** No longer run is advised. */
const mostBlocks = 200;

/**
 * Advises how to decide what is undecided, with the command; null when nothing is, or where that
 * cannot be foreseen.
 */
export function earlyLook({ runs, verdicts }: Findings): EarlyLook | null {
  const [run, ...others] = runs;
  const { pairs, smallestBlocks, blockMs, openBlockMs } = verdicts;
  if (run === undefined || others.length > 0 || pairs.length === 0) return null;
  const open = pairs.filter((pair) => findVerdict(pair) === 'undecided');
  const needed = open.map((pair) => moreOf(pair, smallestBlocks));
  const near = needed.filter((more, index) => {
    return more > 0 && more + (open[index]?.blocks ?? 0) <= mostBlocks;
  });
  if (near.length === 0 || !isContinuable(run)) return null;
  const ms = openBlockMs ?? blockMs;
  const takes = ms === undefined ? '' : ` (≈ ${describeTime(Math.max(...near) * ms)})`;
  const sentence = `${countOpen(open.length, pairs.length)}. To decide ${describeNear(near.length, open.length)}${takes}`;
  return { sentence: `${sentence}:`, command: `${npxCrossfarm} continue ${String(run.id)}` };
}

function countOpen(open: number, all: number): string {
  if (all === 1) return 'The comparison is not decided yet';
  return `${String(open)} of ${plural(all, 'comparison')} ${open === 1 ? 'is' : 'are'} undecided`;
}

function describeNear(near: number, open: number): string {
  if (near < open) return `${String(near)} of them`;
  return open === 1 ? 'it' : 'them';
}

function moreOf(pair: PairVerdict, smallestBlocks: number): number {
  if (pair.because === 'too-few-blocks') return Math.max(1, smallestBlocks - pair.blocks);
  const isTooWide = pair.because === 'too-wide' || pair.because === 'mean-too-wide';
  return isTooWide ? (pair.moreBlocks ?? 0) : 0;
}
