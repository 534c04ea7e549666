/**
 * The library: what the commands do, as functions of what is meant, options, and where they measure
 * or wait a caller with an `AbortSignal`, in this order. All options have the defaults of the
 * commands. A function returns what was found, prints nothing, and throws a `FarmError` for what a
 * person can act on. Each is loaded when it is first called.
 */
import type { Caller, MeasuringCaller } from './core/app/caller.ts';
import {
  attendDefaults,
  compareDefaults,
  questionDefaults,
  runDefaults,
  sweepDefaults,
  versionsDefaults,
} from './core/app/defaults.ts';
import type { ReportOptions } from './core/app/report/report.ts';
import type { RunResult } from './core/app/run/execute-plan.ts';
import type { OwnPageOptions } from './core/app/run/run-suite.ts';
import { defaultDatabase, defaultInventory, pagesFolder } from './core/project.ts';
import type { PruneResult } from './core/store/prune.ts';
import type { Store } from './core/store/store.ts';
import type { ImportedFile } from './features/bundles/import.ts';
import type { PruneRules } from './features/bundles/upkeep.ts';
import type { Claim } from './features/claims/judging/claim.ts';
import type { ClaimAnswer } from './features/claims/claims.ts';
import type { ClaimOptions } from './features/claims/reproduce-claims.ts';

// Additions of the features to reports.
import './features.ts';

export type { Caller, MeasuringCaller };
export { follow, type Followed, type RunEvent } from './core/app/follow.ts';
export type { RunListener } from './core/run/listener.ts';
export { FarmError, type FarmErrorCode } from './core/errors.ts';
export { defaultDatabase, defaultInventory };

/** Measures pages of one's own; without some a suite, or the benchmarks of the options. */
export async function run(
  pages: readonly string[] = [],
  options: Partial<OwnPageOptions> = {},
  caller: Partial<MeasuringCaller> = {},
): Promise<RunResult> {
  const defaults = { ...runDefaults, measure: [], despiteErrors: false };
  const asked: OwnPageOptions = withDefaults(options, defaults);
  if (pages.length === 0) {
    const { runSuite } = await import('./core/app/run/run-suite.ts');
    return runSuite(asked, completeCaller(caller));
  }
  const { runPages } = await import('./features/compare/run-pages.ts');
  return runPages(pages, asked, completeCaller(caller));
}

export const compare = about(
  () => import('./features/compare/compare-versions.ts'),
  'compareVersions',
  versionsDefaults,
);
export const compareDevices = about(
  () => import('./features/compare/compare-devices.ts'),
  'compare',
  compareDefaults,
);
export const compareDrivers = about(
  () => import('./features/compare/compare-drivers.ts'),
  'compareDrivers',
  compareDefaults,
);
export const continueComparison = about(
  () => import('./features/compare/continue-comparison.ts'),
  'continueComparison',
  { port: 0, maxBlocks: compareDefaults.maxBlocks },
);
export const continueRun = about(() => import('./core/app/run/resume.ts'), 'resumeRun', {
  port: 0,
  takeOver: false,
});
export const bisectCommits = about(
  () => import('./features/bisect/bisect-commits.ts'),
  'bisectCommits',
  { ...versionsDefaults, maxBlocks: runDefaults.maxBlocks },
);
export const bisectBuilds = about(
  () => import('./features/bisect/bisect-builds.ts'),
  'bisectBuilds',
  { ...compareDefaults, maxBlocks: runDefaults.maxBlocks },
);
export const sweep = doing(() => import('./features/engines/sweep.ts'), 'sweep', sweepDefaults);
export const attend = doing(() => import('./features/remote/attend.ts'), 'attend', attendDefaults);
export const nightly = doing(() => import('./features/nights/nightly.ts'), 'nightly', runDefaults);

/** Measures claims one after the other, and yields each answer when its evidence is written. */
export async function* reproduceClaims(
  claims: readonly Claim[],
  options: Partial<ClaimOptions> = {},
  caller: Partial<MeasuringCaller> = {},
): AsyncGenerator<ClaimAnswer> {
  const { reproduceClaims: reproduce } = await import('./features/claims/reproduce-claims.ts');
  const defaults = { ...questionDefaults, device: [], param: {}, without: [], cores: [] };
  yield* reproduce(claims, withDefaults(options, defaults), completeCaller(caller));
}
export const reproduceAnomaly = about(
  () => import('./features/claims/reproduce-anomaly.ts'),
  'reproduceAnomaly',
  questionDefaults,
);
export const reproduceBundle = about(
  () => import('./features/claims/reproduce-bundle.ts'),
  'reproduceBundle',
  { ...questionDefaults, trust: false },
);
export { chooseClaims } from './features/claims/catalogue/index.ts';
export const listClaims = about(() => import('./features/claims/claims.ts'), 'listClaims', {
  pages: pagesFolder(),
});

