import { errorText } from '../errors.ts';
import type { Target } from '../model/device.ts';
import { assignMachines, thisMachine } from '../model/machines.ts';
import { type Job, jobsToDo, type Plan, findRound } from '../model/plan.ts';
import { deservesRepeat, type Trial } from '../model/trial.ts';
import { controlPage } from '../server/control-page.ts';
import { BackOff } from './back-off.ts';
import { rejectOnDeath, within } from './deadline.ts';
import { DisplayWatch } from './display-watch.ts';
import type { Equipment } from './equipment.ts';
import { unwatched } from './external-page.ts';
import { type JobSetting, runJob } from './job.ts';
import { findLimits } from './limits.ts';
import type { RunListener } from './listener.ts';
import { Quarantine } from './quarantine.ts';
import { SessionKeepers } from './session-keeper.ts';

export type { Equipment };

/**
 * Carries out a plan and yields each trial as soon as it has ended.
 *
 * Rounds come one after the other, so that what is compared is measured at about the same time.
 * Each round but the first is one block. In it each machine does its own jobs in the order of the
 * plan, and the machines work at the same time. With one machine that is one job after the other.
 *
 * The runner knows no store: a trial that is not taken is lost. Every job that is reached yields
 * exactly one trial, even if everything dies. A trial that is quarantined is followed at once by
 * its repeat, which is a job beyond the plan. Jobs that the plan marks as done are skipped.
 */
export async function* runPlan(plan: Plan, equipment: Equipment): AsyncGenerator<Trial> {
  const over = new AbortController();
  const signal = AbortSignal.any([equipment.signal, over.signal]);
  const shared = sharedBy(plan, { ...equipment, signal });
  const keepers = new SessionKeepers(equipment.startSession, (what) => {
    equipment.listener.onLeftover?.({ what });
  });
  try {
    for (const shares of listShares(plan)) {
      yield* measure(shares);
      if (signal.aborted) return;
    }
  } finally {
    await keepers.end();
  }

  function measure(shares: Shares): AsyncGenerator<Trial> {
    const machines = Array.from(shares, ([machine, own]) =>
      workOff(own, { ...shared, keeper: keepers.of(machine), here: machine === thisMachine }),
    );
    return sideBySide(machines, () => {
      over.abort(new Error('nobody takes trials any more'));
    });
  }
}

/** State that the machines of a run share: devices and their failures so far. */
interface SharedState extends Omit<JobSetting, 'keeper' | 'here'> {
  readonly repeats: Repeats;
}

function sharedBy(plan: Plan, equipment: Equipment): SharedState {
  return {
    plan,
    presences: new Map(plan.presences.map((presence) => [presence.device.id, presence])),
    quarantine: new Quarantine(equipment.limits.failuresBeforeQuarantine),
    backOff: new BackOff(equipment.limits),
    displays: new DisplayWatch(equipment.trialsBefore),
    repeats: new Repeats(plan),
    equipment,
  };
}

/** Does one machine's part of one round. */
async function* workOff(
  jobs: readonly Job[],
  setting: SharedState & JobSetting,
): AsyncGenerator<Trial> {
  const { quarantine, repeats, equipment } = setting;
  for (const planned of jobs) {
    for (let job: Job | null = planned; job !== null;) {
      if (equipment.signal.aborted) return;
      await judgeTarget(job, setting);
      equipment.listener.onTrialStarted?.({ job });
      const trial = await runJob(job, setting);
      if (trial === null) return;
      const reason = quarantine.note(trial);
      job = repeats.after(trial);
      tell(equipment.listener, { trial, repeat: job, targetQuarantine: reason });
      yield trial;
    }
  }
}

/** Sets a target aside on which the pages of several benchmarks ended badly, if the farm's own does, too. */
async function judgeTarget(job: Job, setting: SharedState & JobSetting): Promise<void> {
  const { quarantine, presences, equipment } = setting;
  const { deviceId } = job;
  const presence = presences.get(deviceId);
  if (presence?.status !== 'found' || !quarantine.isSuspect(job)) return;
  const why = await tryControlPage(job, presence.target, setting);
  if (why === null) {
    quarantine.acquit(deviceId);
    setting.backOff.note(deviceId, false);
  } else
    equipment.listener.onQuarantined?.({ deviceId, reason: quarantine.condemn(deviceId, why) });
}

/**
 * Tries a page of the farm's own in a fresh session, where pages of several benchmarks ended badly: that
 * tells a browser that works no more from pages that no browser survives.
 * @returns why the browser does not open it; null when it does, or the run was aborted.
 */
