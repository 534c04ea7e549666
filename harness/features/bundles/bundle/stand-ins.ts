import type { Device, Presence, FoundDevice } from '../../../core/model/device.ts';
import { redacted, redactFlag } from './redaction.ts';
import type { BundleTarget } from './format.ts';

/** A local device that replaces one of a bundle, or the reason why none can. */
type StandIn =
  | { readonly kind: 'device'; readonly device: Device }
  | { readonly kind: 'none'; readonly because: string; readonly remedy: string };

export interface Surroundings {
  /** Of this farm's inventory. */
  readonly presences: readonly Presence[];
  readonly logicalCores: number;
  /** Of the catalogue of causes; those of the inventory are known anyway. */
  readonly knownSettings: readonly Settings[];
  /** Takes settings over that are not known. */
  readonly trust: boolean;
}

/**
 * The device to launch for one of a bundle: the build is ours, of the same product (the same
 * version before the same major version, then the same driver); driver, settings and cores are the bundle's.
 */
export function standInFor(target: BundleTarget, here: Surroundings): StandIn {
  const own = findOwn(target, here.presences);
  if (own === null) return absent(target.device, here.presences);
  const device = withOwnValues(target.device, own.device);
  const withheld = listSettings(device).filter((setting) => setting.includes(redacted));
  if (withheld.length > 0) {
    return {
      kind: 'none',
      because: `the bundle withholds what may be secrets of ${device.id}: ${withheld.join('; ')}`,
      remedy: `Give the same settings to ${own.device.id} in devices.json, with values of your own.`,
    };
  }
  if (device.cores !== undefined && device.cores > here.logicalCores) {
    return {
      kind: 'none',
      because: `${device.id} wants ${String(device.cores)} cores, and this machine has ${String(here.logicalCores)}`,
      remedy: 'Replay it on a larger machine.',
    };
  }
  const known = [...here.knownSettings, ...here.presences.map((one) => one.device)];
  const foreign = here.trust ? [] : foreignSettings(device, known);
  if (foreign.length > 0) {
    return {
      kind: 'none',
      because: `${device.id} wants settings that this farm does not know: ${foreign.join('; ')}`,
      remedy: 'If you know what they do, and trust the sender of the bundle: --trust',
    };
  }
  return { kind: 'device', device: { ...device, ...localFields(own) } };
}

/** Takes withheld values from our own device, where it has the same setting. */
function withOwnValues(device: Device, own: Device): Device {
  return {
    ...device,
    flags: device.flags.map((flag, index) => {
      if (!flag.includes(redacted)) return flag;
      const candidates = flag === redacted ? [own.flags[index] ?? flag] : own.flags;
      return candidates.find((one) => redactFlag(one) === flag) ?? flag;
    }),
    preferences: fillIn(device.preferences, own.preferences),
    environment: fillIn(device.environment, own.environment),
  };
}

function fillIn<Value>(
  values: Readonly<Record<string, Value>>,
  own: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  const filled = Object.entries(values).map(([name, value]) => [
    name,
    value === redacted ? (own[name] ?? value) : value,
  ]);
  return Object.fromEntries(filled) as Readonly<Record<string, Value>>;
}

function findOwn(target: BundleTarget, presences: readonly Presence[]): FoundDevice | null {
  const candidates = presences.filter(
    (one): one is FoundDevice =>
      one.status === 'found' && one.device.browser === target.device.browser && isKin(one, target),
  );
  const rank = ({ target: own, device }: FoundDevice): number =>
    2 * distanceOf(own.browser.version, target.browser.version) +
    (device.driver === target.device.driver ? 0 : 1);
  const [best = null] = [...candidates].sort((one, other) => rank(one) - rank(other));
  return best;
}

/** Another major version is another engine: node 24 replaces node 22 only where nothing nearer is. */
function distanceOf(one: string, other: string): number {
  if (one === other) return 0;
  return majorOf(one) === majorOf(other) ? 1 : 2;
}

