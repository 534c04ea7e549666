import type {
  NightChange,
  NightDevice,
  NightDocument,
  AaLane,
  CellLedger,
} from './night-document.ts';
import { unusableParts, describeUnfit, headNight, judgeNight } from './judgement.ts';
import type {
  AnomalyFacts,
  HistoryFacts,
  LaneFacts,
  LedgerFacts,
  NightDeviceFacts,
  NightFacts,
  NightNumbers,
} from '../../core/results/index.ts';
import type { Anomaly } from '../../core/model/anomaly.ts';
import { type ChangeOfBuild, type NightAnalysis, readChange } from './analyse-night.ts';
import { describeConfirmed } from './blame-changes.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

/**
 * Changes since the night before: only these are notified. Nights that never came to notify
 * of theirs are as if they had not been; what they found stays news. Pure.
 * @param earlier the nights before, the newest first.
 */
export function findChanges(
  night: NightDocument,
  earlier: readonly NightDocument[],
): readonly NightChange[] {
  const concluded = earlier.filter(isConcluded);
  return [
    ...anomalyChanges(night, earlier),
    ...brokenOff(night),
    ...redChanges(night, concluded),
    ...unusableChanges(night, concluded),
    ...deviceChanges(night, concluded),
  ];
}

function isConcluded({ finishedAt }: NightDocument): boolean {
  return finishedAt !== null;
}

/**
 * Against the newest night that was analysed: a night whose analysis failed says nothing of them. An
 * anomaly is found once; if that night broke off afterwards, tonight reports it.
 */
function anomalyChanges(
  night: NightDocument,
  earlier: readonly NightDocument[],
): readonly NightChange[] {
  const last = earlier.findIndex(isConcluded);
  const untold = earlier.slice(0, last === -1 ? earlier.length : last);
  const analysed = [night, ...untold].flatMap(({ analysis }) => analysis ?? []);
  const before = earlier.filter(isConcluded).find((one) => one.analysis !== null)?.analysis ?? null;
  const isNew =
    (known: readonly { readonly id: string }[] = []) =>
    ({ id }: { readonly id: string }): boolean =>
      !known.some((one) => one.id === id);
  return [
    ...onceEach(analysed.flatMap(({ anomalies }) => anomalies))
      .filter(isNew(before?.anomalies))
      .map((one) => ({ kind: 'new-anomaly' as const, text: describeNew(one) })),
    ...onceEach(analysed.flatMap(({ gone }) => gone))
      .filter(isNew(before?.gone))
      .map(({ id, title }) => ({ kind: 'gone-anomaly' as const, text: `${id} is gone: ${title}` })),
  ];
}

function describeNew(one: NightAnalysis['anomalies'][number]): string {
  return describeConfirmed({ ...one, id: `${one.id} is new` });
}

function onceEach<T extends { readonly id: string }>(all: readonly T[]): readonly T[] {
  return all.filter(({ id }, index) => all.findIndex((one) => one.id === id) === index);
}

function brokenOff({ brokenOff: nights }: NightDocument): readonly NightChange[] {
  return nights.map((id) => ({
    kind: 'night-broken-off',
    text: `the night of ${id} never ended: its farm died`,
  }));
}

/** A night that is red for the same steps as the one before is not news. */
function redChanges(
  night: NightDocument,
  [before]: readonly NightDocument[],
): readonly NightChange[] {
  const now = redSteps(night);
  const then = before === undefined ? [] : redSteps(before);
  const fresh = now.filter((step) => !then.includes(step));
  const reasons = night.reasons.filter(
    ({ level, step }) => level === 'red' && fresh.includes(step),
  );
  if (reasons.length > 0) {
    const because = reasons.map(({ text }) => text).join('; ');
    return [{ kind: 'red-night', text: `the night is red: ${because}` }];
  }
  if (now.length > 0 || before?.status !== 'red') return [];
  return [{ kind: 'no-longer-red', text: 'the night is no longer red' }];
}

function redSteps({ reasons }: NightDocument): readonly string[] {
  return reasons.filter(({ level }) => level === 'red').map(({ step }) => step);
}

/** A part that was unusable the night before, too, is unchanged. */
function unusableChanges(
  night: NightDocument,
  [before]: readonly NightDocument[],
): readonly NightChange[] {
  const known = before === undefined ? [] : unusableParts(before).map(({ device }) => device);
  const fresh = unusableParts(night).filter(({ device }) => !known.includes(device));
  if (fresh.length === 0) return [];
  const text = `the night is of little use: ${fresh.map((one) => one.text).join('; ')}`;
  return [{ kind: 'night-unusable', text }];
}

