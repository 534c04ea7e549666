/**
 * The library: what the commands do, as functions. Each takes options and, where it measures or
 * waits, a caller with an `AbortSignal`; it returns what was found, prints nothing, and throws a
 * `FarmError` for what a person can act on.
 */
// Additions of the features to reports.
import './features.ts';

export type { Caller, MeasuringCaller } from './app/caller.ts';
export { follow, type Followed, type RunEvent } from './app/follow.ts';
export type { RunListener } from './run/listener.ts';
export { FarmError, type FarmErrorCode } from './errors.ts';

export { attendDefaults, compareDefaults, runDefaults, versionsDefaults } from './app/defaults.ts';
export { defaultDatabase, defaultInventory } from './project.ts';
export { runSuite, type RunOptions } from './app/run/run-suite.ts';
export { resumeRun, type ResumedRun, type ResumeOptions } from './app/run/resume.ts';
export type { RunResult } from './app/run/execute-plan.ts';
export { attend, type AttendCaller, type AttendOptions } from './app/devices/attend.ts';

export { compare } from './features/compare/compare-devices.ts';
export type { CompareOptions, Sides } from './features/compare/options.ts';
export type { Comparison } from './features/compare/conclude.ts';
export {
  continueComparison,
  type ContinueOptions,
} from './features/compare/continue-comparison.ts';
export { compareDrivers, type DriverComparison } from './features/compare/compare-drivers.ts';
export { compareVersions, type VersionsComparison } from './features/compare/compare-versions.ts';
export type { VersionsOptions } from './features/compare/options.ts';
export { type ExpectedChange, matchers } from './features/compare/expectations.ts';
export {
  getBuilds,
  type GetOptions,
  type GotBuilds,
  type KnownBuild,
  listKnownBuilds,
  removeBuilds,
} from './app/builds/builds.ts';
export { sweep, type SweepOptions, type SweepResult } from './features/engines/sweep.ts';
export {
  bisectBuilds,
  type BisectOptions,
  type BisectionResult,
} from './features/engines/bisect.ts';

export { isFit, lookAtMachine } from './app/devices/machine.ts';
export {
  measureNoiseFloors,
  type NoiseFloor,
  type NoiseFloorOptions,
} from './app/devices/noise-floor.ts';

export { nightly, type HeldNight } from './features/nights/nightly.ts';
export type { GivenNight } from './features/nights/night-options.ts';

export { listDevices, type DevicesOptions, type ListedDevices } from './app/devices/devices.ts';
export { setUp, type SetUpOptions, type SetUpResult } from './app/devices/setup.ts';

export {
  chooseClaims,
  listClaims,
  type ClaimAnswer,
  type ClaimsOptions,
} from './features/claims/claims.ts';
export { reproduceClaims, type ClaimOptions } from './features/claims/reproduce-claims.ts';
export {
  reproduceAnomaly,
  type AnomalyOptions,
  type GoneAnomaly,
  type ReproducedAnomaly,
} from './features/claims/reproduce-anomaly.ts';
export {
  reproduceBundle,
  type ReplayedBundle,
  type ReplayOptions,
} from './features/claims/reproduce-bundle.ts';

export { readRecord } from './app/records.ts';
export {
  readFindings,
  writeReport,
  type ReportOptions,
  type WrittenReport,
} from './app/report/report.ts';
export {
  searchSuite,
  type HistoryOptions,
  type SearchedHistory,
} from './features/nights/search-history.ts';
export { listAnomalies, markAnomaly, readAnomaly } from './app/anomalies.ts';
export {
  openExplorer,
  type ExplorerOptions,
  type OpenExplorer,
} from './features/explorer/serve.ts';

export { exportRun, type ExportFormat, type ExportOptions } from './features/bundles/export.ts';
export { importFiles, type ImportedFile } from './features/bundles/import.ts';
export { backUpDatabase } from './features/bundles/upkeep.ts';
export { pruneRuns, type PruneRules } from './features/bundles/upkeep.ts';
