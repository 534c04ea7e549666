/** Why a comparison ended, and how narrow its intervals are: for devices and for versions of a page. */
import { formatThreeDigits, plural } from '../../../reports/html/number.ts';
import { intervalReach } from '../../core/analysis/stopping.ts';
import type { Decision } from '../../core/analysis/stats/verdict.ts';
import type { Ending } from '../../core/app/run/block-watch.ts';
import type { Trial } from '../../core/model/trial.ts';
import type { VersionsComparison } from './compare-versions.ts';

export interface EndedComparison {
  readonly ended: Ending;
  /** Why a side gave no more values; null where it did. */
  readonly because: string | null;
  /** The share that was asked for. */
  readonly precision?: number | undefined;
  readonly decisions: readonly Decision[];
  /** Blocks of which a trial was carried out. */
  readonly blocks: number;
}

export function endedVersions(shown: VersionsComparison): EndedComparison {
  const { stopped, entries, trials } = shown;
  const decisions = entries.flatMap(({ decision: made }) =>
    made.kind === 'decided-on' ? [made.decision] : [],
  );
  return { ...shown, because: stopped, decisions, blocks: countBlocks(trials) };
}

/** The number of blocks of which a trial was carried out. */
export function countBlocks(trials: readonly Trial[]): number {
  const measured = trials.filter(({ outcome }) => outcome.kind !== 'skipped');
  return new Set(measured.map(({ job }) => job.block)).size;
}

/** Says in one line why there are no more blocks. */
export function describeEnding(shown: EndedComparison): string {
  const { ended, because, decisions, precision, blocks } = shown;
  const isOpen = decisions.some(({ verdict }) => verdict === 'undecided');
  const decided =
    precision === undefined
      ? isOpen
        ? 'more would not decide the rest'
        : 'all is decided'
      : `each interval is within ± ${percent(precision)}`;
  const why = {
    decided,
    budget: 'another would not fit into --budget',
    'most-blocks': 'more are not allowed (--max-blocks)',
    interrupted: 'it was interrupted',
    'no-values': because ?? 'a side gives no more values',
  }[ended];
  return [`it ended after ${plural(blocks, 'block')}: ${why}`, ...tooWide(shown)].join('; ');
}

function tooWide({ ended, precision, decisions }: EndedComparison): readonly string[] {
  if (precision === undefined || ended === 'decided') return [];
  const reached = widest(decisions);
  if (reached === null) return [`no interval of ± ${percent(precision)}`];
  return reached > precision
    ? [`the widest interval is ± ${percent(reached)}, and ± ${percent(precision)} was asked for`]
    : [];
}

/** Null while an interval has no two ends. */
function widest(decisions: readonly Decision[]): number | null {
  const most = Math.max(...decisions.map(intervalReach));
  return Number.isFinite(most) ? most : null;
}

function percent(share: number): string {
  return `${formatThreeDigits(100 * share)} %`;
}

/** `precision` of a comparison that was asked for one: the share, and that of the widest interval. */
export function precisionJson({
  precision,
  decisions,
}: Pick<EndedComparison, 'precision' | 'decisions'>): object {
  return precision === undefined
    ? {}
    : { precision: { asked: precision, reached: widest(decisions) } };
}