export const listDevices = doing(() => import('./core/app/devices/devices.ts'), 'listDevices', {
  device: [],
});
export const setUp = doing(() => import('./core/app/devices/setup.ts'), 'setUp', {
  check: false,
  runtimes: false,
  programs: false,
  appium: false,
});
export const measureNoiseFloors = doing(
  () => import('./core/app/devices/noise-floor.ts'),
  'measureNoiseFloors',
  { device: [], blocks: 20, repeat: true },
);
export const listBuilds = doing(() => import('./core/app/builds/builds.ts'), 'listKnownBuilds', {
  here: false,
});
export const getBuilds = about(() => import('./core/app/builds/builds.ts'), 'getBuilds', {});
export const removeBuilds = about(() => import('./core/app/builds/builds.ts'), 'removeBuilds', {});

/**
 * Opens the database of runs, or makes it, and brings an older one up to date. Close it at the end.
 * @throws FarmError `newer-database`, `older-database`, `bad-database`, `cannot-write`, `disk-full`
 */
export async function openStore(database: string = defaultDatabase()): Promise<Store> {
  const { openStore: open } = await import('./core/store/store.ts');
  return open(database);
}

/** Renders runs, the latest one when none is named, as one HTML file that needs no network. */
export async function renderReport(
  runs: readonly (number | 'latest')[] = [],
  options: Partial<Omit<ReportOptions, 'out'>> = {},
): Promise<string> {
  const { renderRuns } = await import('./core/app/report/report.ts');
  return (await renderRuns(runs, withDefaults(options, {}))).html;
}
export const writeReport = about(() => import('./core/app/report/report.ts'), 'writeReport', {});
export const readFindings = about(() => import('./core/app/report/report.ts'), 'readFindings', {});
export const searchHistory = doing(
  () => import('./features/nights/search-history.ts'),
  'searchSuite',
  { device: [], suite: 'quick' },
);
export const exportRun = about(() => import('./features/bundles/export.ts'), 'exportRun', {
  format: 'json',
});

/** Takes runs of other databases and of exported documents into a database, all or none. */
export async function importFiles(
  files: readonly string[],
  options: { readonly database?: string } = {},
  caller: Partial<Pick<Caller, 'signal'>> = {},
): Promise<readonly ImportedFile[]> {
  const { importFiles: take } = await import('./features/bundles/import.ts');
  return take(files, withDefaults(options, {}).database, caller.signal);
}

/** Copies the database to a file that is not there yet, also during a run. */
export async function backUpDatabase(
  file: string,
  options: { readonly database?: string } = {},
): Promise<{ readonly path: string; readonly bytes: number }> {
  const { backUpDatabase: copy } = await import('./features/bundles/upkeep.ts');
  return copy(withDefaults(options, {}).database, file);
}

/** Removes old runs with their traces. */
export async function pruneRuns(
  options: Partial<PruneRules & { readonly database: string }> = {},
): Promise<PruneResult> {
  const { pruneRuns: prune } = await import('./features/bundles/upkeep.ts');
  const { database, ...rules } = withDefaults(options, { dryRun: false });
  return prune(database, rules);
}
export const openExplorer = doing(() => import('./features/explorer/serve.ts'), 'openExplorer', {
  port: 0,
  pages: pagesFolder(),
});

// ---------------------------------------------------------------- types