/** Against the newest night that looked at the device. One that left the inventory is not lost. */
function deviceChanges(
  { devices }: NightDocument,
  earlier: readonly NightDocument[],
): readonly NightChange[] {
  return devices.flatMap((now): readonly NightChange[] => {
    const then = earlier.flatMap((one) => one.devices).find(({ id }) => id === now.id);
    if (then === undefined || isThere(then) === isThere(now)) return [];
    if (isThere(now)) return [{ kind: 'device-back', text: `${now.id} is back` }];
    return [{ kind: 'device-lost', text: `${now.id} is lost: ${now.because ?? now.state}` }];
  });
}

function isThere({ state }: NightDevice): boolean {
  return state === 'found';
}

interface Around {
  /** Nights before, the newest first. */
  readonly earlier: readonly NightDocument[];
  readonly anomalies: readonly Anomaly[];
  /** Null without a night before. */
  readonly numbers: NightNumbers | null;
}

/**
 * Facts of a night for the report of its run: those of `night.json`, as far as the night has come
 * when its report is written.
 */
export function nightFacts(
  night: NightDocument,
  { earlier, anomalies, numbers }: Around,
): NightFacts {
  const { aa, analysis, ledger, devices } = night;
  const { reasons } = judgeNight(night);
  const unfit = describeUnfit(night);
  const changes = findChanges({ ...night, reasons }, earlier);
  return {
    headline: headNight({ ...night, reasons, changes }, earlier.length === 0),
    changes: earlier.length === 0 ? null : changes.map(({ text }) => text),
    ...(unfit.length > 0 && { unfit }),
    numbers,
    ledger: ledger === null ? null : ledgerFacts(ledger),
    devices: devices.map((device) => deviceFacts(device, earlier)),
    anomalies: anomalies.toSorted(newestFirst).map((one) => anomalyFacts(one, [night, ...earlier])),
    lane: aa === null ? null : laneFacts(aa),
    history: analysis === null ? null : historyFacts(analysis),
  };
}

function ledgerFacts(ledger: CellLedger): LedgerFacts {
  const { planned, completed, failed, timedOut, skipped, withoutOutcome } = ledger;
  return { planned, completed, failed, timedOut, skipped, withoutOutcome };
}

function deviceFacts(device: NightDevice, earlier: readonly NightDocument[]): NightDeviceFacts {
  const { id, state, because } = device;
  const before = earlier
    .flatMap(({ devices }) => devices)
    .find((one) => one.id === id && one.version !== null);
  return {
    targetId: id,
    state,
    because,
    build: buildOf(device),
    before: before === undefined ? null : buildOf(before),
  };
}

function buildOf({ browser, version }: NightDevice): string | null {
  return browser === null ? null : `${browser} ${version ?? 'of unknown version'}`;
}

function newestFirst(one: Anomaly, other: Anomaly): number {
  return one.createdAt < other.createdAt ? 1 : -1;
}

function anomalyFacts(anomaly: Anomaly, nights: readonly NightDocument[]): AnomalyFacts {
  const { id, state, sentence, reason, createdAt } = anomaly;
  const command = `${npxCrossfarm} findings reproduce ${id}`;
  const change = readChange(anomaly);
  const confirmed = nights.flatMap(({ analysis }) => analysis?.anomalies ?? []);
  const { blame } = confirmed.find((one) => one.id === id) ?? {};
  const facts = { id, state, sentence, reason, since: createdAt, command };
  return {
    ...facts,
    ...(blame !== undefined && { blame }),
    ...(change !== null && { series: nameSeries(change) }),
  };
}

/** As the trends of a report name it. */
function nameSeries({
  deviceId,
  caseName,
  metricTitle,
  before,
  after,
}: ChangeOfBuild): NonNullable<AnomalyFacts['series']> {
  const builds = { before, after };
  return { targetId: deviceId, caseName, metric: metricTitle.toLowerCase(), builds };
}

function laneFacts({ target, results, history }: AaLane): LaneFacts {
  const { nights, comparisons, alarms, rate, smallest } = history;
  return {
    targetId: target,
    nights,
    comparisons,
    alarms,
    rate,
    cases: results.map(({ case: caseName, metric, blocks, smallestVisible, alarm }) => {
      const usual = smallest.find(
        (one) => one.device === target && one.case === caseName && one.metric === metric,
      );
      return {
        caseName,
        metric,
        blocks,
        smallestVisible,
        alarm,
        usually: usual?.smallestVisible ?? null,
        nights: usual?.nights ?? 1,
      };
    }),
  };
}

function historyFacts({ series, anomalies, gone, unconfirmed }: NightAnalysis): HistoryFacts {
  return {
    series,
    // Its function stands on its card.
    anomalies: anomalies.map(({ id, title }) => `${id}: ${title}`),
    gone: gone.map(({ id, title }) => `${id}: ${title}`),
    unconfirmed: unconfirmed.map(({ title, reason }) => `${title}: ${reason}`),
  };
}
