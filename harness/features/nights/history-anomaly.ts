import { median } from 'simple-statistics';
import { formatThreeDigits } from '../../../reports/html/number.ts';
import type { SearchedSeries } from './history/history.ts';
import type { Anomaly, AnomalyState } from '../../model/anomaly.ts';
import { caseName } from '../../model/case.ts';
import type { NightValue } from '../../model/night.ts';
import { defaultMargin } from '../../analysis/stats/verdict.ts';
import type { SuspectedChange } from './confirm-suspects.ts';
import { buildNames } from '../compare/build-pair.ts';

/** The series of an anomaly, and the builds between which it changed. */
interface ChangeOfBuild {
  readonly deviceId: string;
  readonly caseName: string;
  readonly metric: string;
  readonly before: string;
  readonly after: string;
}

/** Null for an anomaly that was not found between two builds of one device. */
function changeOf({ question, targets }: Anomaly): ChangeOfBuild | null {
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
  return { deviceId, caseName: caseName(a.case), metric: quantity, before, after };
}

/**
 * Whether this night found the anomaly before its farm died: what nights confirm is saved at once.
 * The run that confirmed it does not count, as an earlier night may have begun it. Pure.
 * @param startedAt when the night's run began.
 */
export function isOfThisNight(anomaly: Anomaly, startedAt: string): boolean {
  return anomaly.createdAt > startedAt && changeOf(anomaly) !== null;
}

/** Whether the anomaly is that very change, in any state. */
export function isKnown({ series, change }: SuspectedChange, anomaly: Anomaly): boolean {
  const known = changeOf(anomaly);
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
export function isGone(anomaly: Anomaly, live: readonly SearchedSeries[]): string | null {
  const known = open.includes(anomaly.state) ? changeOf(anomaly) : null;
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
