import { loadDriver } from '../../../../drivers/index.ts';
import { FarmError, errorText } from '../../errors.ts';
import type { Device, Presence } from '../../model/device.ts';
import { loadTrustedInventory } from '../trust.ts';
import type { BuildSelector } from '../../setup/builds/selector.ts';
import { defaultStoreBytes, type StoredBuild } from '../../setup/build-store.ts';
import { findDevice } from '../../setup/presence.ts';
import type { MeasuringCaller } from '../caller.ts';
import { baseDevice, buildDevice, type DeviceSources } from './build-devices.ts';
import { findBuilds, takeBuild, isOfAll } from './builds.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/** A build that can be measured, when it is here. */
export interface Candidate {
  /** As it is named as a device: `chromium@110`. */
  readonly name: string;
  /** As far as it is known. */
  readonly version: string;
  /** Brings it here, once. @throws FarmError */
  readonly take: () => Promise<StoredBuild>;
}

/** Builds of one browser, which run as one device does. */
export interface BuildRange {
  readonly device: Device;
  /** The oldest first. */
  readonly builds: readonly Candidate[];
}

export interface RangeSources extends DeviceSources {
  /** Most bytes of the whole store. */
  readonly keepBuilds?: number;
}

/**
 * Finds the builds that selectors name: those that are here, and those that registries have.
 * Nothing is fetched yet.
 * @throws FarmError `bad-argument` for builds of several browsers, or an unknown version
 */
export async function findRange(
  selectors: readonly BuildSelector[],
  { inventory, database, keepBuilds = defaultStoreBytes }: RangeSources,
  caller: MeasuringCaller,
): Promise<BuildRange> {
  const [first, ...others] = selectors;
  const stranger = others.find(({ name }) => name !== first?.name);
  if (first === undefined || stranger !== undefined) {
    throw new FarmError('bad-argument', {
      what: `${selectors.map(({ text }) => text).join(' and ')} are not builds of one browser.`,
      next: 'Name builds of one, such as chromium@103..153.',
    });
  }
  const device = baseDevice(first.name, await loadTrustedInventory(inventory));
  const named = selectors.map((one) => ({ ...one, name: device.browser }));
  const found = await findBuilds(named, { database }, caller);
  const builds = found.map((build) =>
    candidate(device, build.version, () => takeBuild(build, { database, keepBuilds }, caller)),
  );
  return { device, builds };
}

export function candidate(
  { id }: Device,
  version: string,
  take: () => Promise<StoredBuild>,
): Candidate {
  let taken: Promise<StoredBuild> | null = null;
  return { name: `${id}@${version}`, version, take: () => (taken ??= take()) };
}

export interface Presenting {
  /** Id under which it runs. */
  readonly name: string;
  readonly caller: MeasuringCaller;
}

/**
 * Brings a build here and finds it as a device. @throws FarmError where it is not available or not
 * usable
 */
export async function presentBuild(
  device: Device,
  { take }: Candidate,
  { name, caller: { loadDriver: load = loadDriver } }: Presenting,
): Promise<Presence> {
  const build = await take();
  const presence = await findDevice(buildDevice(device, build, name), await load(device.driver));
  const seen = presence.status === 'found' ? presence.target.browser.version : null;
  if (seen === build.version) return presence;
  throw new FarmError('no-device', {
    what: `${build.product} ${build.version} at ${build.executable} cannot be used: ${presence.status === 'missing' ? presence.reason : `it is ${seen ?? ''}`}.`,
    next: `Leave it out, or remove it: ${npxCrossfarm} engines remove ${build.product}@${build.version}`,
  });
}

/** A build that cannot be used, and why. */
export interface LeftOut {
  readonly build: string;
  readonly because: string;
}

/** The builds of a range that can be used, each fetched and started when it is first asked for. */
export class UsableBuilds {
  readonly leftOut: LeftOut[] = [];
  readonly #presences = new Map<string, Presence>();
  readonly #device: Device;
  readonly #caller: MeasuringCaller;

  constructor(device: Device, caller: MeasuringCaller) {
    this.#device = device;
    this.#caller = caller;
  }

  /** Null for a build that was not asked for, or is left out. */
  presenceOf(name: string): Presence | null {
    return this.#presences.get(name) ?? null;
  }

  /**
   * True if this build is usable. @throws FarmError for what concerns all builds, as a full disk.
   */
  async has(build: Candidate): Promise<boolean> {
    const { name } = build;
    if (this.#presences.has(name)) return true;
    if (this.leftOut.some((one) => one.build === name)) return false;
    const { say } = this.#caller;
    try {
      const caller = this.#caller;
      this.#presences.set(name, await presentBuild(this.#device, build, { name, caller }));
      return true;
    } catch (error) {
      if (isOfAll(error)) throw error;
      this.leftOut.push({ build: name, because: errorText(error) });
      say(`${name} is left out: ${errorText(error)}`);
      return false;
    }
  }

  nothingRuns(): FarmError {
    return new FarmError('no-device', {
      what: `None of these builds can be used: ${this.leftOut.map(({ because }) => because).join('; ')}`,
      next: `Choose others: ${npxCrossfarm} engines list`,
    });
  }
}
