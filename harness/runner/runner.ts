import type { Presence, Target } from '../model/device.ts';
import type { Job, Plan } from '../model/plan.ts';
import type { FailedAttempt, Outcome, Trial } from '../model/trial.ts';
import type { Probe } from '../probes/probe.ts';
import type { TraceFolder } from '../probes/trace.ts';
import type { PageServer } from '../server/page-server.ts';
import { attemptTrial, failureOf, type AttemptOutcome } from './attempt.ts';
import { BackOff } from './back-off.ts';
import { reasonAgainstGuest } from './guest.ts';
import type { Limits } from './limits.ts';
import type { RunListener } from './listener.ts';
import { diedOf, Quarantine } from './quarantine.ts';
import { Repeats } from './repeats.ts';
import { SessionKeeper, type RunnerSession, type SessionStarter } from './session-keeper.ts';
import { sharesOf } from './shares.ts';
import { sideBySide } from './side-by-side.ts';
import { traceTrial } from './tracing.ts';

export interface Equipment {
  readonly server: PageServer;
  readonly probes: readonly Probe[];
  readonly startSession: SessionStarter;
  /** Where browsers write their traces; left out when nobody wants them. */
  readonly traces?: TraceFolder;
  readonly limits: Limits;
  readonly listener: RunListener;
  /** Aborting ends the run after at most the trials in flight, which leave no outcome. */
  readonly signal: AbortSignal;
}

/**
 * Carries out a plan and yields each trial as soon as it has ended.
 *
 * Blocks come one after the other, so that what is compared is measured at about the same time.
 * Within a block each machine does its own jobs, one after the other in the order of the plan, and
 * the machines work at the same time. With one machine that is one job after the other.
 *
 * The runner knows no store: what is yielded and not taken is lost. Every job that is reached
 * yields exactly one trial, whatever dies. A trial that is quarantined is followed at once by its
 * repeat, which is a job beyond the plan. What a plan says is done is left alone.
 */
export async function* runPlan(plan: Plan, equipment: Equipment): AsyncGenerator<Trial> {
  const over = new AbortController();
  const signal = AbortSignal.any([equipment.signal, over.signal]);
  const setting = runSetting(plan, { ...equipment, signal });
  const keepers = new Keepers(setting.equipment);
  try {
    for (const shares of sharesOf(plan)) {
      const machines = Array.from(shares, ([machine, jobs]) =>
        workOff(jobs, { ...setting, keeper: keepers.of(machine) }),
      );
      yield* sideBySide(machines, () => {
        over.abort(new Error('nobody takes trials any more'));
      });
      if (signal.aborted) return;
    }
  } finally {
    await keepers.end();
  }
}

/** What the machines of a run share. */
interface RunSetting {
  readonly plan: Plan;
  readonly presences: ReadonlyMap<string, Presence>;
  readonly quarantine: Quarantine;
  readonly backOff: BackOff;
  readonly repeats: Repeats;
  readonly equipment: Equipment;
}

function runSetting(plan: Plan, equipment: Equipment): RunSetting {
  return {
    plan,
    presences: new Map(plan.presences.map((presence) => [presence.device.id, presence])),
    quarantine: new Quarantine(equipment.limits.failuresBeforeQuarantine),
    backOff: new BackOff(equipment.limits),
    repeats: new Repeats(plan),
    equipment,
  };
}

/** The one session that each machine may have open. */
class Keepers {
  private readonly keepers = new Map<string, SessionKeeper>();
  private readonly equipment: Equipment;

  constructor(equipment: Equipment) {
    this.equipment = equipment;
  }

  of(machine: string): SessionKeeper {
    const { startSession, listener } = this.equipment;
    const known = this.keepers.get(machine);
    if (known !== undefined) return known;
    const keeper = new SessionKeeper(startSession, (what) => {
      listener.onLeftover?.({ what });
    });
    this.keepers.set(machine, keeper);
    return keeper;
  }

  async end(): Promise<void> {
    await Promise.all(Array.from(this.keepers.values(), (keeper) => keeper.end()));
  }
}

interface JobSetting extends RunSetting {
  /** Of the machine that does the job. */
  readonly keeper: SessionKeeper;
}

/** What one machine does of one block. */
async function* workOff(jobs: readonly Job[], setting: JobSetting): AsyncGenerator<Trial> {
  const { quarantine, repeats, equipment } = setting;
  for (const planned of jobs) {
    for (let job: Job | null = planned; job !== null;) {
      if (equipment.signal.aborted) return;
      equipment.listener.onTrialStarted?.({ job });
      const trial = await runJob(job, setting);
      if (trial === null) return;
      const reason = quarantine.note(job.deviceId, trial.outcome);
      job = repeats.after(trial);
      tell(equipment.listener, { trial, repeat: job, targetQuarantine: reason });
      yield trial;
    }
  }
}

