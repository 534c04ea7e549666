/**
 * The library: what the commands do, as functions. Each takes options and, where it measures or
 * waits, a caller with an `AbortSignal`; it returns what was found, prints nothing, and throws a
 * `FarmError` for what a person can act on. Each is loaded when it is first called.
 */
import type { reproduceClaims as ReproduceClaims } from './features/claims/reproduce-claims.ts';

// Additions of the features to reports.
import './features.ts';

export type { Caller, MeasuringCaller } from './core/app/caller.ts';
export { follow, type Followed, type RunEvent } from './core/app/follow.ts';
export type { RunListener } from './core/run/listener.ts';
export { FarmError, type FarmErrorCode } from './core/errors.ts';

export {
  attendDefaults,
  compareDefaults,
  runDefaults,
  versionsDefaults,
} from './core/app/defaults.ts';
export { defaultDatabase, defaultInventory } from './core/project.ts';
export const runSuite = later(() => import('./core/app/run/run-suite.ts'), 'runSuite');
export type { RunOptions } from './core/app/run/run-suite.ts';
export const resumeRun = later(() => import('./core/app/run/resume.ts'), 'resumeRun');
export type { ResumedRun, ResumeOptions } from './core/app/run/resume.ts';
export type { RunResult } from './core/app/run/execute-plan.ts';
export const attend = later(() => import('./features/remote/attend.ts'), 'attend');
export type { AttendCaller, AttendOptions } from './features/remote/attend.ts';

export const compare = later(() => import('./features/compare/compare-devices.ts'), 'compare');
export type { CompareOptions, Sides } from './features/compare/options.ts';
export type { Comparison } from './features/compare/conclude.ts';
export const continueComparison = later(
  () => import('./features/compare/continue-comparison.ts'),
  'continueComparison',
);
export type { ContinueOptions } from './features/compare/continue-comparison.ts';
export const compareDrivers = later(
  () => import('./features/compare/compare-drivers.ts'),
  'compareDrivers',
);
export type { DriverComparison } from './features/compare/compare-drivers.ts';
export const compareVersions = later(
  () => import('./features/compare/compare-versions.ts'),
  'compareVersions',
);
export type { VersionsComparison } from './features/compare/compare-versions.ts';
export type { VersionsOptions } from './features/compare/options.ts';
export { matchers, type ExpectedChange } from './features/compare/expectations.ts';
export const getBuilds = later(() => import('./core/app/builds/builds.ts'), 'getBuilds');
export const listKnownBuilds = later(
  () => import('./core/app/builds/builds.ts'),
  'listKnownBuilds',
);
export const removeBuilds = later(() => import('./core/app/builds/builds.ts'), 'removeBuilds');
export type { GetOptions, GotBuilds, KnownBuild } from './core/app/builds/builds.ts';
export const sweep = later(() => import('./features/engines/sweep.ts'), 'sweep');
export type { SweepOptions, SweepResult } from './features/engines/sweep.ts';
export const bisectBuilds = later(
  () => import('./features/bisect/bisect-builds.ts'),
  'bisectBuilds',
);
export type { BisectOptions, BisectionResult } from './features/bisect/bisect-builds.ts';
export const bisectCommits = later(
  () => import('./features/bisect/bisect-commits.ts'),
  'bisectCommits',
);
export type {
  BisectCommitsOptions,
  CommitBisection,
  FoundChange,
} from './features/bisect/bisect-commits.ts';
export type { Commit, CommitRange } from './features/bisect/commits.ts';
export type { ComparedCommits } from './features/bisect/comparison.ts';

export { isFit } from './core/analysis/fitness.ts';
export const lookAtMachine = later(() => import('./core/app/devices/machine.ts'), 'lookAtMachine');
export const measureNoiseFloors = later(
  () => import('./core/app/devices/noise-floor.ts'),
  'measureNoiseFloors',
);
export type { NoiseFloor, NoiseFloorOptions } from './core/app/devices/noise-floor.ts';

export const nightly = later(() => import('./features/nights/nightly.ts'), 'nightly');
export type { HeldNight } from './features/nights/nightly.ts';
export type { GivenNight } from './features/nights/night-work.ts';

export const listDevices = later(() => import('./core/app/devices/devices.ts'), 'listDevices');
export type { DevicesOptions, ListedDevices } from './core/app/devices/devices.ts';
export const setUp = later(() => import('./core/app/devices/setup.ts'), 'setUp');
export type { SetUpOptions, SetUpResult } from './core/app/devices/setup.ts';

export { chooseClaims } from './features/claims/catalogue/index.ts';
export type { ClaimAnswer, ClaimsOptions } from './features/claims/claims.ts';
export const listClaims = later(() => import('./features/claims/claims.ts'), 'listClaims');
export const reproduceClaims: typeof ReproduceClaims = async function* (...args) {
  const { reproduceClaims: reproduce } = await import('./features/claims/reproduce-claims.ts');
  yield* reproduce(...args);
};
export type { ClaimOptions } from './features/claims/reproduce-claims.ts';
export const reproduceAnomaly = later(
  () => import('./features/claims/reproduce-anomaly.ts'),
  'reproduceAnomaly',
);
export type {
  AnomalyOptions,
  GoneAnomaly,
  ReproducedAnomaly,
} from './features/claims/reproduce-anomaly.ts';
export const reproduceBundle = later(
  () => import('./features/claims/reproduce-bundle.ts'),
  'reproduceBundle',
);
export type { ReplayedBundle, ReplayOptions } from './features/claims/reproduce-bundle.ts';

export const readRecord = later(() => import('./core/app/records.ts'), 'readRecord');
export const readFindings = later(() => import('./core/app/report/report.ts'), 'readFindings');
export const writeReport = later(() => import('./core/app/report/report.ts'), 'writeReport');
export type { ReportOptions, WrittenReport } from './core/app/report/report.ts';
export const searchSuite = later(
  () => import('./features/nights/search-history.ts'),
  'searchSuite',
);
export type { HistoryOptions, SearchedHistory } from './features/nights/search-history.ts';
export const listAnomalies = later(() => import('./core/app/anomalies.ts'), 'listAnomalies');
export const markAnomaly = later(() => import('./core/app/anomalies.ts'), 'markAnomaly');
export const readAnomaly = later(() => import('./core/app/anomalies.ts'), 'readAnomaly');
export const openExplorer = later(() => import('./features/explorer/serve.ts'), 'openExplorer');
export type { ExplorerOptions, OpenExplorer } from './features/explorer/serve.ts';

export const exportRun = later(() => import('./features/bundles/export.ts'), 'exportRun');
export type { ExportFormat, ExportOptions } from './features/bundles/export.ts';
export const importFiles = later(() => import('./features/bundles/import.ts'), 'importFiles');
export type { ImportedFile } from './features/bundles/import.ts';
export const backUpDatabase = later(() => import('./features/bundles/upkeep.ts'), 'backUpDatabase');
export const pruneRuns = later(() => import('./features/bundles/upkeep.ts'), 'pruneRuns');
export type { PruneRules } from './features/bundles/upkeep.ts';

type Late = (...args: unknown[]) => Promise<unknown>;

/** The function of a module that is loaded when it is first called. */
function later<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): Module[Name] {
  const call: Late = async (...args) => ((await load())[name] as Late)(...args);
  return call as Module[Name];
}
