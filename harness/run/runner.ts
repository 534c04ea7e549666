import { thisMachine } from '../model/machines.ts';
import type { Job, Plan } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import { BackOff } from './back-off.ts';
import type { Equipment } from './equipment.ts';
import { runJob, type JobSetting } from './job.ts';
import type { RunListener } from './listener.ts';
import { Quarantine } from './quarantine.ts';
import { Repeats } from './repeats.ts';
import { SessionKeepers } from './session-keeper.ts';
import { sharesOf } from './shares.ts';
import { sideBySide } from './side-by-side.ts';

export type { Equipment };

/**
 * Carries out a plan and yields each trial as soon as it has ended.
 *
 * Rounds come one after the other, so that what is compared is measured at about the same time.
 * Within a round, which is a block but for the first, each machine does its own jobs, one after the other in the order of the plan, and
 * the machines work at the same time. With one machine that is one job after the other.
 *
 * The runner knows no store: what is yielded and not taken is lost. Every job that is reached
 * yields exactly one trial, whatever dies. A trial that is quarantined is followed at once by its
 * repeat, which is a job beyond the plan. What a plan says is done is left alone.
 */
export async function* runPlan(plan: Plan, equipment: Equipment): AsyncGenerator<Trial> {
  const over = new AbortController();
  const signal = AbortSignal.any([equipment.signal, over.signal]);
  const shared = sharedBy(plan, { ...equipment, signal });
  const keepers = new SessionKeepers(equipment.startSession, (what) => {
    equipment.listener.onLeftover?.({ what });
  });
  try {
    for (const shares of sharesOf(plan)) {
      const machines = Array.from(shares, ([machine, jobs]) =>
        workOff(jobs, { ...shared, keeper: keepers.of(machine), here: machine === thisMachine }),
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

/** What the machines of a run share: targets, and what became of them so far. */
interface Shared extends Omit<JobSetting, 'keeper' | 'here'> {
  readonly repeats: Repeats;
}

function sharedBy(plan: Plan, equipment: Equipment): Shared {
  return {
    plan,
    presences: new Map(plan.presences.map((presence) => [presence.device.id, presence])),
    quarantine: new Quarantine(equipment.limits.failuresBeforeQuarantine),
    backOff: new BackOff(equipment.limits),
    repeats: new Repeats(plan),
    equipment,
  };
}

/** What one machine does of one round. */
async function* workOff(jobs: readonly Job[], setting: Shared & JobSetting): AsyncGenerator<Trial> {
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
