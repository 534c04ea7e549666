import type { Findings, RunFacts } from '../../harness/core/results/index.ts';
import type { PairVerdict } from '../../harness/core/results/verdicts.ts';
import { plural } from '../html/number.ts';
import { blocksInTime, describeTime } from './change.ts';
import { findVerdict } from './difference.ts';
import { isOnOwnPage, npxCrossfarm } from '../../harness/core/model/typed-command.ts';

export interface EarlyLook {
  /** Ends with a colon: the command follows it. */
  readonly sentence: string;
  readonly command: string;
}

/** No longer run is advised. */
const mostBlocks = 200;

/**
 * Advises how to decide what is undecided, with the command; null when nothing is, or where that
 * cannot be foreseen.
 */
export function earlyLook({ runs, verdicts }: Findings): EarlyLook | null {
  const [run, ...others] = runs;
  const { pairs, smallestBlocks, blockMs } = verdicts;
  if (run === undefined || others.length > 0 || pairs.length === 0) return null;
  const open = pairs.filter((pair) => findVerdict(pair) === 'undecided');
  const blocks = Math.max(0, ...pairs.map((pair) => pair.blocks));
  const more = Math.max(0, ...open.map((pair) => moreOf(pair, smallestBlocks)));
  if (more === 0 || blocks + more > mostBlocks) return null;
  const isPair = run.suite === 'compare';
  if (isPair) {
    const what = blocksInTime(more, blockMs);
    if (isOnOwnPage(run.command)) {
      const command = run.command.replace(/ --seed[ =]\S+/, '');
      return {
        sentence: `Not decided yet; ${what} may decide it, measured from the start:`,
        command,
      };
    }
    const command = `${npxCrossfarm} compare --continue ${String(run.id)} --max-blocks ${String(more)}`;
    return { sentence: `Not decided yet; ${what} may decide it:`, command };
  }
  if (!/^(?:npx )?(?:farm|crossfarm) run\b/.test(run.command)) return null;
  const trials = blocks + more;
  const takes = blockMs === undefined ? '' : ` take about ${describeTime(trials * blockMs)} and`;
  const all = open.length === pairs.length ? 'Early look' : 'Some is open';
  return {
    sentence: `${all}: ${plural(blocks, 'trial')} of each; ${String(trials)} of each${takes} may decide it:`,
    command: withTrials(run, trials),
  };
}

function moreOf(pair: PairVerdict, smallestBlocks: number): number {
  if (pair.because === 'too-few-blocks') return Math.max(1, smallestBlocks - pair.blocks);
  return pair.because === 'too-wide' ? (pair.moreBlocks ?? 0) : 0;
}

/** The command of a run with another number of trials, and another order. */
function withTrials({ command }: RunFacts, trials: number): string {
  const bare = command.replace(/ --(?:trials|seed|max-blocks)[ =]\S+| --until decided/g, '');
  return `${bare.startsWith('npx ') ? '' : 'npx '}${bare} --trials ${String(trials)}`;
}
