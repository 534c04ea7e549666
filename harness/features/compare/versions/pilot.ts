import { FarmError } from '../../../core/errors.ts';
import {
  type Benchmark,
  type Case,
  findExternalPlace,
  type GuestCourse,
  type Isolation,
  mostMetrics,
} from '../../../core/model/case.ts';
import { isElsewhere, type Presence } from '../../../core/model/device.ts';
import type { Plan } from '../../../core/model/plan.ts';
import type { Trial } from '../../../core/model/trial.ts';
import { makePlan } from '../../../core/plan/plan.ts';
import { chooseRules } from '../../../core/plan/catalog/measurement.ts';
import { ledTo } from '../../../core/run/external-page.ts';
import type { RunListener } from '../../../core/run/listener.ts';
import { runPlan } from '../../../core/run/runner.ts';
import type { MeasuringCaller } from '../../../core/app/caller.ts';
import { withEquipment } from '../../../core/app/run/equipment.ts';
import { makeFolder } from '../../../core/farm-folder.ts';
import { sessionsFolder } from '../../../core/project.ts';
import type { MeasuringOptions } from '../../../core/app/run/execute-plan.ts';
import { externalFolders } from '../../../core/app/run/external-pages.ts';
import {
  distinctMeasures,
  found,
  keyOf,
  type Measure,
  pageMeasure,
  milliseconds,
  measuresIn,
  withDefaults,
} from './measures.ts';
import { errorsOf, offersOf } from './look-outcome.ts';
import { rootWith } from './on-disk.ts';
import { shellWord } from '../../../core/app/run/repeat-command.ts';
import type { Version } from './resolve.ts';
import { noteSent, type SentFiles } from './stored-pages.ts';
import { versionCases, versionsBenchmark, type Visit } from './benchmark.ts';

interface Pilot extends Visit {
  readonly versions: readonly Version[];
  /** The page, where there are several. */
  readonly page?: string | null;
  /** The measures that were asked for; empty asks for those that the pages offer. */
  readonly asked: readonly Measure[];
  /** Versions with errors are measured, too. */
  readonly despiteErrors?: boolean;
  /** How the pages load is measured in any case, besides their own measures. */
  readonly withLoad?: boolean;
  /** Earlier looks at versions, which are not repeated; these are added. */
  readonly looks?: Map<string, Trial>;
}

/** The measures of the versions. */
export interface OfferedVersions {
  /** With where the look was led of those at URLs. */
  readonly versions: readonly Version[];
  readonly measures: readonly Measure[];
  /** No version measures anything itself, and nothing was asked for: the measures are those of any page. */
  readonly byDefault: boolean;
  /** How the pages go on after their load. */
  readonly course: GuestCourse;
  /** Real paths of the files that a browser asked for, by version. */
  readonly sent: readonly ReadonlySet<string>[];
}

/**
 * Opens each version once, in one browser, and finds what there is to measure: what was asked for,
 * else the page's own measures and `bench`, and how it answers input; else how it loads. Another
 * load may have more or less: a measure need not be in each. Stores nothing.
 * @throws FarmError `bad-argument` with the page's own error, if a version gives nothing, or has an
 *   error and is not to be measured in spite of it
 */
export async function lookAtVersions(
  { versions, page = null, asked, despiteErrors = false, withLoad = false, looks, ...visit }: Pilot,
  setting: Setting,
): Promise<OfferedVersions> {
  const { caller } = setting;
  const benchmark = versionsBenchmark(versions, {
    measures: [found(pageMeasure('load', milliseconds), 0)],
    page,
    ...visit,
    discover: asked.flatMap((one) => ('reader' in one ? [one.reader] : [])),
  });
  const { trials, sent } = await pilotTrials(benchmark, { ...setting, looks });
  const where = page === null ? '' : ` in ${page}`;
  const wrong = versions.flatMap(({ name }, index) =>
    errorsOf(trials[index]).map((error) => ({
      name,
      error: `${name} has an error${where}: ${error}`,
    })),
  );
  if (wrong.length > 0 && !despiteErrors) {
    const above = versions.flatMap((version, index) => rootsFor(version, errorsOf(trials[index])));
    const isIsolated =
      visit.isolated !== false &&
      versions.some((one, index) => one.kind !== 'url' && isBlockable(errorsOf(trials[index])));
    throw hasErrors(wrong, { root: above[0], isIsolated });
  }
  wrong.forEach(({ error }) => caller.say(error));
  const each = versions.map(({ name }, index) => {
    const offers = offersOf(name, trials[index]);
    describeImpossible(name, offers).forEach(caller.say);
    return measuresIn(offers, asked);
  });
  const isShared = (measure: Measure): boolean =>
    each.every((own) => own.some((one) => keyOf(one) === keyOf(measure)));
  const measures = distinctMeasures(each.flat()).map((one) =>
    'watched' in one || isShared(one) ? one : found(one, 0),
  );
  if (measures.length > mostMetrics) {
    throw new FarmError('bad-argument', {
      what: `The pages give ${String(measures.length)} numbers, and ${String(mostMetrics)} are compared at most.`,
      next: 'Choose some with --measure.',
    });
  }
  const course = courseOf(versions.map(({ name }, index) => offersOf(name, trials[index])));
  const { quietMs = 0 } = course;
  if (quietMs > usualQuietMs) {
    const seconds = (quietMs / 1e3).toFixed(1);
    caller.say(
      `they wait for data or timers after their load, so each is given ${seconds} s to go on`,
    );
  }
  return {
    versions: versions.map((version, index) =>
      asLedTo(version, offersOf(version.name, trials[index])),
    ),
    ...withDefaults(measures, { asked, withLoad, isShared, ...visit }),
    course,
    sent,
  };
}

