import { errorText } from '../errors.ts';
import { DriverError } from '../../../drivers/driver.ts';
import type { Assignment } from '../../../pages/protocol.d.ts';
import {
  type Benchmark,
  findExternalPlace,
  type InputStep,
  type MeasurementRules,
  findPreset,
  type Metric,
} from '../model/case.ts';
import type { Target } from '../model/device.ts';
import { judgeEnvironment } from '../model/environment-limits.ts';
import { type LocateScripts, toExplanationReading } from '../model/explanation.ts';
import { findEngineProduct } from '../model/family.ts';
import type { Job } from '../model/plan.ts';
import type { Reading } from '../model/reading.ts';
import type { Failure, Outcome, TrialResult } from '../model/trial.ts';
import type { Probe } from '../probes/probe.ts';
import { emptyPage } from '../server/own-origins.ts';
import type { PageServer } from '../server/page-server.ts';
import { isBegunByFarm, type PageOutcome, type WindowListener } from '../server/trial-registry.ts';
import { DeadlinePassed, rejectOnDeath, type TrialClock, within } from './deadline.ts';
import {
  externalPageTask,
  onlyLoaded,
  readExternalPage,
  unwatched,
  withWatched,
} from './external-page.ts';
import type { Limits } from './limits.ts';
import { giveInput, type InputSetting } from './give-input.ts';
import { withoutOthers } from './main-thread-time.ts';
import { withPreemption } from './preemption.ts';
import { accountFor, judgeGap, type OwnClock } from './own-clock.ts';
import { type OpeningSetting, readyToOpen } from './opening.ts';
import { awaitedOfPage } from './page-questions.ts';
import { ProbeWatch } from './probe-watch.ts';
import type { RunnerSession } from './session-keeper.ts';

export type AttemptOutcome =
  | Extract<Outcome, { kind: 'completed' }>
  | { readonly kind: 'failed' | 'timed-out'; readonly failure: Failure };

