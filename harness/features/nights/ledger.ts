import { caseName } from '../../model/case.ts';
import type { RunRecord } from '../../model/run.ts';
import { isQuarantined, setAsideAfter, type Trial } from '../../model/trial.ts';
import { isTwin } from './aa-lane.ts';
import type { CellLedger, NightDevice } from './night-document.ts';

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

/** How each device did: there, missing, or set aside because it died too often. Twins are no devices. */
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

/** A repeat is no other cell: it stands for the one that it repeats. */
function wasTried({ job, outcome }: Trial): boolean {
  return job.repeats === undefined && outcome.kind !== 'skipped';
}

function counts(trial: Trial): boolean {
  return trial.outcome.kind === 'completed' && !isQuarantined(trial);
}
