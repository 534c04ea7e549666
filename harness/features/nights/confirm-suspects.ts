import { formatThreeDigits } from '../../../reports/html/number.ts';
import { isFinding } from '../../core/analysis/anomaly.ts';
import type { NightChange, NightSeries } from './history/history.ts';
import type { NightValue } from '../../core/model/night.ts';
import { defaultAlpha, type Decision } from '../../core/analysis/stats/verdict.ts';
import { describeCarried, type CarriedEvidence } from './same-test.ts';

/** A series with the change that is suspected in it. */
export interface SuspectedChange {
  readonly series: NightSeries;
  readonly change: NightChange;
}

/** Result of a re-measurement of the build after the change against the one before. */
export interface Remeasurement {
  /** Null when the two gave no block in common. */
  readonly decision: Decision | null;
  /** Why it ended before it was decided; null when it was, or when its time was over. */
  readonly stopped: string | null;
  /** Keeps it as an anomaly, and gives the id. Only of a finding. */
  readonly save: (sentence: string) => Promise<string>;
}

/** The functions and limits of confirming. */
export interface ConfirmMeans {
  /** Makes ready what measures a suspect again, or says why that cannot be done. */
  readonly prepare: (suspected: SuspectedChange) => Promise<Preparation>;
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
}

export type Preparation =
  { readonly kind: 'cannot'; readonly because: string } | ({ readonly kind: 'ready' } & Ready);

interface Ready {
  readonly remeasure: Remeasure;
  /** Of the test that it continues; absent where one begins tonight. */
  readonly carried?: CarriedEvidence;
}

export type Remeasure = (limits: RemeasureLimits) => Promise<Remeasurement>;

export interface RemeasureLimits {
  /** Error rate of the sequential test. */
  readonly alpha: number;
  readonly budgetMs: number;
}

export interface ConfirmedChange {
  readonly kind: 'anomaly';
  readonly suspected: SuspectedChange;
  readonly id: string;
  /** Evidence of earlier nights in it. */
  readonly carried?: CarriedEvidence;
}

export type Confirmation =
  | ConfirmedChange
  | { readonly kind: 'unconfirmed'; readonly suspected: SuspectedChange; readonly reason: string };

