import type { TrialEnvironment, TrialFacts } from '../results/index.ts';
import { caseName } from '../model/case.ts';
import type { EnvironmentReading } from '../model/reading.ts';
import type { RunRecord } from '../model/run.ts';
import { trialValue } from '../model/trial-value.ts';
import type { Outcome, Trial } from '../model/trial.ts';
import { explainedValues, makeCpuFacts } from './cpu.ts';
import type { Writing } from './findings.ts';
import { makeSeries, findResolution } from './series.ts';
import { explainWarmUp } from './warm-up.ts';

interface TrialRequest extends Writing {
  /** Number of the trial in its database. */
  readonly trial: number;
  readonly links: TrialFacts['links'];
}

/** Describes the only trial of a record for its own page; null where the record lacks it. */
export function describeTrial(
  record: RunRecord,
  { trial: id, links, ...writing }: TrialRequest,
): TrialFacts | null {
  const [trial] = record.trials;
  if (trial === undefined) return null;
  const { job, outcome, browser, startedAt, wallMs, failedAttempts } = trial;
  const device = record.presences.find((one) => one.device.id === job.deviceId)?.device;
  return {
    trial: id,
    ...writing,
    run: record.run.id,
    caseName: caseName(job.case),
    target: {
      id: job.deviceId,
      name: device?.name ?? job.deviceId,
      browser: browser === null ? '' : `${browser.name} ${browser.version}`,
    },
    block: job.block,
    outcome: outcome.kind,
    startedAt,
    wallMs,
    message: messageOf(outcome),
    quarantine: outcome.kind === 'completed' ? outcome.quarantine : [],
    attempts: failedAttempts.map(({ number, failure }) => ({ number, ...failure })),
    values: valuesOf(trial),
    explained: outcome.kind === 'completed' ? explainedValues(outcome.readings) : [],
    warmUp: explainWarmUp(record, { choice: {}, ...writing }),
    cpu: makeCpuFacts(makeSeries(record)),
    environment: environmentOf(outcome),
    links,
  };
}

function messageOf(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case 'completed':
      return null;
    case 'failed':
    case 'timed-out':
      return `${outcome.failure.code}: ${outcome.failure.message}`;
    case 'skipped':
      return `${outcome.reason} ${outcome.remedy}`;
  }
}

function valuesOf({ outcome }: Trial): TrialFacts['values'] {
  if (outcome.kind !== 'completed') return [];
  const { result } = outcome;
  return result.samples.map(({ metric, unit, timed }) => ({
    metric,
    unit,
    value: trialValue(result, metric),
    resolution: findResolution(result, { id: metric, unit }),
    iterations: timed.length,
  }));
}

function environmentOf(outcome: Outcome): TrialEnvironment | null {
  if (outcome.kind !== 'completed') return null;
  const reading = outcome.readings.find(isEnvironment);
  if (reading === undefined) return null;
  const { load1, cpuPressure, freeMemoryBytes, governor, frequencyMhz, ...shares } = reading;
  const { foreignShare, stealShare, throttleEvents } = shares;
  return {
    load1,
    cpuPressure,
    freeMemoryBytes,
    governor,
    frequencyMhz,
    foreignShare,
    stealShare,
    throttleEvents,
  };
}

function isEnvironment(reading: { readonly probe: string }): reading is EnvironmentReading {
  return reading.probe === 'environment' && !('notSupported' in reading);
}
