import { causes } from '../../../core/analysis/causes.ts';
import type { Device, Presence } from '../../../core/model/device.ts';
import { isHarmless } from '../../../core/model/environment-variables.ts';
import type { Reading } from '../../../core/model/reading.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import type { Failure, Outcome, Trial } from '../../../core/model/trial.ts';

/** Replaces a value that may be a secret in a file that leaves the farm. */
export const redacted = '<redacted>';

type Settings = Pick<Device, 'flags' | 'preferences' | 'environment'>;

/** Of the catalogue of causes, as they stand there. */
const knownFlags = new Set(
  causes.flatMap(({ changes }) => Object.values(changes).flatMap(({ flags = [] }) => flags)),
);

/** Flags whose values say how a browser is shown, or which of its parts work: nothing secret. */
const harmlessFlags: ReadonlySet<string> = new Set([
  '--autoplay-policy',
  '--disable-blink-features',
  '--disable-features',
  '--enable-blink-features',
  '--enable-features',
  '--force-color-profile',
  '--force-device-scale-factor',
  '--lang',
  '--max-old-space-size',
  '--max-semi-space-size',
  '--ozone-platform',
  '--renderer-process-limit',
  '--stack-size',
  '--use-angle',
  '--use-gl',
  '--window-position',
  '--window-size',
]);

/** Of an engine: `--no-opt`, `--stack-size=900`. */
const engineSwitch = /^--?[\w-]+(=[\d.]+)?$/;

/** Without a value. More letters behind one dash may be a value, as in `-pSECRET`, unless they are known. */
const bareFlag =
  /^(--[A-Za-z][\w-]*|-[A-Za-z]|-(?:foreground|headless|kiosk|new-instance|no-remote|private|profile|purgecaches|safe-mode)|--|\{url\}|\{profile\})$/;

/** The flag, with its value redacted unless that is known to be harmless. */
export function redactFlag(flag: string): string {
  const [, name, value = ''] = /^(--?[\w-]+)=(.*)$/s.exec(flag) ?? [];
  if (name === undefined) return bareFlag.test(flag) ? flag : redacted;
  if (knownFlags.has(flag) || harmlessFlags.has(name)) return flag;
  if (value === '{url}' || value === '{profile}') return flag;
  const switches = value.split(/[\s,]+/);
  const ofEngine = name === '--js-flags' || name === '--v8-flags';
  if (ofEngine && switches.every((one) => engineSwitch.test(one))) return flag;
  return `${name}=${redacted}`;
}

function redactSettings<T extends Settings>(device: T): T {
  const { flags, preferences, environment } = device;
  return {
    ...device,
    flags: flags.map(redactFlag),
    preferences: mapValues(preferences, (value) => (typeof value === 'string' ? redacted : value)),
    environment: mapValues(environment, (value, name) => (isHarmless(name) ? value : redacted)),
  };
}

function mapValues<Value>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, change(value, name)]),
  );
}

/** Shorter ones are in every second sentence, and are guessed at once. */
const shortestSecret = 6;

/** The values that `redactSettings` takes away. */
function secretsOf({ flags, preferences, environment }: Settings): readonly string[] {
  const ofFlags = flags
    .filter((flag) => redactFlag(flag) !== flag)
    .map((flag) => flag.replace(/^--?[\w-]+=/, ''));
  const ofPreferences = Object.values(preferences).filter((value) => typeof value === 'string');
  const ofEnvironment = Object.entries(environment).filter(([name]) => !isHarmless(name));
  return [...ofFlags, ...ofPreferences, ...ofEnvironment.map(([, value]) => value)].filter(
    (value) => value.length >= shortestSecret && value !== redacted,
  );
}

type Scrub = (text: string) => string;

/**
 * The run as it may leave the farm. Variables that are not known to be harmless, values of flags
 * that are not known, and preferences that are texts keep their names and lose their values: any of
 * them may be a secret of `devices.json`. Sentences in which such a value occurs lose it too, as a
 * page or program that fails may show what it was given.
 */
export function withoutSecrets(record: RunRecord): RunRecord {
  const secrets = new Set(record.presences.flatMap(({ device }) => secretsOf(device)));
  // The longest first: one may be a part of another.
  const ordered = [...secrets].sort((one, other) => other.length - one.length);
  const scrub: Scrub = (text) =>
    ordered.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
  return {
    ...record,
    run: { ...record.run, command: scrub(record.run.command) },
    presences: record.presences.map((presence) => redactPresence(presence, scrub)),
    trials:
      ordered.length === 0 ? record.trials : record.trials.map((one) => scrubTrial(one, scrub)),
  };
}

function redactPresence(presence: Presence, scrub: Scrub): Presence {
  const device = redactSettings(presence.device);
  if (presence.status === 'missing') {
    return {
      ...presence,
      device,
      reason: scrub(presence.reason),
      remedy: scrub(presence.remedy),
    };
  }
  const { target, passedOver } = presence;
  return {
    ...presence,
    device,
    target: { ...target, device: redactSettings(target.device) },
    ...(passedOver !== undefined && {
      passedOver: passedOver.map((one) => ({ ...one, reason: scrub(one.reason) })),
    }),
  };
}

function scrubTrial(trial: Trial, scrub: Scrub): Trial {
  return {
    ...trial,
    outcome: scrubOutcome(trial.outcome, scrub),
    failedAttempts: trial.failedAttempts.map((one) => ({
      ...one,
      failure: scrubFailure(one.failure, scrub),
    })),
  };
}

function scrubOutcome(outcome: Outcome, scrub: Scrub): Outcome {
  switch (outcome.kind) {
    case 'completed':
      return { ...outcome, readings: outcome.readings.map((one) => scrubReading(one, scrub)) };
    case 'skipped':
      return { ...outcome, reason: scrub(outcome.reason), remedy: scrub(outcome.remedy) };
    default:
      return { ...outcome, failure: scrubFailure(outcome.failure, scrub) };
  }
}

/** A program may be named after what it was started with. */
function scrubReading(reading: Reading, scrub: Scrub): Reading {
  if ('notSupported' in reading) return { ...reading, notSupported: scrub(reading.notSupported) };
  if (!('threads' in reading)) return reading;
  const threads = reading.threads.map((one) => ({
    ...one,
    process: scrub(one.process),
    name: scrub(one.name),
  }));
  return { ...reading, threads };
}

function scrubFailure(failure: Failure, scrub: Scrub): Failure {
  return { ...failure, message: scrub(failure.message) };
}