interface AttemptSetting {
  readonly measurement: MeasurementRules;
  readonly target: Target;
  readonly session: RunnerSession;
  readonly server: PageServer;
  readonly probes: readonly Probe[];
  readonly limits: Limits;
  readonly clock: TrialClock;
  readonly ownClock: OwnClock;
  readonly rest?: OpeningSetting['rest'];
  /** Scripts are called as the browser calls them when left out. */
  readonly locateScripts?: LocateScripts | undefined;
  readonly servesPage: (url: string) => boolean;
  /** The farm's head of a page that is not ours comes by the driver, and not within the page. */
  readonly putsHead: boolean;
  /** Takes sentences about what the attempt left behind; its outcome is not changed by them. */
  readonly complain: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/**
 * One try at one trial in a session that is already open: open its page, let the probes watch its
 * timed window, take what it gives.
 * @throws only the signal's reason; every other ending is an outcome.
 */
export async function attemptTrial(job: Job, setting: AttemptSetting): Promise<AttemptOutcome> {
  const { session, limits, clock, ownClock, signal } = setting;
  const { benchmark } = job.case;
  const external = findExternalPlace(job.case);
  const watch = new ProbeWatch(setting.probes, findEngineProduct(setting.target), {
    session,
    clock: ownClock,
  });
  const visit = (
    which: Benchmark,
    watching: WindowListener,
    rest: AttemptSetting['rest'],
  ): Promise<PageOutcome> =>
    external?.place.kind === 'url'
      ? readExternalPage(which, external.place, {
          session,
          watch: watching,
          limits,
          clock,
          signal,
          preset: findPreset(setting.measurement),
          rest,
        })
      : hearPage(
          { ...job, case: { ...job.case, benchmark: which } },
          { ...setting, rest },
          watching,
        );
  try {
    const before =
      benchmark.guest?.warm === true
        ? await visit(onlyLoaded(benchmark), unwatched, setting.rest)
        : null;
    const isSpoilt = before !== null && before.kind !== 'result';
    const outcome = isSpoilt
      ? before
      : await visit(benchmark, watch, before === null ? setting.rest : undefined);
    return await conclude(outcome, { ...setting, watch, benchmark });
  } catch (error) {
    signal.throwIfAborted();
    const isGuest = error instanceof DeadlinePassed && external !== null;
    return classifyFailure(error, isGuest ? await awaitedOfPage(session) : null);
  } finally {
    for (const failure of watch.detach()) setting.complain(failure);
  }
}

/** Issues a token, opens the page with it, and takes what it posts. */
async function hearPage(
  job: Job,
  setting: AttemptSetting,
  watch: WindowListener,
): Promise<PageOutcome> {
  const { guest } = job.case.benchmark;
  const { server, session, limits, clock, signal } = setting;
  const pages = session.server ?? server;
  const assignment = makeAssignment(job, setting);
  const page = await findAddress(job, setting);
  const pageTrial = pages.issue(page, assignment, watch, session.client);
  const beginsHere = isBegunByFarm(assignment);
  const over = new AbortController();
  try {
    const first = setting.putsHead ? await pageTrial.takeHead?.() : undefined;
    const open = await readyToOpen(findEmptyPage(page), setting, first);
    if (beginsHere) {
      // Before the navigation, so that nothing of it lies in the page's load.
      watch.attach?.();
      watch.onStart();
    }
    await open(pageTrial.url);
    const died = rejectOnDeath(session);
    await within(Promise.race([pageTrial.begun, pageTrial.outcome, died]), {
      ...clock.bounds('Loading the page', limits.loadMs),
      signal,
    });
    const outcome =
      guest?.input === undefined
        ? pageTrial.outcome
        : outcomeWithInput(guest.input, pageTrial.outcome, {
            session,
            signal: over.signal,
            preset: findPreset(setting.measurement),
          });
    return await within(Promise.race([outcome, died]), {
      ...clock.bounds('The trial'),
      signal,
    });
  } finally {
    over.abort(new Error('the trial is over'));
    pageTrial.revoke();
  }
}

/** Outcome by the page's report, or the reason why its input failed. */
function outcomeWithInput(
  steps: readonly InputStep[],
  reported: Promise<PageOutcome>,
  setting: InputSetting,
): Promise<PageOutcome> {
  const refused = giveInput(steps, setting).then((error) => error ?? reported);
  return Promise.race([reported, refused]);
}

/** Of the page's own origin; null without one. */
function findEmptyPage(page: string): string | null {
  return URL.canParse(page) ? new URL(emptyPage, page).href : null;
}

/**
 * The page server's key of the page. A foreign page has its own origin if its browser runs here.
 */
async function findAddress(
  { case: one }: Job,
  { server, session }: AttemptSetting,
): Promise<string> {
  const external = findExternalPlace(one);
  if (external?.place.kind !== 'folder') return `${one.benchmark.id}/${one.benchmark.page}`;
  const { mount, place } = external;
  const isHere = session.server === undefined && session.client === undefined;
  if (!isHere) return `guest/${mount}/${place.page}`;
  return new URL(place.page, await server.originOf(mount, session.id)).href;
}

function makeAssignment(
  job: Job,
  { measurement }: Pick<AttemptSetting, 'measurement'>,
): Assignment {
  const { benchmark, parameters } = job.case;
  return {
    protocol: 1,
    benchmark: benchmark.id,
    parameters,
    measurement,
    ...(benchmark.guest !== undefined && { guest: externalPageTask(benchmark, benchmark.guest) }),
  };
}

interface Conclusion extends Pick<
  AttemptSetting,
  'measurement' | 'locateScripts' | 'servesPage' | 'limits' | 'signal'
> {
  readonly watch: ProbeWatch;
  readonly benchmark: Benchmark;
}

async function conclude(
  outcome: PageOutcome,
  { watch, benchmark, measurement, ...finding }: Conclusion,
): Promise<AttemptOutcome> {
  switch (outcome.kind) {
    case 'result': {
      const strange = undeclared(outcome.result, benchmark.metrics);
      if (strange !== null) return failed('bad-message', strange);
      const { facts } = watch.clock;
      const account =
        benchmark.guest === undefined
          ? accountFor(outcome.result, facts)
          : ({ kind: 'agrees' } as const);
      if (account.kind === 'impossible') return failed('bad-message', account.why);
      const readings = await watch.collect();
      // A smoke test excludes nothing, since it measures nothing. A value never excludes a trial:
      // the work itself may stall.
      const quarantine =
        findPreset(measurement) === undefined
          ? [
              ...judgeEnvironment(readings),
              ...judgeGap(facts),
              ...(account.kind === 'doubtful' ? [account.why] : []),
            ]
          : [];
      const measured = withPreemption(outcome.result, readings);
      if (benchmark.guest === undefined) return { kind: 'completed', ...measured, quarantine };
      const { explanations, ...given } = measured.result;
      const freed = withoutOthers(given, measured.readings);
      const result = withWatched(freed.result, benchmark, freed.readings);
      const explained = await explain(explanations, finding);
      return { kind: 'completed', result, readings: [...freed.readings, ...explained], quarantine };
    }
    case 'error': {
      const { phase, message } = outcome.error;
      return failed(phase === 'check' ? 'wrong-result' : 'page-error', `${phase}: ${message}`);
    }
    case 'bad-message':
      return failed('bad-message', outcome.message);
  }
}

interface Explaining extends Pick<AttemptSetting, 'locateScripts' | 'servesPage' | 'signal'> {
  readonly limits: Pick<Limits, 'scriptsMs'>;
}

/**
 * Makes the reading of what the browser explains; none where it explains nothing. Scripts that cannot be
 * named in time, or at all, are called as the browser calls them: the trial is complete without.
 * @throws only the signal's reason
 */
export async function explain(
  told: TrialResult['explanations'],
  { locateScripts, limits, servesPage, signal }: Explaining,
): Promise<readonly Reading[]> {
  if (told === undefined) return [];
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(limits.scriptsMs)]);
  const located = await locateScripts?.(told, { servesPage, signal: bounded }).catch(() => told);
  signal.throwIfAborted();
  const reading = toExplanationReading(located ?? told);
  return reading === null ? [] : [reading];
}

