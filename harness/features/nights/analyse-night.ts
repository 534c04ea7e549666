import { formatThreeDigits } from '../../../reports/html/number.ts';
import { seriesTitle, type NightChange, type SearchedSeries } from './history/history.ts';
import type { Anomaly, AnomalyState } from '../../core/model/anomaly.ts';
import type { Run } from '../../core/model/run.ts';
import {
  confirmSuspects,
  type ConfirmMeans,
  type ConfirmedChange,
  type SuspectedChange,
} from './confirm-suspects.ts';
import { describeCarried } from './same-test.ts';
import { median } from 'simple-statistics';
import { caseName } from '../../core/model/case.ts';
import type { NightValue } from '../../core/model/night.ts';
import { defaultMargin } from '../../core/analysis/stats/verdict.ts';
import { buildNames } from '../compare/build-pair.ts';

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
  readonly anomalies: readonly {
    readonly id: string;
    readonly title: string;
    /** The function that made it, or why that is not known: half a sentence. Absent until it is looked for. */
    readonly blame?: string | undefined;
  }[];
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
 * Series → suspects → re-measurement → anomalies; and anomalies whose effect has gone are closed. A
 * change that was examined before is not suspected again, with any result.
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

/** The series of an anomaly, and the builds between which it changed. */
export interface ChangeOfBuild {
  readonly deviceId: string;
  readonly caseName: string;
  readonly metric: string;
  readonly metricTitle: string;
  readonly before: string;
  readonly after: string;
}

/** Null for an anomaly that was not found between two builds of one device. */
export function readChange({ question, targets }: Anomaly): ChangeOfBuild | null {
  const [assertion] = question.assertions;
  if (assertion?.kind !== 'ratio') return null;
  const { a, b, quantity } = assertion;
  const deviceId = a.deviceId.replace(/@after$/, '');
  const names = buildNames(deviceId);
  if (a.deviceId !== names.after || b.deviceId !== names.before) return null;
  const versionOf = (id: string): string | undefined =>
    targets.find(({ device }) => device.id === id)?.browser.version;
  const [after, before] = [versionOf(names.after), versionOf(names.before)];
  if (before === undefined || after === undefined) return null;
  const { benchmark } = a.case;
  const metric = benchmark.metrics.find(({ id }) => id === quantity);
  const named = { metric: quantity, metricTitle: metric?.title ?? quantity };
  return { deviceId, caseName: caseName(a.case), ...named, before, after };
}

/**
 * True if this night found the anomaly before its farm died: nights save confirmed ones at once.
 * The run that confirmed it does not count, as an earlier night may have begun it. Pure.
 * @param startedAt when the night's run began.
 */
function isOfThisNight(anomaly: Anomaly, startedAt: string): boolean {
  return anomaly.createdAt > startedAt && readChange(anomaly) !== null;
}

/** True if the anomaly is that very change, in any state. */
function isKnown({ series, change }: SuspectedChange, anomaly: Anomaly): boolean {
  const known = readChange(anomaly);
  const [before, after] = [series.nights[change.index - 1], series.nights[change.index]];
  return (
    known !== null &&
    isOf(known, series) &&
    before?.target.browser.version === known.before &&
    after?.target.browser.version === known.after
  );
}

function isOf(known: ChangeOfBuild, series: SearchedSeries['series']): boolean {
  return (
    series.deviceId === known.deviceId &&
    series.caseName === known.caseName &&
    series.metric.id === known.metric
  );
}

/** A person has not put it aside, and no night has closed it. */
const open: readonly AnomalyState[] = ['untriaged', 'reproduced', 'not-reproduced', 'inconclusive'];

/** Nights that have to lie at the old level before an effect counts as gone. */
const nightsBack = 3;

/**
 * Why an open anomaly's effect is gone; null as long as it is not, or is not known. It is gone when
 * a later build has come, each of the last three nights lies nearer to the level before the change
 * than to the one after it, and their median within 2 % of the former.
 *
 * Without a later build a low is taken for a low: the anomaly was confirmed between two builds, side
 * by side, and the newer of them still runs.
 */
function isGone(anomaly: Anomaly, live: readonly SearchedSeries[]): string | null {
  const known = open.includes(anomaly.state) ? readChange(anomaly) : null;
  const series = known === null ? undefined : live.find((one) => isOf(known, one.series))?.series;
  if (known === null || series === undefined) return null;
  const { nights } = series;
  const lastOfAfter = nights.findLastIndex((one) => versionOf(one) === known.after);
  const last = nights.slice(Math.max(lastOfAfter + 1, nights.length - nightsBack));
  const before = levelOf(nights, known.before);
  const after = levelOf(nights, known.after);
  if (before === null || after === null || !areBack(last, before, after)) return null;
  return whyGone(last, known.before, before);
}

function whyGone(last: readonly NightValue[], version: string, level: number): string {
  const [build] = last
    .map(({ target }) => `${target.browser.name} ${target.browser.version}`)
    .slice(-1);
  const ratio = median(last.map((one) => one.median)) / level;
  return `since ${String(build)} it is at the level of ${version} again (${formatThreeDigits(ratio)}×, ${String(nightsBack)} nights)`;
}

function areBack(last: readonly NightValue[], before: number, after: number): boolean {
  const distance = (value: number, level: number): number => Math.abs(Math.log(value / level));
  const values = last.map((one) => one.median);
  return (
    values.length >= nightsBack &&
    values.every((value) => distance(value, before) < distance(value, after)) &&
    distance(median(values), before) <= Math.log1p(defaultMargin)
  );
}

function levelOf(nights: readonly NightValue[], version: string): number | null {
  const values = nights.filter((one) => versionOf(one) === version).map((one) => one.median);
  return values.length === 0 ? null : median(values);
}

function versionOf({ target }: NightValue): string {
  return target.browser.version;
}
