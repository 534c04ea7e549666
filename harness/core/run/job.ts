import { writeFile } from 'node:fs/promises';
import { besideTrace } from '../../../drivers/driver.ts';
import { impossibleIn } from '../model/credible.ts';
import { findExternalPlace } from '../model/case.ts';
import { findFamily } from '../model/family.ts';
import { type FoundDevice, isLoopback, type Presence, type Target } from '../model/device.ts';
import type { Job, Plan } from '../model/plan.ts';
import type { NotSupported, Reading } from '../model/reading.ts';
import type { FailedAttempt, Outcome, Trial } from '../model/trial.ts';
import {
  discardTrace,
  isOrdered,
  orderTrace,
  profileProbe,
  type RawTrace,
  sharedBrowser,
  takeTrace,
  type TraceCircumstances,
  type TraceFolder,
} from '../probes/trace.ts';
import { type AttemptOutcome, attemptTrial, classifyFailure } from './attempt.ts';
import type { BackOff } from './back-off.ts';
import { TrialClock } from './deadline.ts';
import type { DisplayWatch } from './display-watch.ts';
import type { Equipment, Wait } from './equipment.ts';
import { findLimits } from './limits.ts';
import { reasonAgainstExternalPage } from './external-page.ts';
import { OwnClock } from './own-clock.ts';
import { isBrowsersFault, type Quarantine } from './quarantine.ts';
import type { RunnerSession, SessionKeeper, TraceWish } from './session-keeper.ts';

export interface JobSetting {
  readonly plan: Plan;
  readonly presences: ReadonlyMap<string, Presence>;
  readonly quarantine: Quarantine;
  readonly backOff: BackOff;
  readonly displays: DisplayWatch;
  readonly equipment: Equipment;
  /** Of the machine that does the job. */
  readonly keeper: SessionKeeper;
  /** True if that machine is the one that the farm runs on. */
  readonly here: boolean;
}

/** Known facts about the session of a trial. */
type SessionFacts = Pick<Trial, 'browser' | 'node' | 'clock' | 'waitedMs'>;

/**
 * Tries a job until it has an outcome that stays.
 * @returns null when the run was aborted before that.
 */
export async function runJob(job: Job, setting: JobSetting): Promise<Trial | null> {
  const startedAt = new Date();
  // Of a clock that does not jump: the machine's may be set back meanwhile.
  const { signal } = setting.equipment;
  const now = chooseClock(setting.equipment);
  const began = now();
  const failedAttempts: FailedAttempt[] = [];
  const close = (outcome: Outcome, seen: SessionFacts): Trial => ({
    job,
    outcome,
    ...seen,
    failedAttempts,
    startedAt: startedAt.toISOString(),
    wallMs: Math.round(now() - began),
  });

  const presence = setting.presences.get(job.deviceId);
  const skip = reasonToSkip(job, presence, setting);
  if (skip) return close(skip, { browser: null });
  if (presence?.status !== 'found') throw new TypeError(`no presence for ${job.deviceId}`);

  const limits = findLimits(presence.device, setting.equipment.limits);
  const clock = new TrialClock(limits.trialMs);
  for (let number = 1; ; number += 1) {
    await setting.backOff.wait(job.deviceId, signal);
    if (signal.aborted) return null;
    const tried = await tryOnce(job, presence, { ...setting, clock });
    if (tried === null) return null;
    const { seen } = tried;
    const outcome = possibleIn(Math.round(now() - began), tried.outcome, job);
    setting.backOff.note(job.deviceId, isBrowsersFault(outcome));
    if (outcome.kind === 'completed') return close(outcome, seen);
    failedAttempts.push({ number, failure: outcome.failure });
    await clock.count(() => setting.keeper.end({ hangs: outcome.kind === 'timed-out' }));
    const isLast = number >= limits.attempts || !clock.allowsAnother();
    if (isLast || !worthRepeating(outcome)) return close(withCause(outcome, failedAttempts), seen);
    setting.equipment.listener.onAttemptFailed?.({
      job,
      attempt: { number, failure: outcome.failure },
    });
  }
}

function chooseClock({ now }: Equipment): () => number {
  return now ?? (() => performance.now());
}

