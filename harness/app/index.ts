/**
 * The library: what the commands do, as functions. Each takes options and, where it measures or
 * waits, a caller with an `AbortSignal`; it returns what was found, prints nothing, and throws a
 * `FarmError` for what a person can act on.
 */
export type { Caller, MeasuringCaller } from './caller.ts';
export type { RunListener } from '../run/listener.ts';
export { FarmError, type FarmErrorCode } from '../errors.ts';

export { attendDefaults, compareDefaults, runDefaults } from './defaults.ts';
export { runSuite, type RunOptions } from './run/run-suite.ts';
export { resumeRun, type ResumedRun, type ResumeOptions } from './run/resume.ts';
export type { RunResult } from './run/execute-plan.ts';
export { attend, type AttendCaller, type AttendOptions } from './attend/attend.ts';

export { compare } from './compare/compare.ts';
export type { CompareOptions, Sides } from './compare/options.ts';
export type { Comparison } from './compare/conclude.ts';
export { continueComparison, type ContinueOptions } from './compare/continue-comparison.ts';
export { compareDrivers, type DriverComparison } from './compare/compare-drivers.ts';
export { bisectBuilds, type BisectOptions, type BisectionResult } from './compare/bisect.ts';

export { isFit, lookAtMachine } from './doctor/machine.ts';
export {
  measureNoiseFloors,
  type NoiseFloor,
  type NoiseFloorOptions,
} from './doctor/noise-floor.ts';

export { nightly, type HeldNight } from './nights/nightly.ts';
export type { GivenNight } from './nights/night-options.ts';

export { listDevices, type DevicesOptions, type ListedDevices } from './devices.ts';
export { setUp, type SetUpOptions, type SetUpResult } from './setup.ts';

export { chooseClaims, listClaims, type ClaimAnswer, type ClaimsOptions } from './claims.ts';
export { reproduceClaims, type ClaimOptions } from './reproduce/reproduce-claims.ts';
export {
  reproduceAnomaly,
  type AnomalyOptions,
  type GoneAnomaly,
  type ReproducedAnomaly,
} from './reproduce/reproduce-anomaly.ts';
export {
  reproduceBundle,
  type ReplayedBundle,
  type ReplayOptions,
} from './reproduce/reproduce-bundle.ts';

export { readRecord } from './records.ts';
export {
  readFindings,
  writeReport,
  type ReportOptions,
  type WrittenReport,
} from './report/report.ts';
export { searchSuite, type HistoryOptions, type SearchedHistory } from './history.ts';
export { listAnomalies, markAnomaly, readAnomaly } from './anomalies.ts';
export { openExplorer, type ExplorerOptions, type OpenExplorer } from './serve/serve.ts';

export { exportRun, type ExportFormat, type ExportOptions } from './export.ts';
export { importFiles, type ImportedFile } from './import.ts';
export { backUpDatabase } from './backup.ts';
export { pruneRuns, type PruneRules } from './prune.ts';
