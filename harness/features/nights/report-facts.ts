import type {
  AnomalyFacts,
  HistoryFacts,
  LaneFacts,
  LedgerFacts,
  NightDeviceFacts,
  NightFacts,
  NightNumbers,
} from '../../results/index.ts';
import type { Anomaly } from '../../model/anomaly.ts';
import type { NightAnalysis } from './analyse-night.ts';
import { findChanges } from './changes.ts';
import { describeUnfit, judgeNight } from './judgement.ts';
import type { AaLane, CellLedger, NightDevice, NightDocument } from './night-document.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

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
  return {
    changes:
      earlier.length === 0
        ? null
        : findChanges({ ...night, reasons }, earlier).map(({ text }) => text),
    ...(unfit.length > 0 && { unfit }),
    numbers,
    ledger: ledger === null ? null : ledgerFacts(ledger),
    devices: devices.map((device) => deviceFacts(device, earlier)),
    anomalies: anomalies.toSorted(newestFirst).map(anomalyFacts),
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

function anomalyFacts({ id, state, sentence, reason, createdAt }: Anomaly): AnomalyFacts {
  const command = `${npxCrossfarm} reproduce ${id}`;
  return { id, state, sentence, reason, since: createdAt, command };
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
    anomalies: anomalies.map(({ id, title }) => `${id}: ${title}`),
    gone: gone.map(({ id, title }) => `${id}: ${title}`),
    unconfirmed: unconfirmed.map(({ title, reason }) => `${title}: ${reason}`),
  };
}
