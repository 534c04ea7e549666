import { randomInt } from 'node:crypto';
import type { Pair } from '../../core/analysis/pairs.ts';
import { defaultMargin } from '../../core/analysis/stats/verdict.ts';
import { type Case, caseName, findPreset, type MeasurementRules } from '../../core/model/case.ts';
import type { RunRecord, SeriesTest } from '../../core/model/run.ts';
import { defaultMeasurement } from '../../core/plan/catalog/measurement.ts';
import { defaultInventory, farmVersion, pagesFolder } from '../../core/project.ts';
import { defaultLimits } from '../../core/run/limits.ts';
import { buildsFolder } from '../../core/setup/build-store.ts';
import { describeMachine } from '../../core/setup/machine.ts';
import type { StoredSetting } from '../../core/store/run-setting.ts';
import { saveAnomaly } from '../../core/app/anomalies.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { requireTrustedDatabase } from '../../core/app/trust.ts';
import {
  buildNames,
  findBuildPair,
  type BuildSides,
  measurePair,
  buildCommand,
} from '../compare/build-pair.ts';
import type { MeasuringOptions } from '../../core/app/run/execute-plan.ts';
import {
  type Preparation,
  type Remeasurement,
  type RemeasureLimits,
  sidesOf,
  type SuspectedChange,
} from './confirm-suspects.ts';
import { findStoredTest, type StoredTest } from './same-test.ts';

/** The night whose suspects are measured again, as it was carried out. */
export interface NightSetting {
  readonly record: RunRecord;
  readonly database: string;
  readonly caller: MeasuringCaller;
  /** Null when that is not known. */
  readonly stored: StoredSetting | null;
  /** The devices file of the night; the usual one when left out. */
  readonly inventory?: string | undefined;
}

/** Blocks that settle a difference of 3 % where trials scatter by 5 %, and most smaller ones not. */
const mostBlocks = 60;

/** Looks for both builds, and gives what compares them; or says which of them is no longer here. */
export async function prepareRemeasuring(
  suspected: SuspectedChange,
  setting: NightSetting,
): Promise<Preparation> {
  const { series } = suspected;
  const { before, after } = sidesOf(suspected);
  const names = buildNames(series.deviceId);
  // Where the builds lay is what the database says.
  const targets = [before.target, after.target];
  const places = targets.map(({ device, executable }) => ({ ...device, executable }));
  requireTrustedDatabase(setting.database, places);
  const builds = await findBuildPair({
    after: after.target,
    before: before.target,
    names,
    kept: buildsFolder(setting.database),
    loadDriver: setting.caller.loadDriver,
  });
  if (typeof builds === 'string') return { kind: 'cannot', because: builds };
  const one = caseOf(setting.record, series);
  const metric = one?.benchmark.metrics.find(({ id }) => id === series.metric.id);
  if (one === undefined || metric === undefined) {
    return { kind: 'cannot', because: 'its case was not part of tonight’s run' };
  }
  const pair: Pair = {
    a: { deviceId: names.after, case: one },
    b: { deviceId: names.before, case: one },
    metric,
  };
  const sides: BuildSides = { pair, presences: [builds.after, builds.before] };
  const { deviceId } = series;
  const question = { deviceId, caseName: caseName(one), metric: metric.id, margin: defaultMargin };
  const sofar = await findSofar(sides, question, setting);
  return {
    kind: 'ready',
    remeasure: (limits) => remeasure(sides, limits, { ...setting, question, sofar }),
    ...(sofar !== null && { carried: sofar.carried }),
  };
}

type SeriesQuestion = Omit<SeriesTest, 'alpha'>;

/** The same question, asked by an earlier night in the same way and not answered; null without one. */
function findSofar(
  { pair, presences }: BuildSides,
  question: SeriesQuestion,
  setting: NightSetting,
): Promise<StoredTest | null> {
  const { pages, deadline: deadlineMs, probes } = optionsOf(setting);
  const measured = { measurement: measurementOf(setting), pages, deadlineMs, probes };
  const here = { machine: describeMachine(), farmVersion: farmVersion() };
  return findStoredTest({ question, pair, presences, measured, ...here }, setting.database);
}

function measurementOf({ stored }: NightSetting): MeasurementRules {
  return stored?.document.measurement ?? defaultMeasurement;
}

function caseOf(record: RunRecord, series: SuspectedChange['series']): Case | undefined {
  return record.jobs.find((job) => caseName(job.case) === series.caseName)?.case;
}

interface Remeasuring extends NightSetting {
  readonly question: SeriesQuestion;
  readonly sofar: StoredTest | null;
}

async function remeasure(
  sides: BuildSides,
  { alpha, budgetMs }: RemeasureLimits,
  setting: Remeasuring,
): Promise<Remeasurement> {
  const { database, caller, question, sofar, inventory = defaultInventory() } = setting;
  const { deviceId } = question;
  const measurement = measurementOf(setting);
  const seed = randomInt(2 ** 32);
  const options = optionsOf(setting);
  const command = buildCommand(sides, {
    deviceId,
    options: { ...options, inventory, measurement: findPreset(measurement) },
    maxBlocks: mostBlocks,
    seed,
  });
  const order = {
    alpha,
    budgetMs,
    maxBlocks: mostBlocks,
    measurement,
    seed,
    command,
    options,
    test: { ...question, alpha },
    ...(sofar !== null && { goesOn: sofar }),
  };
  const { run, decision, stopped } = await measurePair(sides, order, caller);
  const { pair, presences } = sides;
  return {
    decision,
    stopped,
    save: async (sentence) => {
      const finding = { pair, decision, run, sentence, measurement, presences, database };
      const id = await saveAnomaly(finding);
      if (id === null) throw new TypeError('only a finding can be kept');
      return id;
    },
  };
}

function optionsOf({ database, stored }: NightSetting): MeasuringOptions {
  const {
    pages = pagesFolder(),
    deadlineMs = defaultLimits.trialMs,
    probes = true,
    tls,
  } = stored?.document ?? {};
  return { database, port: 0, pages, deadline: deadlineMs, probes, tls };
}
