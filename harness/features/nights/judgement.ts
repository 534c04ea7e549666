import { exitCodes } from '../../core/errors.ts';
import type { CellLedger, NightDevice, NightDocument, NightReason } from './night-document.ts';
import { caseName } from '../../core/model/case.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { isQuarantined, setAsideAfter, type Trial } from '../../core/model/trial.ts';
import { plural } from '../../../reports/html/number.ts';
import { isTwin } from './aa-lane.ts';
import { describeConfirmed } from './blame-changes.ts';

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
 * Describes in sentences why the machine was unfit at the beginning of the night. The status does
 * not depend on it: disturbed trials are excluded one by one, and counted.
 */
export function describeUnfit({ preflight }: Pick<NightDocument, 'preflight'>): readonly string[] {
  if (preflight === null || preflight.fit) return [];
  return preflight.findings
    .filter(({ level }) => level === 'unfit')
    .map(({ what }) => `The machine was not fit when the night began: ${what}.`);
}

/**
 * The finding of a night in one sentence, the same wherever it is read: what spoils it first, then
 * confirmed changes, a machine that was not fit, new and suspected changes. Pure.
 * @param night with its reasons and changes
 * @param isFirst true without a night before
 */
export function headNight(night: NightDocument, isFirst: boolean): string {
  const finding =
    spoiled(night) ?? listConfirmed(night) ?? describeUnfitness(night) ?? found(night);
  return finding ?? (isFirst ? first : 'Nothing changed');
}

const first = 'The first night: there is none to compare it with';

function spoiled(night: NightDocument): string | null {
  const lost = night.ledger?.withoutOutcome ?? 0;
  if (lost > 0) return `${plural(lost, 'planned trial has', 'planned trials have')} no outcome`;
  const red = night.reasons.filter(({ level }) => level === 'red').map(({ text }) => text);
  return red.length > 0 ? firstOf(red) : null;
}

/** Both builds took turns in an order drawn at random: that holds on a busy machine, too. */
function listConfirmed({ analysis }: NightDocument): string | null {
  const confirmed = (analysis?.anomalies ?? []).map(describeConfirmed);
  return confirmed.length > 0 ? `Confirmed: ${firstOf(confirmed)}` : null;
}

function describeUnfitness(night: NightDocument): string | null {
  if (describeUnfit(night).length === 0) return null;
  const isLittle = unusableParts(night).length > 0;
  return isLittle
    ? 'The machine was not fit: little of this night counts'
    : 'The machine was not fit when the night began';
}

function found({ analysis, changes }: NightDocument): string | null {
  if (changes.length > 0) return firstOf(changes.map(({ text }) => text));
  const suspects = analysis?.suspects.length ?? 0;
  if (suspects === 0) return null;
  return `Nothing is confirmed; ${plural(suspects, 'series is', 'series are')} suspected`;
}

function firstOf([one = '', ...others]: readonly string[]): string {
  return others.length === 0 ? one : `${one}, and ${String(others.length)} more`;
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

const named = 100;

/**
 * Compares the plan with what is stored: every cell must have an outcome.
 * @param plannedAtFirst how many cells the plan had when the run began; the store may have more, as
 * repeats are planned later, but never fewer.
 */
export function keepLedger({ jobs, trials }: RunRecord, plannedAtFirst: number): CellLedger {
  const done = new Set(trials.map(({ job }) => job.ordinal));
  const missing = jobs.filter(({ ordinal }) => !done.has(ordinal));
  const count = (kind: string): number =>
    trials.filter(({ outcome }) => outcome.kind === kind).length;
  const neverStored = Math.max(0, plannedAtFirst - jobs.length);
  return {
    planned: jobs.length + neverStored,
    completed: count('completed'),
    failed: count('failed'),
    timedOut: count('timed-out'),
    skipped: count('skipped'),
    quarantined: trials.filter(isQuarantined).length,
    withoutOutcome: missing.length + neverStored,
    missing: missing.slice(0, named).map((job) => ({
      ordinal: job.ordinal,
      block: job.block,
      device: job.deviceId,
      case: caseName(job.case),
    })),
  };
}

/** Describes cells without outcome: how many, on which devices, and the first of them. */
export function describeMissing({ planned, withoutOutcome, missing }: CellLedger): string {
  const all = `${String(withoutOutcome)} of ${String(planned)} cells have no outcome`;
  const [first] = missing;
  if (first === undefined) return `${all}: they were never stored`;
  const devices = [...new Set(missing.map(({ device }) => device))].join(', ');
  const which = `${first.case} on ${first.device} in block ${String(first.block + 1)}`;
  return `${all} (${devices}): ${withoutOutcome === 1 ? which : `first ${which}`}`;
}

/**
 *  Describes each device: found, missing, or set aside because it died too often. Twins are left out.
 */
export function describeDevices({
  presences,
  trials,
}: Pick<RunRecord, 'presences' | 'trials'>): readonly NightDevice[] {
  const devices = presences.filter(({ device }) => !isTwin(device.id));
  return devices.map((presence) => {
    const { id } = presence.device;
    if (presence.status === 'missing') {
      const nothing = { browser: null, version: null, tried: 0, counting: 0 };
      return { id, state: 'missing', because: presence.reason, ...nothing };
    }
    const own = trials.filter(({ job }) => job.deviceId === id);
    const because = whySetAside(own);
    const { name, version } = presence.target.browser;
    return {
      id,
      state: because === null ? 'found' : 'quarantined',
      browser: name,
      version,
      because,
      tried: own.filter(wasTried).length,
      counting: own.filter(counts).length,
    };
  });
}

/** Null unless the runner set it aside: cells are skipped for other reasons, too. */
function whySetAside(trials: readonly Trial[]): string | null {
  for (const { outcome } of trials.toReversed()) {
    if (outcome.kind !== 'skipped') continue;
    if (outcome.reason.startsWith(setAsideAfter)) return outcome.reason;
  }
  return null;
}

/** Repeats are not counted: they stand for the trial that they repeat. */
function wasTried({ job, outcome }: Trial): boolean {
  return job.repeats === undefined && outcome.kind !== 'skipped';
}

function counts(trial: Trial): boolean {
  return trial.outcome.kind === 'completed' && !isQuarantined(trial);
}