interface Ending {
  readonly trial: Trial;
  readonly repeat: Job | null;
  /** Why its target is set aside from now on. */
  readonly targetQuarantine: string | null;
}

function tell(listener: RunListener, { trial, repeat, targetQuarantine: reason }: Ending): void {
  const { deviceId } = trial.job;
  if (reason !== null) listener.onQuarantined?.({ deviceId, reason });
  listener.onTrialEnded?.({ trial });
  if (trial.outcome.kind !== 'completed' || trial.outcome.quarantine.length === 0) return;
  listener.onTrialQuarantined?.({ trial, reasons: trial.outcome.quarantine, repeat });
}

/** What is known of the session of a trial. */
type Seen = Pick<Trial, 'browser' | 'node' | 'clock'>;

/** Null when the run was aborted before the trial had an outcome. */
async function runJob(job: Job, setting: JobSetting): Promise<Trial | null> {
  const startedAt = new Date();
  // Of a clock that does not jump: the machine's may be set back meanwhile.
  const began = performance.now();
  const failedAttempts: FailedAttempt[] = [];
  const close = (outcome: Outcome, seen: Seen): Trial => ({
    job,
    outcome,
    ...seen,
    failedAttempts,
    startedAt: startedAt.toISOString(),
    wallMs: Math.round(performance.now() - began),
  });

  const presence = setting.presences.get(job.deviceId);
  const skip = reasonToSkip(job, presence, setting.quarantine);
  if (skip) return close(skip, { browser: null });
  if (presence?.status !== 'found') throw new TypeError(`no presence for ${job.deviceId}`);

  const { limits, signal } = setting.equipment;
  for (let number = 1; ; number += 1) {
    await setting.backOff.wait(job.deviceId, signal);
    if (signal.aborted) return null;
    const tried = await tryOnce(job, presence, setting);
    if (tried === null) return null;
    const { outcome, seen } = tried;
    setting.backOff.note(job.deviceId, diedOf(outcome));
    if (outcome.kind === 'completed') return close(outcome, seen);
    failedAttempts.push({ number, failure: outcome.failure });
    await setting.keeper.end();
    if (number >= limits.attempts || !worthRepeating(outcome)) return close(outcome, seen);
    setting.equipment.listener.onAttemptFailed?.({
      job,
      attempt: { number, failure: outcome.failure },
    });
  }
}

function reasonToSkip(
  job: Job,
  presence: Presence | undefined,
  quarantine: Quarantine,
): Outcome | null {
  if (presence === undefined || presence.status === 'missing') {
    const reason = presence?.reason ?? `${job.deviceId} is not in the plan`;
    return { kind: 'skipped', reason, remedy: presence?.remedy ?? '' };
  }
  const blind = reasonAgainstGuest(job.case, presence.capabilities);
  if (blind !== null) {
    return {
      kind: 'skipped',
      reason: blind,
      remedy: 'another driver, or a copy of the page in a folder',
    };
  }
  const reason = quarantine.reasonFor(job.deviceId);
  return reason === null ? null : { kind: 'skipped', reason, remedy: 'farm devices' };
}

interface Tried {
  readonly outcome: AttemptOutcome;
  readonly seen: Seen;
}

type FoundPresence = Extract<Presence, { status: 'found' }>;

async function tryOnce(
  job: Job,
  presence: FoundPresence,
  setting: JobSetting,
): Promise<Tried | null> {
  const { plan, keeper, equipment } = setting;
  const { target } = presence;
  let seen: Seen = { browser: null };
  const attempt = async (trace?: string): Promise<AttemptOutcome> => {
    const session = await keeper.take(job, target, trace);
    seen = seenOf(session, target);
    const { server, probes, limits, signal } = equipment;
    const complain = (what: string): void => equipment.listener.onLeftover?.({ what });
    return attemptTrial(job, { plan, target, session, server, probes, limits, complain, signal });
  };
  try {
    const outcome =
      equipment.traces === undefined
        ? await attempt()
        : await traceTrial(job, attempt, {
            folder: equipment.traces,
            browser: target.device.browser,
            capabilities: presence.capabilities,
            isolation: plan.isolation,
            endSession: () => keeper.end(),
            signal: equipment.signal,
          });
    return { outcome, seen };
  } catch (error) {
    if (equipment.signal.aborted) return null;
    return { outcome: failureOf(error), seen };
  }
}

function seenOf({ browserVersion, node, clock }: RunnerSession, { browser }: Target): Seen {
  return {
    browser: { name: browser.name, version: browserVersion ?? browser.version },
    ...(node !== undefined && { node }),
    ...(clock !== undefined && { clock }),
  };
}

/** A page that reported its own error will report it again: the next block tries it anyway. */
function worthRepeating(
  outcome: Extract<AttemptOutcome, { kind: 'failed' | 'timed-out' }>,
): boolean {
  return !['page-error', 'wrong-result'].includes(outcome.failure.code);
}