/** Where our own device is, which no bundle can know. */
function localFields({ device, target }: FoundDevice): Partial<Device> {
  const { phone, server } = device;
  return {
    executable: target.executable,
    ...(phone !== undefined && { phone }),
    ...(server !== undefined && { server }),
  };
}

/**
 * Of "any program that takes a URL" only the one with the same name can be meant, and no desktop
 * stands for a phone.
 */
function isKin({ device }: FoundDevice, target: BundleTarget): boolean {
  if (device.phone?.platform !== target.device.phone?.platform) return false;
  return target.device.browser !== 'program' || device.id === target.device.id;
}

function absent({ id, browser }: Device, presences: readonly Presence[]): StandIn {
  const missing = presences.find(
    (one) => one.status === 'missing' && one.device.browser === browser,
  );
  return missing?.status === 'missing'
    ? { kind: 'none', because: `${id} is ${browser}: ${missing.reason}`, remedy: missing.remedy }
    : {
        kind: 'none',
        because: `${id} is ${browser}, which no device of the inventory is`,
        remedy: 'Add one to devices.json.',
      };
}

/**
 * Why builds of one product cannot be distinguished here: a bundle that compares two builds says
 * nothing about one build with itself. Null when they can.
 */
export function mergedBuilds(
  targets: readonly BundleTarget[],
  presences: readonly FoundDevice[],
): string | null {
  const versionHere = new Map(presences.map((one) => [one.device.id, one.target.browser.version]));
  for (const [index, one] of targets.entries()) {
    for (const other of targets.slice(index + 1)) {
      const differed =
        one.device.browser === other.device.browser &&
        one.browser.version !== other.browser.version;
      const ours = versionHere.get(one.device.id);
      if (!differed || ours !== versionHere.get(other.device.id)) continue;
      return `it compares ${one.device.browser} ${one.browser.version} with ${other.browser.version}, and both would be ${ours ?? 'the same build'} here`;
    }
  }
  return null;
}

/** Differences of this machine, in sentences; none of them forbids the comparison. */
export function differencesOfTargets(
  targets: readonly BundleTarget[],
  presences: readonly FoundDevice[],
): readonly string[] {
  const here = new Map(presences.map((one) => [one.device.id, one.target.browser.version]));
  return targets.flatMap(({ device, browser }) => {
    const version = here.get(device.id);
    if (version === undefined || version === browser.version) return [];
    const major = majorOf(version) === majorOf(browser.version) ? '' : ', another major version';
    return [`${device.id} is ${browser.name} ${version} here, and was ${browser.version}${major}`];
  });
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? version;
}

/** The launch settings of a device. */
export type Settings = Partial<Pick<Device, 'flags' | 'preferences' | 'environment'>>;

const scriptFlags = '--js-flags=';

/**
 * The settings of a device that none of the known ones has, as their owner would type them. A flag
 * can name a program to start, and an environment variable a library to load, so what a stranger
 * asks for is only taken over when this farm's own catalogue or inventory has it, value and all.
 * Of `--js-flags` each switch counts by itself, because Chromium takes several as one.
 */
export function foreignSettings(device: Settings, known: readonly Settings[]): readonly string[] {
  const allowed = new Set(known.flatMap(listSettings));
  return listSettings(device).filter((setting) => !allowed.has(setting));
}

function listSettings({
  flags = [],
  preferences = {},
  environment = {},
}: Settings): readonly string[] {
  return [
    ...flags.flatMap(splitFlag),
    ...Object.entries(preferences).map(
      ([name, value]) => `preference ${name}=${JSON.stringify(value)}`,
    ),
    ...Object.entries(environment).map(([name, value]) => `environment ${name}=${value}`),
  ];
}

function splitFlag(flag: string): readonly string[] {
  if (!flag.startsWith(scriptFlags)) return [flag];
  const switches = flag.slice(scriptFlags.length).split(/[\s,]+/);
  return switches.filter((one) => one !== '').map((one) => scriptFlags + one);
}