export type { VersionsComparison } from './features/compare/compare-versions.ts';
export type { CompareOptions, Sides, VersionsOptions } from './features/compare/options.ts';
export type { Comparison } from './features/compare/conclude.ts';
export type { ContinueOptions } from './features/compare/continue-comparison.ts';
export type { DriverComparison, DriverOptions } from './features/compare/compare-drivers.ts';
export type { OwnPageOptions, RunResult };
export type { ResumedRun, ResumeOptions } from './core/app/run/resume.ts';
export type { AttendCaller, AttendOptions } from './features/remote/attend.ts';
export type {
  BisectBuildsCaller,
  BisectOptions,
  BisectionResult,
} from './features/bisect/bisect-builds.ts';
export type {
  BisectCommitsCaller,
  BisectCommitsOptions,
} from './features/bisect/compare-commits.ts';
export type { Commit, CommitRange } from './features/bisect/commits.ts';
export type {
  CommitBisection,
  ComparedCommits,
  FoundChange,
} from './features/bisect/comparison.ts';
export type { SweepOptions, SweepResult } from './features/engines/sweep.ts';
export type { HeldNight, NightCaller } from './features/nights/nightly.ts';
export type { GivenNight } from './features/nights/night-work.ts';
export type { Claim, ClaimAnswer, ClaimOptions };
export type { ClaimsOptions } from './features/claims/claims.ts';
export type {
  AnomalyOptions,
  GoneAnomaly,
  ReproducedAnomaly,
} from './features/claims/reproduce-anomaly.ts';
export type { ReplayedBundle, ReplayOptions } from './features/claims/reproduce-bundle.ts';
export type { DevicesOptions, ListedDevices } from './core/app/devices/devices.ts';
export type { SetUpOptions, SetUpResult } from './core/app/devices/setup.ts';
export type {
  NoiseFloor,
  NoiseFloorCaller,
  NoiseFloorOptions,
} from './core/app/devices/noise-floor.ts';
export type {
  BuildsOptions,
  GetOptions,
  GotBuilds,
  KnownBuild,
  ListedBuilds,
} from './core/app/builds/builds.ts';
export type { Store };
export type { ReportOptions };
export type { FindingsOptions, WrittenReport } from './core/app/report/report.ts';
export type { Findings } from './core/results/index.ts';
export type { StoredBuild } from './core/setup/build-store.ts';
export type { HistoryOptions, SearchedHistory } from './features/nights/search-history.ts';
export type { ExportFormat, ExportOptions } from './features/bundles/export.ts';
export type { ImportedFile, PruneResult, PruneRules };
export type { ExplorerOptions, OpenExplorer } from './features/explorer/serve.ts';

// ---------------------------------------------------------------- defaults

interface Place {
  /** The devices file. */
  readonly inventory: string;
  readonly database: string;
}

/** Adds those of a command: its own, and the place where it works. `undefined` is no choice. */
function withDefaults<Options extends object, Own extends object>(
  options: Options,
  own: Own,
): Own & Place & Options {
  const place: Place = { inventory: defaultInventory(), database: defaultDatabase() };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.assign(place, own, Object.fromEntries(given)) as Own & Place & Options;
}

function completeCaller<T extends Partial<Caller>>(caller: T): T & Caller {
  return { signal: new AbortController().signal, say: () => undefined, ...caller };
}

type Late = (...args: unknown[]) => Promise<unknown>;
type Parts<F> = F extends (...args: infer P) => Promise<unknown> ? P : never;
type Lenient<P extends readonly unknown[]> = { [K in keyof P]?: Partial<P[K]> };
type Tail<P> = P extends readonly [unknown, ...infer Others] ? Others : [];
/** A tuple of one keeps the name of its parameter. */
type Head<P> = P extends readonly [...infer First, ...Tail<P>] ? First : [];
type Result<F> = F extends (...args: never[]) => infer R ? R : never;
/** Options that have to be there, and have no default yet. */
type Missing<O> = {
  [K in keyof O]-?: Partial<Pick<O, K>> extends Pick<O, K> ? never : K;
}[keyof O];
type Defaults<O> = Pick<O, Exclude<Missing<O>, keyof Place>>;

/** The function of a module that takes options and a caller, loaded when it is first called. */
function doing<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  defaults: Defaults<Parts<Module[Name]>[0]>,
): (...args: Lenient<Parts<Module[Name]>>) => Result<Module[Name]> {
  const call: Late = async (options = {}, caller = {}) => {
    const act = (await load())[name] as Late;
    return act(withDefaults(options as object, defaults), completeCaller(caller as object));
  };
  return call as (...args: unknown[]) => Result<Module[Name]>;
}

/** The same of one that first takes what it is about. */
function about<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  defaults: Defaults<Parts<Module[Name]>[1]>,
): (
  ...args: [...Head<Parts<Module[Name]>>, ...Lenient<Tail<Parts<Module[Name]>>>]
) => Result<Module[Name]> {
  const call: Late = async (what, options = {}, caller = {}) => {
    const act = (await load())[name] as Late;
    return act(what, withDefaults(options as object, defaults), completeCaller(caller as object));
  };
  return call as (...args: unknown[]) => Result<Module[Name]>;
}
