import type { Browser, Presence, Target } from '../model/device.ts';
import { jobsToDo, type Job, type Plan } from '../model/plan.ts';
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
import { SessionKeeper, type SessionStarter } from './session-keeper.ts';
import { traceTrial } from './tracing.ts';

/** What is told of a target that is waited for. */
export interface Wait {
  /** Half a sentence: "it is too hot, 43.1 °C". */
  readonly why: string;
  readonly leftMs: number;
}

export interface Equipment {
  readonly server: PageServer;
  readonly probes: readonly Probe[];
  readonly startSession: SessionStarter;
  /**
   * Looks before each attempt whether the target is fit for it, and waits for it within bounds of its
   * own; every target is when left out. @throws DriverError when it is not, or the signal's reason.
   */
  readonly makeReady?: (target: Target, tell: (wait: Wait) => void) => Promise<void>;
  /** Where browsers write their traces; left out when nobody wants them. */
  readonly traces?: TraceFolder;
  readonly limits: Limits;
  readonly listener: RunListener;
  /** Aborting ends the run after at most the trial in flight, which leaves no outcome. */
  readonly signal: AbortSignal;
}

/**
 * Carries out a plan, one job after the other, and yields a trial as soon as it has ended.
 * The runner knows no store: what is yielded and not taken is lost. Every job that is reached
 * yields exactly one trial, whatever dies. A trial that is quarantined is followed at once by its
 * repeat, which is a job beyond the plan. What a plan says is done is left alone.
 */
export async function* runPlan(plan: Plan, equipment: Equipment): AsyncGenerator<Trial> {
  const keeper = new SessionKeeper(equipment.startSession, (what) => {
    equipment.listener.onLeftover?.({ what });
  });
  const quarantine = new Quarantine(equipment.limits.failuresBeforeQuarantine);
  const backOff = new BackOff(equipment.limits);
  const presences = new Map(plan.presences.map((presence) => [presence.device.id, presence]));
  const repeats = new Repeats(plan);
  try {
    for (const planned of jobsToDo(plan)) {
      for (let job: Job | null = planned; job !== null;) {
        if (equipment.signal.aborted) return;
        equipment.listener.onTrialStarted?.({ job });
        const presence = presences.get(job.deviceId);
        const trial = await runJob(job, presence, {
          ...{ plan, keeper, quarantine, backOff, equipment },
        });
        if (trial === null) return;
        const reason = quarantine.note(job.deviceId, trial.outcome);
        job = repeats.after(trial);
        tell(equipment.listener, { trial, repeat: job, targetQuarantine: reason });
        yield trial;
      }
    }
  } finally {
    await keeper.end();
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

interface JobSetting {
  readonly plan: Plan;
  readonly keeper: SessionKeeper;
  readonly quarantine: Quarantine;
  readonly backOff: BackOff;
  readonly equipment: Equipment;
}

/** Null when the run was aborted before the trial had an outcome. */
async function runJob(
  job: Job,
  presence: Presence | undefined,
  setting: JobSetting,
): Promise<Trial | null> {
  const startedAt = new Date();
  // Of a clock that does not jump: the machine's may be set back meanwhile.
  const began = performance.now();
  const close = (
    outcome: Outcome,
    { browser, failedAttempts }: Pick<Trial, 'browser' | 'failedAttempts'>,
  ): Trial => ({
    job,
    outcome,
    browser,
    failedAttempts,
    startedAt: startedAt.toISOString(),
    wallMs: Math.round(performance.now() - began),
  });

  const skip = reasonToSkip(job, presence, setting.quarantine);
  if (skip) return close(skip, { browser: null, failedAttempts: [] });
  if (presence?.status !== 'found') throw new TypeError(`no presence for ${job.deviceId}`);

  const failedAttempts: FailedAttempt[] = [];
  const { limits, signal } = setting.equipment;
  for (let number = 1; ; number += 1) {
    await setting.backOff.wait(job.deviceId, signal);
    if (signal.aborted) return null;
    const tried = await tryOnce(job, presence, setting);
    if (tried === null) return null;
    const { outcome, browser } = tried;
    setting.backOff.note(job.deviceId, diedOf(outcome));
    if (outcome.kind === 'completed') return close(outcome, { browser, failedAttempts });
    failedAttempts.push({ number, failure: outcome.failure });
    await setting.keeper.end();
    if (number >= limits.attempts || !worthRepeating(outcome)) {
      return close(outcome, { browser, failedAttempts });
    }
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
  readonly browser: Browser | null;
}

type FoundPresence = Extract<Presence, { status: 'found' }>;

async function tryOnce(
  job: Job,
  presence: FoundPresence,
  setting: JobSetting,
): Promise<Tried | null> {
  const { plan, keeper, equipment } = setting;
  const { target } = presence;
  let browser: Browser | null = null;
  const attempt = async (trace?: string): Promise<AttemptOutcome> => {
    await equipment.makeReady?.(target, (wait) => {
      equipment.listener.onWaiting?.({ deviceId: job.deviceId, ...wait });
    });
    const session = await keeper.take(job, target, trace);
    browser = {
      name: target.browser.name,
      version: session.browserVersion ?? target.browser.version,
    };
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
    return { outcome, browser };
  } catch (error) {
    if (equipment.signal.aborted) return null;
    return { outcome: failureOf(error), browser };
  }
}

/** A page that reported its own error will report it again: the next block tries it anyway. */
function worthRepeating(
  outcome: Extract<AttemptOutcome, { kind: 'failed' | 'timed-out' }>,
): boolean {
  return !['page-error', 'wrong-result'].includes(outcome.failure.code);
}