async function tryControlPage(
  job: Job,
  target: Target,
  { plan, keeper, backOff, equipment }: JobSetting,
): Promise<string | null> {
  const { server, signal } = equipment;
  const limits = findLimits(target.device, equipment.limits);
  const { measurement } = plan;
  await backOff.wait(job.deviceId, signal);
  if (signal.aborted) return null;
  try {
    const own = { ...job, sessionKey: `${job.sessionKey}/control page` };
    const session = await keeper.take(own, target);
    const assignment = {
      protocol: 1,
      benchmark: controlPage,
      parameters: {},
      measurement,
    } as const;
    const pages = session.server ?? server;
    const page = pages.issue(controlPage, assignment, unwatched, session.client);
    try {
      await session.open(page.url, { signal, timeoutMs: limits.loadMs });
      const opened = Promise.race([page.begun, rejectOnDeath(session)]);
      await within(opened, { what: 'Its page', ms: limits.loadMs, signal });
      return null;
    } finally {
      page.revoke();
    }
  } catch (error) {
    return signal.aborted ? null : errorText(error);
  } finally {
    await keeper.end();
  }
}

interface Ending {
  readonly trial: Trial;
  readonly repeat: Job | null;
  /** The reason why its device is left out from now on. */
  readonly targetQuarantine: string | null;
}

function tell(listener: RunListener, { trial, repeat, targetQuarantine: reason }: Ending): void {
  const { deviceId } = trial.job;
  if (reason !== null) listener.onQuarantined?.({ deviceId, reason });
  listener.onTrialEnded?.({ trial });
  if (trial.outcome.kind !== 'completed' || trial.outcome.quarantine.length === 0) return;
  listener.onTrialQuarantined?.({ trial, reasons: trial.outcome.quarantine, repeat });
}

/**
 * Plans the one repeat of a trial that is quarantined, with an ordinal after all others.
 *
 * It runs right after its trial, so that it stands in the same place of its block: the order of a
 * block stays the one that was drawn, which is what makes the comparison exact. It always gets a
 * new session, because trials of one case never share one.
 */
class Repeats {
  private readonly plan: Plan;
  private readonly ended: Trial[] = [];
  private next: number;

  constructor(plan: Plan) {
    this.plan = plan;
    this.next = plan.jobs.reduce((highest, job) => Math.max(highest, job.ordinal), -1) + 1;
  }

  /** The repeat of a trial that has just ended; null when it counts or must not be repeated. */
  after(trial: Trial): Job | null {
    const isDue = deservesRepeat(trial, this.plan, this.ended);
    this.ended.push(trial);
    return isDue ? this.repeatOf(trial) : null;
  }

  private repeatOf({ job }: Trial): Job {
    const ordinal = this.next;
    this.next += 1;
    return { ...job, ordinal, sessionKey: `${job.sessionKey}/repeat`, repeats: job.ordinal };
  }
}

/** Jobs of each machine in one round, in the order of the plan. */
type Shares = ReadonlyMap<string, readonly Job[]>;

/** The jobs that are still to be done: round after round, and each round shared out to machines. */
function listShares(plan: Plan): readonly Shares[] {
  return listRounds(plan).map((round) => sharesOfRound(plan, round));
}

function sharesOfRound(plan: Plan, round: readonly Job[]): Shares {
  const machines = assignMachines(plan);
  const shares = new Map<string, Job[]>();
  for (const job of round) {
    const machine = machines.get(job.deviceId) ?? thisMachine;
    shares.set(machine, [...(shares.get(machine) ?? []), job]);
  }
  return shares;
}

function listRounds(plan: Plan): readonly (readonly Job[])[] {
  const jobs = jobsToDo(plan);
  const rounds = jobs.map(({ block }) => findRound(plan, block));
  const starts = rounds.flatMap((round, index) => (round === rounds[index - 1] ? [] : [index]));
  return starts.map((start, order) => jobs.slice(start, starts[order + 1]));
}

/**
 * Lets generators work at the same time and yields what they give as soon as they give it. Each
 * waits with its next piece of work until what it gave last was taken, so nothing runs ahead of its
 * consumer. Ends when all have ended; when one throws or the consumer stops, `abandon` is called,
 * which must end the trials in flight, and the others are ended too.
 */
async function* sideBySide<T>(
  generators: readonly AsyncGenerator<T>[],
  abandon: () => void,
): AsyncGenerator<T> {
  const working = new Map(generators.map((one) => [one, advance(one)]));
  try {
    while (working.size > 0) {
      const { of, step } = await Promise.race(working.values());
      working.delete(of);
      if (step.done === true) continue;
      yield step.value;
      working.set(of, advance(of));
    }
  } finally {
    if (working.size > 0) abandon();
    // A generator that works is asked to end after the step that it is in.
    await Promise.allSettled(generators.map((one) => one.return(undefined)));
  }
}

interface Advance<T> {
  readonly of: AsyncGenerator<T>;
  readonly step: IteratorResult<T>;
}

async function advance<T>(of: AsyncGenerator<T>): Promise<Advance<T>> {
  return { of, step: await of.next() };
}
