import type { Case } from '../../../core/model/case.ts';
import type { Device, GridNode, Presence } from '../../../core/model/device.ts';
import {
  type Arm,
  armKey,
  listArms,
  type Assertion,
  type Counterfactual,
  type Question,
} from '../../../core/model/question.ts';
import { isDeclaredProbe } from '../../../core/model/reading.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import type { Outcome, Trial } from '../../../core/model/trial.ts';
import { type BundleTrial, type Manifest, notOneLine, travels } from './declaration.ts';
import { bundleFormat, type Numbers, pickNumbers } from './format.ts';

/**
 * The model's nouns as the documents of a bundle. Texts of a page or a browser are cut to the bounds of the
 * documents.
 */

export interface Packing {
  readonly question: Question;
  readonly record: RunRecord;
  readonly numbers: Numbers;
  readonly farmVersion: string;
  readonly command: string;
}

export type UnlistedManifest = Omit<Manifest, 'files'>;

export function packManifest(packing: Packing, lanes: readonly Arm[]): UnlistedManifest {
  const { question, record, numbers, farmVersion, command } = packing;
  const devices = new Set(lanes.map(({ deviceId }) => deviceId));
  const { run, presences } = record;
  return plainly({
    format: hasDeclaredReadings(record.trials) ? bundleFormat : 2,
    farmVersion,
    seed: run.seed,
    isolation: run.isolation,
    command,
    startedAt: run.startedAt,
    machine: { ...run.machine, hostname: nameOf(run.machine.hostname) },
    devices: presences.filter(({ device }) => devices.has(device.id)).flatMap(packDevice),
    lanes: lanes.map(({ deviceId, case: one }) => ({
      device: deviceId,
      benchmark: one.benchmark.id,
      parameters: { ...one.parameters },
    })),
    question: packQuestion(question, placeIn(lanes)),
    numbers: writable(pickNumbers(numbers)),
  });
}

/** Says if an older farm, which knows only the built-in probes, could not read these trials. */
export function hasDeclaredReadings(trials: readonly Trial[]): boolean {
  return trials.some(
    ({ outcome }) =>
      outcome.kind === 'completed' && outcome.readings.some(({ probe }) => isDeclaredProbe(probe)),
  );
}

/** A fresh copy whose arrays may be written to: what the declaration's types ask for. */
function writable(numbers: Numbers): Manifest['numbers'] {
  return structuredClone(numbers) as Manifest['numbers'];
}

/** Every lane that was asked for or measured, each once. */
export function armsToPack({ question, record }: Packing): readonly Arm[] {
  const measured = record.trials.map(({ job }) => ({ deviceId: job.deviceId, case: job.case }));
  const all = [...listArms(question), ...measured];
  return [...new Map(all.map((lane) => [armKey(lane), lane])).values()];
}

type PlaceOf = (lane: { readonly deviceId: string; readonly case: Case }) => number;

export function placeIn(lanes: readonly Arm[]): PlaceOf {
  const places = new Map(lanes.map((lane, index) => [armKey(lane), index]));
  return (lane) => {
    const place = places.get(armKey(lane));
    if (place === undefined) throw new Error(`no lane was packed for ${armKey(lane)}`);
    return place;
  };
}

function packDevice(presence: Presence): Manifest['devices'] {
  if (presence.status === 'missing') return [];
  const { device, target } = presence;
  const { id, browser, driver, headless, flags, preferences, environment } = device;
  const { cores, family, phone, emulation } = device;
  return [
    {
      id,
      name: nameOf(device.name),
      browser,
      driver,
      headless,
      flags: [...flags],
      preferences: { ...preferences },
      environment: { ...environment },
      ...(cores === undefined ? {} : { cores }),
      ...(family === undefined ? {} : { family }),
      ...(phone === undefined ? {} : { platform: phone.platform }),
      ...(emulation === undefined ? {} : { emulation }),
      browserName: target.browser.name,
      browserVersion: target.browser.version,
    },
  ];
}

/** Names of devices are free text in `devices.json`; in a bundle they have no angle brackets. */
function nameOf(name: Device['name']): string {
  return name.replaceAll('<', '‹').replaceAll('>', '›').slice(0, 200);
}

export function packQuestion(question: Question, place: PlaceOf): Manifest['question'] {
  const { id, title, sentence, source, published, notes, measurement } = question;
  return {
    id,
    title,
    sentence,
    source,
    published,
    notes: [...notes],
    measurement: { ...measurement },
    assertions: question.assertions.map((one) => packAssertion(one, place)),
    counterfactuals: question.counterfactuals.map((one) => packCounterfactual(one, place)),
  };
}

function packAssertion(
  assertion: Assertion,
  place: PlaceOf,
): Manifest['question']['assertions'][number] {
  switch (assertion.kind) {
    case 'ratio':
      return { ...assertion, a: place(assertion.a), b: place(assertion.b) };
    case 'level':
      return { ...assertion, of: place(assertion.of) };
    case 'change': {
      const { a, b, c, d } = assertion;
      return { ...assertion, a: place(a), b: place(b), c: place(c), d: place(d) };
    }
  }
}

function packCounterfactual(
  counterfactual: Counterfactual,
  place: PlaceOf,
): Manifest['question']['counterfactuals'][number] {
  const { withCause, withoutCause, effect } = counterfactual;
  return {
    ...counterfactual,
    withCause: place(withCause),
    withoutCause: place(withoutCause),
    effect: effect.kind === 'level' ? effect : { kind: 'ratio', against: place(effect.against) },
  };
}

export function packTrial(trial: Trial, place: PlaceOf): BundleTrial {
  const { job, browser, node, clock, failedAttempts, startedAt, wallMs } = trial;
  return plainly({
    ordinal: job.ordinal,
    block: job.block,
    lane: place(job),
    ...(job.repeats === undefined ? {} : { repeats: job.repeats }),
    browser,
    ...(node === undefined ? {} : { node: packNode(node) }),
    ...(clock === undefined ? {} : { clock }),
    failedAttempts: failedAttempts.map(({ number, failure }) => ({
      number,
      failure: { code: failure.code, message: cut(failure.message) },
    })),
    startedAt,
    wallMs,
    outcome: packOutcome(trial.outcome),
  });
}

/** Cuts what a grid says of itself to the bounds of the declaration. */
function packNode({ id, uri, name }: GridNode): BundleTrial['node'] {
  const named = name === undefined ? {} : { name: name.slice(0, 100) };
  return { id: id.slice(0, 200), uri: uri.slice(0, 4_096), ...named };
}

function packOutcome(outcome: Outcome): BundleTrial['outcome'] {
  switch (outcome.kind) {
    case 'completed': {
      const { kind, result, readings, quarantine } = outcome;
      const kept = readings.filter(({ probe }) => travels(probe));
      return { kind, result, readings: kept, quarantine: [...quarantine] };
    }
    case 'failed':
    case 'timed-out': {
      const { code, message } = outcome.failure;
      return { kind: outcome.kind, failure: { code, message: cut(message) } };
    }
    case 'skipped':
      return { ...outcome, reason: cut(outcome.reason), remedy: cut(outcome.remedy) };
  }
}

function cut(message: string): string {
  return message.slice(0, 4000);
}

/** The same document without control characters: a page's last words may hold line ends. */
function plainly<Document>(document: Document): Document {
  return mapTexts(document) as Document;
}

function mapTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(notOneLine, ' ');
  if (Array.isArray(value)) return value.map(mapTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one)]));
}