/** With what it cannot see of pages at URLs, where the driver puts no script before theirs. */
export function announceLook(
  versions: readonly Version[],
  { device, capabilities }: Presence,
): readonly string[] {
  const begins = `looks at each page once, in ${device.id}, before anything is timed`;
  const ability = capabilities.find(({ name }) => name === 'firstScript');
  const seesAll = ability?.supported !== false || versions.every(({ kind }) => kind !== 'url');
  if (seesAll) return [begins];
  const why = ability.because ?? 'its driver cannot';
  return [begins, `errors of a page at a URL before the farm looks into it are not seen: ${why}`];
}

function describeImpossible(
  name: string,
  offers: Readonly<Record<string, number>>,
): readonly string[] {
  return Object.keys(offers).flatMap((key) => {
    const [, below] = /^below 0:measure:(.*)$/s.exec(key) ?? [];
    return below === undefined
      ? []
      : [`${below} is below 0 in ${name}: no time is, and it is left out`];
  });
}

/** A page that goes on so soon is read no later for it. */
const usualQuietMs = 700;

/** No trial waits longer for a page to go on. */
const longestQuietMs = 8000;

/** A page that says itself that it has finished is heard where all do. */
function courseOf(offers: readonly Readonly<Record<string, number>>[]): GuestCourse {
  const longest = Math.max(0, ...offers.map(({ quiet = 0 }) => quiet));
  // Another load may take half as long again.
  const quietMs = Math.min(longestQuietMs, Math.ceil(1.5 * longest));
  const awaitsDone = offers.every((one) => 'mark:crossfarm:done' in one);
  return {
    ...(quietMs > 0 && { quietMs }),
    ...(awaitsDone && { awaitsDone }),
  };
}

/** The version with where its server led the look: a trial that is led elsewhere sees another page. */
function asLedTo(version: Version, offers: Readonly<Record<string, number>>): Version {
  const { place } = version;
  if (place.kind !== 'url') return version;
  const keys = Object.keys(offers).filter((key) => key.startsWith(ledTo));
  if (keys.length === 0) return version;
  return { ...version, place: { ...place, leadsTo: keys.map((key) => key.slice(ledTo.length)) } };
}

/** Folders above the page's that have what it lacks. */
function rootsFor(version: Version, errors: readonly string[]): readonly string[] {
  return errors.flatMap((error) => {
    const [, missing] = /^(.+) could not be loaded$/.exec(error) ?? [];
    return missing === undefined ? [] : (rootWith(missing, version) ?? []);
  });
}

/**
 * True where something of another origin is missing, which the farm's own headers may have blocked.
 */
function isBlockable(errors: readonly string[]): boolean {
  return errors.some((error) => /^https?:\/\/\S+ could not be loaded$/.test(error));
}

interface Remedies {
  /** A folder above that has what is missing. */
  readonly root: string | undefined;
  readonly isIsolated: boolean;
}

interface WrongVersion {
  readonly name: string;
  readonly error: string;
}

