import { randomInt } from 'node:crypto';
import { type TableEntry } from '../../core/analysis/decide.ts';
import { untilWorseBy } from '../../core/analysis/stopping.ts';
import { countingDisturbed } from '../../core/analysis/series.ts';
import { defaultAlpha } from '../../core/analysis/stats/verdict.ts';
import type { Pair } from '../../core/analysis/pairs.ts';
import { versionPairs, versionsSuite } from '../../core/analysis/run-pairs.ts';
import { loadDevices } from '../../core/app/builds/build-devices.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import {
  checkFirstRound,
  type Ending,
  watchBlocks,
  type Watching,
} from '../../core/app/run/block-watch.ts';
import { executePlan, RetryOnLock, type RunOrder } from '../../core/app/run/execute-plan.ts';
import { FarmError } from '../../core/errors.ts';
import { type Case, type MeasurementPreset, findPreset } from '../../core/model/case.ts';
import type { Presence } from '../../core/model/device.ts';
import type { Plan } from '../../core/model/plan.ts';
import type { Trial } from '../../core/model/trial.ts';
import { chooseRules } from '../../core/plan/catalog/measurement.ts';
import { requireSound } from '../../core/store/database-file.ts';
import { selectBrowsers } from '../../core/plan/inventory/inventory.ts';
import { makePlan } from '../../core/plan/plan.ts';
import { type VersionsOptions, versionsCommand } from './options.ts';
import { describeLook } from './look-text.ts';
import { type Measure, parseMeasure } from './versions/measures.ts';
import { type OwnPages, withOwnPages } from './own-pages.ts';
import { readingOfSuite, suiteDeadlineMs } from './versions/well-known.ts';

export interface VersionsComparison {
  readonly run: number;
  /** Left out where it was measured by the usual rules. */
  readonly preset?: MeasurementPreset | undefined;
  readonly versions: readonly string[];
  /** Browsers that were measured, and why the others were not. */
  readonly presences: readonly Presence[];
  /** Each metric of each version, compared with the first version, in each browser. */
  readonly entries: readonly TableEntry[];
  /** Of undecided entries, where it can be foreseen: how many more blocks each needs. */
  readonly moreBlocks: ReadonlyMap<TableEntry, number>;
  readonly trials: readonly Trial[];
  /** No version measures anything itself, and nothing was asked for: how they load was compared. */
  readonly byDefault: boolean;
  readonly margin: number;
  /** As it was asked for. */
  readonly precision?: number | undefined;
  readonly alpha: number;
  readonly seed: number;
  readonly command: string;
  readonly interrupted: boolean;
  readonly ended: Ending;
  /** Why no more blocks were measured; null when all is decided, or the budget is gone. */
  readonly stopped: string | null;
}

/** Options of a comparison that a search makes. */
export interface Search {
  readonly pairs: (plan: Plan) => readonly Pair[];
  /** Error rate of all its pairs together; that of the options when left out. */
  readonly alpha?: number;
  /** True if more blocks are of no use to it; the trials are as they are judged. */
  readonly isDone: (table: readonly TableEntry[], trials: readonly Trial[]) => boolean;
  /** Rows with a verdict are of no use to it by themselves: `isDone` alone ends it. */
  readonly goesOn?: boolean;
  /** Blocks that are shuffled together; as of any comparison when left out. */
  readonly firstRound?: number;
  /** Of a shared browser: blocks after which another one is started; as of any comparison when left out. */
  readonly blocksPerSession?: number;
  /** Where builds are kept for its next comparison; nowhere when left out. */
  readonly kept?: string;
  /** As `withKeptBuild` takes it. */
  readonly keptSince?: number;
  /** Looks at versions, by name, that its comparisons share. */
  readonly looks?: Map<string, Trial>;
  /** The command that repeats it; of the comparison itself when left out. */
  readonly command?: (seed: number) => string;
}

/**
 * Compares versions of a page with the first of them, in every browser, until all is decided or the
 * budget is gone.
 * @param names at least two HTML files, folders, URLs, versions of a package, or git refs
 * @throws FarmError about the versions that cannot be measured, where it is that
 */
export async function compareVersions(
  names: readonly string[],
  options: VersionsOptions,
  caller: MeasuringCaller,
): Promise<VersionsComparison> {
  // Executing the plan does so too, after versions are built and looked at.
  await new RetryOnLock(caller).write(() => requireSound(options.database));
  return compareFor(undefined, names, options, caller);
}

/**
 * Compares the versions that a search asks for, until it knows enough.
 * @throws FarmError as `compareVersions` does
 */
export function searchVersions(
  names: readonly string[],
  { search, ...options }: VersionsOptions & { readonly search: Search },
  caller: MeasuringCaller,
): Promise<VersionsComparison> {
  return compareFor(search, names, options, caller);
}

