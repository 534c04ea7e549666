import { hasDeclaredReadings, packQuestion, placeIn } from '../bundle/pack.ts';
import type { Case } from '../../../core/model/case.ts';
import {
  toldOfServer,
  type Device,
  type Phone,
  type Presence,
} from '../../../core/model/device.ts';
import { armKey, listArms, type Arm, type Question } from '../../../core/model/question.ts';
import type { Reading } from '../../../core/model/reading.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import type { Outcome, Trial } from '../../../core/model/trial.ts';
import { documentFormat, type RunDocument } from './declaration.ts';

/** A run as the document that another farm can take in: everything but the files of traces. */
export function packRun(record: RunRecord, identity: string): RunDocument {
  const { run, presences, jobs, question } = record;
  const cases = listCases(record);
  const caseAt = placeOfCases(cases);
  const trials = new Map(record.trials.map((trial) => [trial.job.ordinal, trial]));
  const document: Readonly<Record<keyof RunDocument, unknown>> = {
    kind: 'crossfarm-run',
    format: hasDeclaredReadings(record.trials) ? documentFormat : 1,
    run: { ...run, identity },
    devices: presences.map(packPresence),
    benchmarks: [...new Map(cases.map(({ benchmark }) => [benchmark.id, benchmark])).values()],
    cases: cases.map(({ benchmark, parameters }) => ({ benchmark: benchmark.id, parameters })),
    cells: jobs.map(({ ordinal, block, case: one, deviceId, sessionKey, repeats }) => ({
      ordinal,
      block,
      case: caseAt(one),
      device: deviceId,
      sessionKey,
      ...(repeats === undefined ? {} : { repeats }),
      trial: packTrial(trials.get(ordinal)),
    })),
    question: question === undefined ? null : packAsked(question, caseAt),
  };
  // The declaration's types have arrays that may be written to, and the model's have not.
  return document as RunDocument;
}

/** Cases that were planned or asked for, each once. */
function listCases({ jobs, question }: RunRecord): readonly Case[] {
  const asked = question === undefined ? [] : listArms(question);
  const all = [...jobs, ...asked].map((lane) => lane.case);
  return [...new Map(all.map((one) => [caseKey(one), one])).values()];
}

function caseKey(one: Case): string {
  return armKey({ deviceId: '', case: one });
}

function placeOfCases(cases: readonly Case[]): (one: Case) => number {
  const places = new Map(cases.map((one, index) => [caseKey(one), index]));
  return (one) => {
    const place = places.get(caseKey(one));
    if (place === undefined) throw new Error(`no case was packed for ${caseKey(one)}`);
    return place;
  };
}

function packPresence(presence: Presence): unknown {
  const device = packDevice(presence.device);
  if (presence.status === 'missing') return { ...presence, device };
  const { status, capabilities, target, passedOver } = presence;
  const { browser, executable, server, node } = target;
  return {
    status,
    device,
    browser,
    executable,
    capabilities,
    ...(server === undefined ? {} : { server: toldOfServer(server) }),
    ...(node === undefined ? {} : { node }),
    ...(passedOver === undefined ? {} : { passedOver }),
  };
}

/** An importing farm must not contact the machines of this one. */
function packDevice(device: Device): Device {
  const { remote, phone, server } = device;
  return {
    ...device,
    ...(server !== undefined && { server: toldOfServer(server) }),
    ...(remote !== undefined && { remote: remote.node === undefined ? {} : { node: remote.node } }),
    ...(phone !== undefined && { phone: withoutSecrets(phone) }),
  };
}

/** Capabilities may sign apps in the owner's name; a tunnel is the owner's alone. */
function withoutSecrets(phone: Phone): Phone {
  const rest: { -readonly [Key in keyof Phone]: Phone[Key] } = { ...phone };
  delete rest.capabilities;
  if (rest.pages !== 'lan') delete rest.pages;
  return rest;
}

function packTrial(trial: Trial | undefined): unknown {
  if (trial === undefined) return null;
  const { browser, node, clock, waitedMs, failedAttempts, startedAt, wallMs } = trial;
  return {
    outcome: packOutcome(trial.outcome),
    browser,
    failedAttempts,
    startedAt,
    wallMs,
    ...(node === undefined ? {} : { node }),
    ...(clock === undefined ? {} : { clock }),
    ...(waitedMs === undefined ? {} : { waitedMs }),
  };
}

function packOutcome(outcome: Outcome): unknown {
  if (outcome.kind !== 'completed') return outcome;
  return { ...outcome, readings: outcome.readings.map(withoutFile) };
}

/** A trace is a file next to the database; a document does not name it. */
function withoutFile(reading: Reading): Reading {
  if ('notSupported' in reading || reading.probe !== 'trace') return reading;
  const notSupported = 'the trace is a file, which stayed with the farm that wrote it';
  return { probe: 'trace', notSupported };
}

function packAsked(question: Question, caseAt: (one: Case) => number): unknown {
  const lanes: readonly Arm[] = listArms(question);
  return {
    asked: packQuestion(question, placeIn(lanes)),
    lanes: lanes.map((lane) => ({ device: lane.deviceId, case: caseAt(lane.case) })),
  };
}
