import { randomInt } from 'node:crypto';
import { loadDriver } from '../../../drivers/index.ts';
import type { EvidenceFindings } from '../../core/results/index.ts';
import { describeEvidence } from './judging/evidence.ts';
import { figure } from './judging/wording.ts';
import type { Anomaly } from '../../core/model/anomaly.ts';
import type { Presence } from '../../core/model/device.ts';
import { farmVersion } from '../../core/project.ts';
import { findDevices } from '../../core/setup/presence.ts';
import { keepState, readAnomaly, type ReproductionState } from '../../core/app/anomalies.ts';
import { withoutSecrets } from '../bundles/bundle/redaction.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import { requireTrustedDatabase } from '../../core/app/trust.ts';
import {
  measureQuestion,
  type QuestionAnswer,
  type QuestionOptions,
  checkBlocks,
  reproduceCommand,
  bundleAnswer,
  writeEvidence,
} from './measure-question.ts';
import type { ReportOption } from '../../core/cli/end-report.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

export interface AnomalyOptions extends QuestionOptions, ReportOption {
  /** Of the order of the trials; a random one when left out. */
  readonly seed?: number;
  /** Where to write a bundle, one file for a replay on another machine. */
  readonly bundle?: string;
}

export interface ReproducedAnomaly {
  readonly kind: 'measured';
  /** In its current state. */
  readonly anomaly: Anomaly;
  readonly state: ReproductionState;
  readonly answer: QuestionAnswer;
  readonly evidence: EvidenceFindings;
  /** Of the evidence report; null when none was asked for. */
  readonly path: string | null;
  /** Path of the bundle; null when none was asked for. */
  readonly bundle: string | null;
}

export interface GoneAnomaly extends Gone {
  readonly kind: 'gone';
  readonly anomaly: Anomaly;
  readonly command: string;
}

/**
 * Asks an anomaly again, in blocks, on the builds that it was found with, and keeps the result
 * as its state, unless a person ignored or closed it. Where a build is gone nothing is run, and the state stays.
 * @throws FarmError `unknown-anomaly`, `bad-argument`, `cannot-write`.
 */
export async function reproduceAnomaly(
  id: string,
  options: AnomalyOptions,
  caller: MeasuringCaller,
): Promise<ReproducedAnomaly | GoneAnomaly> {
  checkBlocks(options, caller);
  const anomaly = await readAnomaly(id, options.database);
  const seed = options.seed ?? randomInt(2 ** 32);
  const command = reproduceCommand(anomaly.id, options, seed);
  const devices = anomaly.targets.map(({ device }) => device);
  requireTrustedDatabase(options.database, devices);
  const presences = await findDevices(devices, caller.loadDriver ?? loadDriver);
  const gone = whyGone(anomaly, presences);
  if (gone !== null) return { kind: 'gone', anomaly, command, ...gone };
  const question = {
    ...anomaly.question,
    notes: [...anomaly.question.notes, ...changedBuilds(anomaly, presences)],
  };
  const answer = await measureQuestion(question, { presences, options, command, seed }, caller);
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const evidence = describeEvidence(withoutSecrets(answer.record), question, writing);
  const state = stateOf(answer);
  // Before any file is written: if that fails, the measurement is kept.
  const change = {
    state,
    reason: `run ${String(answer.record.run.id)}: ${measuredText(evidence)}`,
  };
  const kept = answer.interrupted ? anomaly : await keepState(anomaly.id, change, options.database);
  const place = { ...options, name: `anomaly-${anomaly.id}.html` };
  const { path, html } = await writeEvidence(evidence, place);
  const bundle =
    options.bundle === undefined
      ? null
      : await bundleAnswer(options.bundle, { question, answer, html, pages: options.pages });
  return { kind: 'measured', anomaly: kept, state, answer, evidence, path, bundle };
}

interface Gone {
  readonly because: string;
  readonly remedy: string;
}

/** Why the anomaly cannot be asked here any more: a build is missing, or two builds have become one. */
function whyGone({ targets }: Anomaly, presences: readonly Presence[]): Gone | null {
  for (const presence of presences) {
    if (presence.status === 'found') continue;
    const { device, reason, remedy } = presence;
    return { because: `the build of ${device.id} is no longer here: ${reason}`, remedy };
  }
  const [a, b] = targets;
  if (a === undefined || b === undefined) return null;
  const twoBuilds =
    a.device.browser === b.device.browser && a.browser.version !== b.browser.version;
  const [here, there] = presences.map((one) => versionOf(one));
  if (!twoBuilds || here !== there) return null;
  return {
    because: `it was found between ${a.device.browser} ${a.browser.version} and ${b.browser.version}, and both are ${here ?? 'one build'} now`,
    remedy: `Install the older build again; where it lay stands in ${npxCrossfarm} findings --json.`,
  };
}

function versionOf(presence: Presence): string | null {
  return presence.status === 'found' ? presence.target.browser.version : null;
}

/** Notes on builds that were updated in place, which are measured nevertheless. */
function changedBuilds({ targets }: Anomaly, presences: readonly Presence[]): readonly string[] {
  return targets.flatMap(({ device, browser }) => {
    const found = presences.find((one) => one.device.id === device.id);
    const version = found === undefined ? null : versionOf(found);
    return version === null || version === browser.version
      ? []
      : [`${device.id} was ${browser.version} when it was found, and is ${version} now.`];
  });
}

function stateOf({ judgement }: QuestionAnswer): ReproductionState {
  switch (judgement.verdict) {
    case 'confirmed':
      return 'reproduced';
    case 'refuted':
      return 'not-reproduced';
    case 'inconclusive':
      return 'inconclusive';
  }
}

/** The measured number of an anomaly, with its interval. */
export function measuredText({ assertions }: EvidenceFindings): string {
  const [first] = assertions;
  return first === undefined ? 'not measured' : figure(first.measured, first.unit);
}