function compareFor(
  search: Search | undefined,
  names: readonly string[],
  options: VersionsOptions,
  caller: MeasuringCaller,
): Promise<VersionsComparison> {
  const usual = checkFirstRound(options, caller);
  const asked = { ...withSuite(options), firstRound: search?.firstRound ?? usual, search };
  const { kept, keptSince, looks } = search ?? {};
  const shared = {
    ...(kept !== undefined && { kept }),
    ...(keptSince !== undefined && { keptSince }),
    ...(looks !== undefined && { looks }),
  };
  const whole = { ...asked, ...shared };
  const { browsers } = whole;
  return withOwnPages(names, whole, {
    devices: async () => selectBrowsers(await loadDevices(whole, browsers), browsers),
    areNamed: browsers.length > 0,
    caller,
    use: (pages) => measureVersions(pages, whole, caller),
  });
}

type AskedOptions = VersionsOptions & { readonly asked: readonly Measure[] };

type WholeOptions = AskedOptions & {
  readonly firstRound: number;
  readonly search: Search | undefined;
};

/** The options, completed by those of their suite. */
function withSuite(options: VersionsOptions): AskedOptions {
  const { suite, measure, deadline } = options;
  if (suite === undefined) {
    return { ...options, asked: measure.map((text) => parseMeasure(text, options)) };
  }
  if (measure.length > 0) {
    throw new FarmError('bad-argument', {
      what: 'A suite defines what is measured, so --measure cannot be used with --suite.',
      next: 'Leave one of them out.',
    });
  }
  const reading = readingOfSuite(suite);
  return { ...reading, ...options, deadline: Math.max(deadline, suiteDeadlineMs) };
}

async function measureVersions(
  { versions, presences, cases, byDefault, access, probes, stored }: OwnPages,
  options: WholeOptions,
  caller: MeasuringCaller,
): Promise<VersionsComparison> {
  const plan = planBlocks(cases, presences, options);
  const { search, precision, budget } = options;
  const command =
    search?.command?.(plan.seed) ?? versionsCommand(versions, { ...options, access }, plan.seed);
  const ready = {
    plan,
    pairs: (search?.pairs ?? versionPairs)(plan),
    watching: {
      ...chooseLevels(options),
      isDone: search?.isDone,
      isOpen: search?.goesOn === true ? () => true : untilWorseBy(options.worseBy ?? 0),
      precision,
      budget,
    },
    order: {
      suite: versionsSuite,
      command,
      options: { ...options, ...probes },
      ownPages: { ...stored, ...(search !== undefined && { ofSearch: true }) },
    },
    versions: versions.map(({ name }) => name),
    byDefault,
  };
  return measureReady(ready, caller);
}

/** Versions with the plan of their blocks. */
export interface ReadyVersions {
  readonly plan: Plan;
  readonly pairs: readonly Pair[];
  readonly watching: Omit<Watching, 'judged' | 'describe' | 'say' | 'now'>;
  readonly order: Omit<RunOrder, 'enough' | 'look'>;
  readonly versions: readonly string[];
  readonly byDefault: boolean;
}

/** Carries out a plan until it is decided. */
export async function measureReady(
  { plan, pairs, watching, order, versions, byDefault }: ReadyVersions,
  caller: MeasuringCaller,
): Promise<VersionsComparison> {
  const { presences, seed, measurement } = plan;
  const { margin, alpha, precision } = watching;
  const watch = watchBlocks(plan, pairs, {
    ...watching,
    judged: countingDisturbed,
    describe: (table) => describeLook(table, { presences, margin }),
  });
  const { enough, look } = watch;
  const { run, trials, interrupted } = await executePlan(plan, { ...order, enough, look }, caller);
  const standing = watch.standing();
  return {
    margin,
    alpha,
    precision,
    run,
    preset: findPreset(measurement),
    versions,
    presences,
    entries: watch.decide(trials),
    moreBlocks: watch.foresee(trials),
    trials,
    byDefault,
    seed,
    command: order.command,
    interrupted,
    ended: interrupted ? 'interrupted' : watch.ending(trials),
    stopped: standing.kind === 'vanished' ? standing.reason : null,
  };
}

function chooseLevels({
  search,
  margin,
  errorRate = defaultAlpha,
}: WholeOptions): Pick<VersionsComparison, 'margin' | 'alpha'> {
  return { margin, alpha: search?.alpha ?? errorRate };
}

/** Of pages that share a browser: it is another one before it has opened hundreds. */
const blocksPerSession = 12;

function planBlocks(
  cases: readonly Case[],
  presences: readonly Presence[],
  { seed, maxBlocks, firstRound, repeat, measurement, sharedBrowser, search }: WholeOptions,
): Plan {
  const found = presences.filter(({ status }) => status === 'found');
  return makePlan({
    seed: seed ?? randomInt(2 ** 32),
    ...(sharedBrowser === true
      ? { isolation: 'page', blocksPerSession: search?.blocksPerSession ?? blocksPerSession }
      : { isolation: 'session', firstRound }),
    blocks: maxBlocks,
    measurement: chooseRules(measurement),
    presences,
    arms: found.flatMap(({ device }) => cases.map((one) => ({ deviceId: device.id, case: one }))),
    ...(repeat ? {} : { repeatQuarantined: false }),
  });
}