/** A page's clock may claim anything, but the page took no longer than its trial. */
function possibleIn(wallMs: number, outcome: AttemptOutcome, job: Job): AttemptOutcome {
  if (outcome.kind !== 'completed') return outcome;
  const message = impossibleIn(wallMs, outcome.result, job.case.benchmark.guest);
  return message === null ? outcome : { kind: 'failed', failure: { code: 'bad-message', message } };
}

/** A try that ran out of time after another one failed says why the time was short. */
function withCause(
  outcome: Extract<AttemptOutcome, { kind: 'failed' | 'timed-out' }>,
  attempts: readonly FailedAttempt[],
): Outcome {
  const cause = attempts.find(({ failure }) => failure.code !== 'timed-out');
  if (outcome.kind !== 'timed-out' || cause === undefined) return outcome;
  const message = `${outcome.failure.message}, as the try before it failed: ${cause.failure.message}`;
  return { ...outcome, failure: { ...outcome.failure, message } };
}

function reasonToSkip(
  job: Job,
  presence: Presence | undefined,
  { quarantine, equipment }: Pick<JobSetting, 'quarantine' | 'equipment'>,
): Outcome | null {
  const left = equipment.reasonToLeaveOut?.(job) ?? null;
  if (left !== null) return { kind: 'skipped', reason: left, remedy: 'none is needed' };
  if (presence === undefined || presence.status === 'missing') {
    const reason = presence?.reason ?? `${job.deviceId} is not in the plan`;
    return { kind: 'skipped', reason, remedy: presence?.remedy ?? '' };
  }
  const blind = reasonAgainstExternalPage(job.case, presence.capabilities);
  if (blind !== null) {
    return {
      kind: 'skipped',
      reason: blind,
      remedy: 'another driver, or a copy of the page in a folder',
    };
  }
  return quarantine.skips(job);
}

interface TriedJob {
  readonly outcome: AttemptOutcome;
  readonly seen: SessionFacts;
}

async function tryOnce(
  job: Job,
  presence: FoundDevice,
  setting: JobSetting & { readonly clock: TrialClock },
): Promise<TriedJob | null> {
  const { plan, keeper, equipment, here, clock } = setting;
  const { target } = presence;
  const servesPage = findOwnServer(job, equipment);
  let seen: SessionFacts = { browser: null };
  const attempt = async (trace?: TraceWish): Promise<AttemptOutcome> => {
    const tell = (wait: Wait): void => {
      equipment.listener.onWaiting?.({ deviceId: job.deviceId, ...wait });
    };
    await equipment.makeReady?.(target, tell);
    const isOpen = await keeper.makeRoom(job);
    const isOfPage = trace?.ofPage === true;
    const session = await keeper.take(job, target, isOfPage ? undefined : trace);
    seen = listFacts(session, target);
    const { untilQuiet } = here && !isOpen ? equipment : {};
    const rest = async (): Promise<void> => {
      const waitedMs = await untilQuiet?.(tell, () => session.processTree());
      if (waitedMs !== undefined) seen = { ...seen, waitedMs: Math.round(waitedMs) };
    };
    const { server, probes, signal, locateScripts } = equipment;
    const limits = findLimits(target.device, equipment.limits);
    const measurement = equipment.measurementOf?.(job) ?? plan.measurement;
    const complain = (what: string): void => equipment.listener.onLeftover?.({ what });
    const ownClock = equipment.ownClock?.() ?? new OwnClock();
    const putsHead = isHeadByDriver(presence);
    const scripts = { locateScripts, servesPage, putsHead };
    const tools = { measurement, target, session, server, probes, limits, signal, ...scripts };
    const rests = untilQuiet === undefined ? {} : { rest };
    const tracing = isOfPage ? trace : null;
    const outcome = await withPageTrace(session, tracing, () =>
      clock.count(() => attemptTrial(job, { ...tools, ...rests, clock, ownClock, complain })),
    );
    return setting.displays.look(session, presence, { outcome, trace });
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
            servesPage,
            signal: equipment.signal,
          });
    return { outcome, seen };
  } catch (error) {
    if (equipment.signal.aborted) return null;
    return { outcome: classifyFailure(error), seen };
  }
}

