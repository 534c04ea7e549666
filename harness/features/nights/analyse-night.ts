import { formatThreeDigits } from '../../../reports/html/number.ts';
import { seriesTitle, type NightChange, type SearchedSeries } from './history/history.ts';
import type { Anomaly } from '../../model/anomaly.ts';
import type { Run } from '../../model/run.ts';
import {
  confirmSuspects,
  type ConfirmMeans,
  type ConfirmedChange,
  type SuspectedChange,
} from './confirm-suspects.ts';
import { isGone, isKnown, isOfThisNight } from './history-anomaly.ts';
import { describeCarried } from './same-test.ts';

/** Findings of one night from the history of its series. */
export interface NightAnalysis {
  /** How many series were searched. */
  readonly series: number;
  /** Changes seen in the history of a series, tonight's or of the last few nights. */
  readonly suspects: readonly {
    readonly title: string;
    readonly ratio: number;
    readonly cause: string;
  }[];
  /** Suspects that an interleaved re-measurement confirmed. */
  readonly anomalies: readonly { readonly id: string; readonly title: string }[];
  /** Suspects that it did not confirm, or that could not be measured again. */
  readonly unconfirmed: readonly { readonly title: string; readonly reason: string }[];
  /** Anomalies that were closed tonight, because the effect is gone. */
  readonly gone: readonly { readonly id: string; readonly title: string }[];
}

/** The functions that the analysis uses. */
export interface AnalysisMeans extends ConfirmMeans {
  /** All series of the night's suite, searched. */
  readonly searchSeries: () => Promise<readonly SearchedSeries[]>;
  readonly listAnomalies: () => Promise<readonly Anomaly[]>;
  readonly closeAnomaly: (id: string, reason: string) => Promise<void>;
}

export interface AnalysisLimits {
  /** Time for re-measuring, in milliseconds. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
  /** The night's. */
  readonly run: Pick<Run, 'id' | 'startedAt'>;
}

/**
 * Series → suspects → re-measurement → anomalies; and anomalies whose effect has gone are closed.
 * A change that was examined before is no suspect again, whatever the result.
 */
export async function analyseWith(
  means: AnalysisMeans,
  { run, budgetMs, signal }: AnalysisLimits,
): Promise<NightAnalysis> {
  const all = await means.searchSeries();
  const live = all.filter(({ series }) => series.nights.at(-1)?.run.id === run.id);
  const anomalies = await means.listAnomalies();
  const suspected = live
    .flatMap(({ series, suspect }) => (suspect === null ? [] : [{ series, change: suspect }]))
    .filter((one) => !anomalies.some((anomaly) => isKnown(one, anomaly)));
  const gone = await closeGone(live, anomalies, means);
  const confirmed = await confirmSuspects(suspected, { means, budgetMs, signal });
  return {
    series: live.filter(({ notSearched }) => notSearched === null).length,
    suspects: suspected.map((one) => ({
      title: suspectTitle(one),
      ratio: one.change.ratio,
      cause: one.change.attribution.text,
    })),
    anomalies: [
      ...anomalies
        .filter((one) => isOfThisNight(one, run.startedAt))
        .map(({ id, sentence }) => ({ id, title: sentence })),
      ...confirmed.flatMap((one) =>
        one.kind === 'anomaly' ? [{ id: one.id, title: confirmedTitle(one) }] : [],
      ),
    ],
    unconfirmed: confirmed.flatMap((one) =>
      one.kind === 'unconfirmed'
        ? [{ title: suspectTitle(one.suspected), reason: one.reason }]
        : [],
    ),
    gone,
  };
}

async function closeGone(
  live: readonly SearchedSeries[],
  anomalies: readonly Anomaly[],
  means: AnalysisMeans,
): Promise<NightAnalysis['gone']> {
  const gone: { id: string; title: string }[] = [];
  for (const anomaly of anomalies) {
    const reason = isGone(anomaly, live);
    if (reason === null) continue;
    await means.closeAnomaly(anomaly.id, reason);
    gone.push({ id: anomaly.id, title: `${anomaly.sentence}: ${reason}` });
  }
  return gone;
}

/** `duration of fib n=20 on chromium: 1.05× since run 42`. */
function suspectTitle({ series, change }: SuspectedChange): string {
  return `${seriesTitle(series)}: ${ratioText(change)} since run ${String(change.run)}`;
}

function confirmedTitle({ suspected, carried }: ConfirmedChange): string {
  return `${suspectTitle(suspected)}${describeCarried(carried)}`;
}

function ratioText({ ratio }: NightChange): string {
  return `${formatThreeDigits(ratio)}×`;
}