export interface ConfirmOrder {
  readonly means: ConfirmMeans;
  /** For all of them together. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
}

/** Less time settles little: a difference of 5 % takes some 25 blocks of two fresh browsers, often more. */
const usefulMs = 4 * 60_000;

/**
 * Measures suspects again, the clearest first, and keeps those that are confirmed as anomalies.
 *
 * The sequential test decides on suspects of the history, by blocks that hold a trial of the old
 * build and one of the new in random order; nights have no part in that evidence. The error rate of
 * 5 % is shared out among the tests that begin tonight (Bonferroni). A test keeps its share until
 * it is decided: one that an earlier night began continues at the level of that night, with all its
 * blocks, and takes nothing of tonight's. So the tests that a night begins save a false anomaly
 * with probability 5 % at most, at any number of them and in any night of their end. Time is shared
 * out among all: each may take its part of what is left; but where that would settle none of them,
 * the clearest get enough, and the others wait for the next night, which suspects them again.
 */
export async function confirmSuspects(
  suspects: readonly SuspectedChange[],
  { means, budgetMs, signal }: ConfirmOrder,
): Promise<readonly Confirmation[]> {
  const end = means.now() + budgetMs;
  const confirmations: Confirmation[] = [];
  const ready: (Ready & { readonly suspected: SuspectedChange })[] = [];
  for (const suspected of [...suspects].sort(byClarity)) {
    const prepared = await prepare(suspected, means);
    if (prepared.kind === 'ready') ready.push({ ...prepared, suspected });
    else confirmations.push({ kind: 'unconfirmed', suspected, reason: prepared.because });
  }
  const beginning = ready.filter(({ carried }) => carried === undefined).length;
  for (const [order, one] of ready.entries()) {
    const { suspected, remeasure, carried } = one;
    const alpha = carried?.alpha ?? defaultAlpha / beginning;
    const left = end - means.now();
    const share = Math.max(left / (ready.length - order), Math.min(left, usefulMs));
    confirmations.push(
      signal.aborted || share <= 0
        ? { kind: 'unconfirmed', suspected, reason: whyNoTurn(signal) }
        : await settle(one, await remeasure({ alpha, budgetMs: share })),
    );
  }
  return confirmations;
}

/** The rarest first, and of equally rare ones the largest. */
function byClarity(one: SuspectedChange, other: SuspectedChange): number {
  const size = ({ change }: SuspectedChange): number => Math.abs(Math.log(change.ratio));
  return one.change.p - other.change.p || size(other) - size(one);
}

/**
 * Only a build can be run again with a newer one: a kernel cannot, and last month's night neither.
 */
function prepare(
  suspected: SuspectedChange,
  means: ConfirmMeans,
): Promise<Preparation> | Preparation {
  const { before, after } = sidesOf(suspected);
  if (versionOf(before) !== versionOf(after)) return means.prepare(suspected);
  const { kind, text } = suspected.change.attribution;
  const since = `between run ${String(before.run.id)} and run ${String(after.run.id)}`;
  return {
    kind: 'cannot',
    because:
      kind === 'nothing-known'
        ? `nothing that is known of changed ${since}, so there is no old state to measure beside the new`
        : `${text} changed ${since}, and what was there before cannot be run beside it`,
  };
}

/** The last night before the change, and the first one after it. */
export function sidesOf({ series, change }: SuspectedChange): {
  readonly before: NightValue;
  readonly after: NightValue;
} {
  const [before, after] = [series.nights[change.index - 1], series.nights[change.index]];
  if (before === undefined || after === undefined) throw new RangeError('a change has two sides');
  return { before, after };
}

function versionOf({ target }: NightValue): string {
  return target.browser.version;
}

function whyNoTurn(signal: AbortSignal): string {
  return signal.aborted
    ? 'the night was interrupted before it was measured again'
    : 'the night’s time for measuring again was over before its turn';
}

async function settle(
  { suspected, carried }: { readonly suspected: SuspectedChange } & Pick<Ready, 'carried'>,
  { decision, stopped, save }: Remeasurement,
): Promise<Confirmation> {
  if (decision === null) {
    const why = stopped === null ? '' : `: ${stopped}`;
    const reason = `measured again, old build and new gave no block in common${why}`;
    return { kind: 'unconfirmed', suspected, reason };
  }
  const isSameSide = decision.ratio > 1 === suspected.change.ratio > 1;
  if (isFinding(decision) && isSameSide) {
    const id = await save(sentenceOf(suspected, decision));
    return { kind: 'anomaly', suspected, id, ...(carried !== undefined && { carried }) };
  }
  const reason = `${whyNot(decision, stopped)}${describeCarried(carried)}`;
  return { kind: 'unconfirmed', suspected, reason };
}

function sentenceOf(suspected: SuspectedChange, decision: Decision): string {
  const { series } = suspected;
  const { before, after } = sidesOf(suspected);
  const builds = `${versionOf(before)} → ${versionOf(after)}`;
  const metric = series.metric.title.toLowerCase();
  return `${series.caseName} is ${decision.verdict} on ${series.deviceId} since ${builds}: ${metric} ${formatThreeDigits(decision.ratio)}×`;
}

function whyNot(decision: Decision, stopped: string | null): string {
  const { verdict, ratio, low, high, blocks } = decision;
  const interval =
    low === null || high === null ? '' : `${formatThreeDigits(low)} … ${formatThreeDigits(high)}, `;
  const figures = `${formatThreeDigits(ratio)}× (${interval}${String(blocks)} blocks)`;
  const measured = `measured again, old build beside new, it is`;
  if (verdict === 'undecided') {
    const why = stopped === null ? '' : `; ${stopped}`;
    return `${measured} undecided: ${figures}${why}`;
  }
  if (verdict === 'equivalent') return `${measured} equivalent: ${figures}`;
  return `${measured} ${verdict}, which is the other way round: ${figures}`;
}