function failed(code: Failure['code'], message: string): AttemptOutcome {
  return { kind: 'failed', failure: { code, message } };
}

/**
 * Outcome of an attempt that an exception of a driver or a deadline ended.
 * @param awaited what the page was still waited for
 */
export function classifyFailure(error: unknown, awaited: string | null = null): AttemptOutcome {
  const message = errorText(error) + (awaited === null ? '' : `: it waited for ${awaited}`);
  if (error instanceof DeadlinePassed) {
    return { kind: 'timed-out', failure: { code: 'timed-out', message } };
  }
  if (!(error instanceof DriverError)) return failed('farm-error', message);
  if (error.code === 'timed-out') {
    return { kind: 'timed-out', failure: { code: 'timed-out', message } };
  }
  return failed(error.code === 'not-supported' ? 'launch-failed' : error.code, message);
}

/**
 * A result must hold every declared metric in its unit, optional ones aside, and no other; else what
 * is wrong.
 */
export function undeclared(
  { samples }: Pick<TrialResult, 'samples'>,
  metrics: readonly Metric[],
): string | null {
  const named = ({ id, unit }: Pick<Metric, 'id' | 'unit'>): string => `${id} in ${unit}`;
  const declared = new Set(metrics.map(named));
  const posted = new Set(samples.map(({ metric, unit }) => named({ id: metric, unit })));
  const needed = metrics.filter(({ optional = false }) => !optional).map(named);
  const known = [...posted].every((one) => declared.has(one));
  if (known && needed.every((one) => posted.has(one))) return null;
  return `the page posted ${[...posted].join(', ') || 'no metric'}; its benchmark.json declares ${[...declared].join(', ')}`;
}