function hasErrors(wrong: readonly WrongVersion[], { root, isIsolated }: Remedies): FarmError {
  const facts = {
    what: wrong.map(({ error }) => error).join('\n'),
    about: [...new Set(wrong.map(({ name }) => name))],
  };
  if (root !== undefined) {
    return new FarmError('bad-argument', {
      ...facts,
      next: `Another folder above has it. Let that stand at / of the page’s server: --root ${shellWord(root)}`,
    });
  }
  if (isIsolated) {
    return new FarmError('bad-argument', {
      ...facts,
      next: 'The farm isolates pages (COOP, COEP) from what other origins do not offer to all (CORP). Serve them without those headers: --no-isolation. Or compare them all the same: --despite-errors.',
    });
  }
  return new FarmError('bad-argument', {
    ...facts,
    next: 'A page with an error may do less, and be faster for it. Mend it, or compare it all the same: --despite-errors.',
  });
}

interface Setting {
  readonly presence: Presence;
  readonly options: MeasuringOptions;
  readonly caller: MeasuringCaller;
  /** Versions are opened one after the other in the same browser. */
  readonly sharedBrowser?: boolean | undefined;
}

interface PilotTrials extends Pick<OfferedVersions, 'sent'> {
  readonly trials: readonly Trial[];
}

async function pilotTrials(
  benchmark: Benchmark,
  {
    presence,
    options,
    caller,
    looks = new Map(),
    sharedBrowser = false,
  }: Setting & Pick<Pilot, 'looks'>,
): Promise<PilotTrials> {
  const cases = versionCases(benchmark);
  const unseen = cases.filter((one) => !looks.has(lookKey(one)));
  const plans = queuesOf(unseen, presence).map((some) =>
    planOnce(some, [presence], options.measurement, sharedBrowser ? 'page' : 'session'),
  );
  const sent = new Map<string, Set<string>>();
  if (unseen.length > 0) {
    const trials = await openPages(plans, { options, caller, sent });
    for (const trial of trials) looks.set(lookKey(trial.job.case), trial);
  }
  return {
    trials: cases.flatMap((one) => looks.get(lookKey(one)) ?? []),
    sent: cases.map((one) => sent.get(findExternalPlace(one)?.mount ?? '') ?? new Set()),
  };
}

/** The version is a parameter, and so is the page where there are several. */
function lookKey({ parameters }: Case): string {
  return JSON.stringify(parameters);
}

/** Carries out plans side by side, outside of any run: nothing of it is stored. */
export async function openPages(
  plans: readonly Plan[],
  {
    options,
    caller,
    listener = {},
    sent = new Map(),
  }: Pick<Setting, 'options' | 'caller'> & {
    readonly listener?: RunListener;
    readonly sent?: SentFiles;
  },
): Promise<readonly Trial[]> {
  const { signal, say, loadDriver } = caller;
  const directory = sessionsFolder(options.database);
  // A folder that cannot be made is no fault of a page.
  await makeFolder(directory);
  const equipment = {
    ...options,
    probes: false,
    directory,
    externals: noteSent(externalFolders({ jobs: plans.flatMap(({ jobs }) => jobs) }), sent),
    ...(loadDriver !== undefined && { loadDriver }),
    limits: { attempts: 1 },
    // No time that is measured here is kept, so other programs may use the cores.
    waitsForQuiet: false,
    signal,
    say,
  };
  const trials = await withEquipment(equipment, async (open) => {
    const carryOut = async (plan: Plan): Promise<readonly Trial[]> => {
      const ended: Trial[] = [];
      for await (const trial of runPlan(plan, { ...open, listener })) ended.push(trial);
      return ended;
    };
    return (await Promise.all(plans.map(carryOut))).flat();
  });
  signal.throwIfAborted();
  return trials;
}

/** Plans each of the cases once in each of the browsers. */
export function planOnce(
  cases: readonly Case[],
  presences: readonly Presence[],
  measurement: MeasuringOptions['measurement'],
  isolation: Isolation = 'session',
): Plan {
  return makePlan({
    seed: 1,
    isolation,
    blocks: 1,
    measurement: chooseRules(measurement),
    presences,
    arms: presences.flatMap(({ device }) =>
      cases.map((one) => ({ deviceId: device.id, case: one })),
    ),
    repeatQuarantined: false,
  });
}

/**
 * Two browsers look side by side where the driver starts its own. A server may lend only one at a
 * time, as Safari's does, and another machine has only one.
 */
function queuesOf(cases: readonly Case[], presence: Presence): readonly (readonly Case[])[] {
  const startsItsOwn =
    presence.status === 'found' &&
    presence.target.server === undefined &&
    !isElsewhere(presence.device);
  const queues = startsItsOwn ? [0, 1] : [0];
  return queues.map((queue) => cases.filter((_, index) => index % queues.length === queue));
}
