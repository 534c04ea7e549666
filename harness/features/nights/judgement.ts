import { exitCodes } from '../../errors.ts';
import { describeMissing } from './ledger.ts';
import type { CellLedger, NightDevice, NightDocument, NightReason } from './night-document.ts';

type NightJudgement = Required<Pick<NightDocument, 'status' | 'exitCode' | 'reasons'>>;

/**
 * One status and one exit code for a whole night. Red (3): something that a
 * night has to do was not done, or a cell has no outcome. Attention (1): everything was done, and a
 * person should look: a new anomaly, a cell that failed, or nothing that counts. Else fine (0). Pure.
 */
export function judgeNight(night: NightDocument): NightJudgement {
  const reasons = [
    ...failedSteps(night),
    ...(night.ledger === null ? [] : ledgerReasons(night.ledger)),
    ...unusableParts(night).map(({ text }) => ({ step: 'run', level: 'attention', text }) as const),
    ...newAnomalies(night),
  ];
  if (reasons.some(({ level }) => level === 'red')) {
    return { status: 'red', exitCode: exitCodes.unfinished, reasons };
  }
  return reasons.length === 0
    ? { status: 'fine', exitCode: exitCodes.fine, reasons }
    : { status: 'attention', exitCode: exitCodes.refuted, reasons };
}

/**
 * What made the machine unfit when the night began, in sentences. It is no reason for another status:
 * trials that were disturbed are set aside one by one, and are counted.
 */
export function describeUnfit({ preflight }: Pick<NightDocument, 'preflight'>): readonly string[] {
  if (preflight === null || preflight.fit) return [];
  return preflight.findings
    .filter(({ level }) => level === 'unfit')
    .map(({ what }) => `The machine was not fit when the night began: ${what}.`);
}

function failedSteps({ steps }: NightDocument): readonly NightReason[] {
  return steps
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ step, because }) => ({
      step,
      level: 'red',
      text: `${step} failed: ${because ?? 'it did not say why'}`,
    }));
}

function ledgerReasons(ledger: CellLedger): readonly NightReason[] {
  const bad = ledger.failed + ledger.timedOut;
  return [
    ...(ledger.withoutOutcome === 0
      ? []
      : [{ step: 'ledger', level: 'red', text: describeMissing(ledger) } as const]),
    ...(bad === 0
      ? []
      : [
          {
            step: 'run',
            level: 'attention',
            text: `${String(bad)} of ${String(ledger.planned)} cells failed or timed out`,
          } as const,
        ]),
  ];
}

function newAnomalies({ changes }: NightDocument): readonly NightReason[] {
  return changes
    .filter(({ kind }) => kind === 'new-anomaly')
    .map(({ text }) => ({ step: 'analysis', level: 'attention', text }));
}

/** A part of a night without usable results. */
interface Unusable {
  /** The device, or null for the night as a whole. */
  readonly device: string | null;
  readonly text: string;
}

/**
 * Where a night has measured nothing that may be used, although every cell has an outcome: devices
 * of which no trial counts, and the night itself when no more than half of what was tried counts.
 * Cells that were never tried, such as pages that a driver cannot read, do not count. Pure.
 */
export function unusableParts({ devices }: Pick<NightDocument, 'devices'>): readonly Unusable[] {
  const tried = sumOf(devices, (one) => one.tried);
  const counting = sumOf(devices, (one) => one.counting);
  const half = { device: null, text: `only ${String(counting)} of ${String(tried)} cells count` };
  return [
    ...devices
      .filter((one) => one.state === 'found' && one.tried > 0 && one.counting === 0)
      .map(({ id, tried: cells }) => ({
        device: id,
        text: `no trial of ${id} counts, of ${String(cells)} cells`,
      })),
    ...(tried > 0 && counting * 2 <= tried ? [half] : []),
  ];
}

function sumOf(devices: readonly NightDevice[], count: (one: NightDevice) => number): number {
  return devices.reduce((sum, one) => sum + count(one), 0);
}