/**
 * True where the driver has the farm's head run before the scripts of a page, which is then served as
 * it lies: in Chromium, whose first script comes 1 ms later by it, and 3 ms by a head in the page.
 * WebKitGTK's driver cannot, and Firefox would need WebDriver BiDi for it.
 */
function isHeadByDriver({ target, capabilities }: FoundDevice): boolean {
  const comesFirst = capabilities.some(
    ({ name, supported }) => name === 'firstScript' && supported,
  );
  return comesFirst && findFamily(target.device.browser, target.device.family) === 'chromium-based';
}

/** Traces one page of a browser that goes on; a browser that cannot is used without, with the reason beside. */
async function withPageTrace(
  { trace }: Pick<RunnerSession, 'trace'>,
  wish: TraceWish | null,
  work: () => Promise<AttemptOutcome>,
): Promise<AttemptOutcome> {
  if (wish === null) return work();
  const { path, stacks } = wish;
  if (trace === undefined) {
    await writeFile(besideTrace(path).why, sharedBrowser, { mode: 0o600 });
    return work();
  }
  const end = await trace({ trace: path, ...(stacks && { stacks }) });
  try {
    return await work();
  } finally {
    // The trial stays without it; its reading says why it is missing.
    await end().catch(() => undefined);
  }
}

/** Makes a test for addresses at the page's own server on this machine, whose answers may be read. */
function findOwnServer(job: Job, { server }: Pick<Equipment, 'server'>): (url: string) => boolean {
  return (url) => server.serves(url) || isAtUrlOfPage(url, job);
}

/** True for an address at the server of a page that is not the farm's, if that is on this machine. */
function isAtUrlOfPage(url: string, { case: one }: Job): boolean {
  const place = findExternalPlace(one)?.place;
  if (place?.kind !== 'url' || !URL.canParse(url)) return false;
  const { origin, hostname } = new URL(place.url);
  return new URL(url).origin === origin && isLoopback(hostname);
}

function listFacts(
  { browserVersion, node, clock }: RunnerSession,
  { browser }: Target,
): SessionFacts {
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

export interface TracingSetting extends TraceCircumstances, Pick<RawTrace, 'servesPage'> {
  /** Ends the trial's session, which is when its browser writes. */
  readonly endSession: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * One attempt in a browser that traces itself. The trace, or the reason for its absence, is among
 * its readings. An attempt that fails leaves no trace: its outcome is what there is to know of it.
 */
export async function traceTrial(
  job: Job,
  attempt: (trace?: TraceWish) => Promise<AttemptOutcome>,
  setting: TracingSetting,
): Promise<AttemptOutcome> {
  const { folder, browser, servesPage, signal } = setting;
  const order = await orderTrace(job, setting);
  if (!isOrdered(order)) return withReadings(await attempt(), missingReadings(order, folder));
  const stacks = folder.makeProfile === undefined ? {} : ({ stacks: true } as const);
  const { ofPage } = order;
  const endSession = ofPage === true ? () => Promise.resolve() : setting.endSession;
  try {
    const outcome = await attempt({ path: order.written, ...stacks, ofPage });
    await endSession();
    if (outcome.kind !== 'completed') return outcome;
    const { result } = outcome;
    const raw = { ...order, kept: order.profile, browser, result, servesPage, signal };
    const profile = await folder.makeProfile?.(raw);
    const trace = folder.onlyProfiles === true ? undefined : await takeTrace(order, signal);
    return withReadings(
      outcome,
      [trace, profile].filter((one) => one !== undefined),
    );
  } finally {
    // Only a browser that has ended writes no more.
    await endSession();
    await discardTrace(order);
  }
}

function missingReadings(
  order: NotSupported,
  { makeProfile, onlyProfiles }: TraceFolder,
): readonly NotSupported[] {
  const profile = makeProfile === undefined ? [] : [{ ...order, probe: profileProbe }];
  return onlyProfiles === true ? profile : [order, ...profile];
}

function withReadings(outcome: AttemptOutcome, readings: readonly Reading[]): AttemptOutcome {
  if (outcome.kind !== 'completed') return outcome;
  return { ...outcome, readings: [...outcome.readings, ...readings] };
}
